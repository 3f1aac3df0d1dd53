//! A picture in points.

use std::sync::Arc;

use gt_core::{Error, Result};
use resvg::{tiny_skia, usvg};

/// The dots per inch at which a picture is as large as its SVG says.
const NORMAL_DPI: f64 = 96.0;
/// A picture has at most so many points.
const MOST_POINTS: f64 = 400e6;

/// Draws SVG with so many dots per inch, and gives the PNG file.
pub fn png(svg: &str, dpi: u32) -> Result<Vec<u8>> {
    let mut options =
        usvg::Options { font_family: "DejaVu Sans".to_string(), ..Default::default() };
    // The letters are our own, so that a picture does not depend on where it is drawn.
    Arc::make_mut(&mut options.fontdb).load_font_data(dejavu::sans::regular().to_vec());
    let tree = usvg::Tree::from_str(svg, &options)
        .map_err(|error| Error::bug(format!("the picture is no SVG: {error}")))?;
    let scale = f64::from(dpi) / NORMAL_DPI;
    let size = tree.size();
    let (width, height) = (f64::from(size.width()) * scale, f64::from(size.height()) * scale);
    let too_large =
        || Error::value(format!("{dpi} dots per inch make a picture of {width:.0} x {height:.0}"));
    if width * height > MOST_POINTS {
        return Err(too_large());
    }
    let mut map =
        tiny_skia::Pixmap::new(width.ceil() as u32, height.ceil() as u32).ok_or_else(too_large)?;
    let scale = scale as f32;
    let transform = tiny_skia::Transform::from_scale(scale, scale);
    resvg::render(&tree, transform, &mut map.as_mut());
    map.encode_png().map_err(|error| Error::bug(format!("the picture cannot be encoded: {error}")))
}
