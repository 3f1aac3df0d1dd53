//! How far results are from the exact ones, over sweeps of all magnitudes.

/// The distance between a result and the exact one, in units in the last place.
pub fn units_f32(found: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if found.is_nan() || rounded.is_nan() {
        return if found.is_nan() && rounded.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if found.is_infinite() || rounded.is_infinite() {
        return if found == rounded { 0.0 } else { 1.0 };
    }
    let size = rounded.abs().max(f32::MIN_POSITIVE);
    let unit = f64::from(f32::from_bits(size.to_bits() + 1)) - f64::from(size);
    (f64::from(found) - exact).abs() / unit
}

pub fn units_f64(found: f64, exact: f64) -> f64 {
    if found.is_nan() || exact.is_nan() {
        return if found.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if found == exact {
        return 0.0;
    }
    let size = exact.abs().max(f64::MIN_POSITIVE);
    (found - exact).abs() / (f64::from_bits(size.to_bits() + 1) - size)
}

/// The largest distance of a function of one number.
pub fn worst_f32(ours: fn(f32) -> f32, exact: fn(f64) -> f64) -> f64 {
    let sweep = (0..=u32::MAX).step_by(1023).map(f32::from_bits);
    let near = (-200_000..200_000).map(|step| step as f32 * 6e-4);
    sweep.chain(near).map(|x| units_f32(ours(x), exact(f64::from(x)))).fold(0.0, f64::max)
}

pub fn worst_f64(ours: fn(f64) -> f64, exact: fn(f64) -> f64) -> f64 {
    let sweep = (0..1 << 20).map(|step: u64| f64::from_bits(step * 17_592_186_044_415));
    let near = (-400_000..400_000).map(|step| f64::from(step) * 1.9e-3);
    let small = (-400_000..400_000).map(|step| f64::from(step) * 3e-6);
    let all = sweep.chain(near).chain(small);
    all.map(|x| units_f64(ours(x), exact(x))).fold(0.0, f64::max)
}
