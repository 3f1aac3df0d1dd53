//! Tensors as text, to the letter as PyTorch prints them: which elements are shown, how they are
//! laid out in lines, and what follows them. `number.rs` writes the elements themselves.

use std::ops::Range;
use std::vec::IntoIter;

use gt_core::dtype::DType;
use gt_core::shape::{Meta, Shape};

use self::number::{Column, Number};

mod fetch;
mod number;

/// What stands before the elements; further lines are indented by its length.
const PREFIX: &str = "tensor(";

/// What `set_printoptions` sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Digits after the point.
    pub precision: usize,
    /// The most elements that are all shown; of larger tensors only the corners are.
    pub threshold: usize,
    /// How many elements make a corner, along each axis.
    pub edge_items: usize,
    /// The columns of a line.
    pub line_width: usize,
    /// Whether numbers have an exponent; if absent, the numbers decide.
    pub sci_mode: Option<bool>,
}

impl Default for Options {
    fn default() -> Self {
        Options { precision: 4, threshold: 1000, edge_items: 3, line_width: 80, sci_mode: None }
    }
}

/// A tensor as text. `elements` are its little-endian bytes, row after row: of all elements, or of
/// those outside its [`gaps`]. `suffixes` such as `requires_grad=True` follow the size and dtype.
pub fn format(meta: &Meta, elements: &[u8], options: &Options, suffixes: &[String]) -> String {
    let mut text = PREFIX.to_owned();
    text += &if elements.is_empty() { "[]".to_owned() } else { body(meta, elements, options) };
    let suffixes =
        [size(meta, options), dtype(meta)].into_iter().flatten().chain(suffixes.to_vec());
    append(&mut text, suffixes, options.line_width);
    text + ")"
}

/// `size=(0, 3)`, where the brackets do not tell.
fn size(meta: &Meta, options: &Options) -> Option<String> {
    let told = match meta.shape.count() {
        0 => meta.shape.rank() == 1,
        _ => options.edge_items > 0,
    };
    (!told).then(|| format!("size={}", tuple(&meta.shape)))
}

/// `dtype=gt.float64`, where the elements do not tell.
fn dtype(meta: &Meta) -> Option<String> {
    let told = match meta.dtype {
        DType::F32 => true,
        DType::Bool | DType::I64 | DType::C64 => meta.shape.count() > 0,
        _ => false,
    };
    (!told).then(|| format!("dtype=gt.{}", meta.dtype))
}

/// A shape as Python writes a tuple.
fn tuple(shape: &Shape) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    format!("({}{comma})", sizes.join(", "))
}

/// Adds suffixes to the text, on further lines where the last one is full.
fn append(text: &mut String, suffixes: impl Iterator<Item = String>, line_width: usize) {
    // PyTorch counts two columns more for the elements than they take, and lines break there.
    let mut column = text.lines().last().map_or(0, str::len) + 2;
    for suffix in suffixes {
        let length = suffix.chars().count();
        if column + length + 2 > line_width {
            *text += &format!(",\n{}{suffix}", " ".repeat(PREFIX.len()));
            column = PREFIX.len() + length;
        } else {
            *text += &format!(", {suffix}");
            column += length + 2;
        }
    }
}

/// The elements of a tensor that has some.
fn body(meta: &Meta, elements: &[u8], options: &Options) -> String {
    let axes: Vec<Axis> = axes(meta, options).collect();
    let mut places = corners(&axes);
    if elements.len() != meta.bytes() {
        // The others are not there.
        places = (0..places.len()).collect();
        assert_eq!(elements.len(), places.len() * meta.dtype.size(), "the corners of a {meta}");
    }
    let shown = places.into_iter();
    let shown: Vec<Number> = shown.map(|index| Number::read(meta.dtype, elements, index)).collect();
    let column = Column::write(&shown, options);
    let (texts, width) = (column.texts.into_iter(), column.width);
    Layout { line_width: options.line_width, width, texts }.block(&axes, PREFIX.len())
}

fn axes(meta: &Meta, options: &Options) -> impl Iterator<Item = Axis> {
    let is_cut = meta.shape.count() > options.threshold;
    let edge = if is_cut { options.edge_items } else { usize::MAX };
    meta.shape.iter().map(move |&size| Axis::new(size, edge))
}

/// The axes of which not all positions are shown, and those that are not. Where nothing is shown
/// at all there are none.
fn gaps(meta: &Meta, options: &Options) -> impl Iterator<Item = (usize, Range<usize>)> {
    let gaps = axes(meta, options).map(|axis| axis.gap).enumerate();
    gaps.filter(|(_, gap)| !gap.is_empty() && gap.start > 0)
}

/// Which positions along an axis are shown: those before and those behind a gap.
struct Axis {
    size: usize,
    /// Empty where all positions are shown.
    gap: Range<usize>,
}

impl Axis {
    fn new(size: usize, edge: usize) -> Self {
        let is_cut = size > edge.saturating_mul(2);
        Axis { size, gap: if is_cut { edge..size - edge } else { size..size } }
    }

    fn shown(&self) -> impl Iterator<Item = usize> {
        (0..self.gap.start).chain(self.gap.end..self.size)
    }
}

/// The places in memory of the elements that are shown, in the order in which they are.
fn corners(axes: &[Axis]) -> Vec<usize> {
    axes.iter().fold(vec![0], |rows, axis| {
        rows.iter().flat_map(|row| axis.shown().map(move |at| row * axis.size + at)).collect()
    })
}

/// Puts the texts of elements in brackets and lines.
struct Layout {
    line_width: usize,
    /// Columns an element takes.
    width: usize,
    /// The elements that are not laid out yet.
    texts: IntoIter<String>,
}

impl Layout {
    /// The part of a tensor that has these axes.
    fn block(&mut self, axes: &[Axis], indent: usize) -> String {
        match axes {
            [] => self.element(),
            [axis] => self.row(axis, indent),
            [axis, inner @ ..] => {
                let blocks = around_gap(axis, "...", || self.block(inner, indent + 1));
                // Matrices are a blank line apart, stacks of matrices two, and so on.
                let separator = format!(",{}", "\n".repeat(inner.len()));
                bracketed(&blocks, &separator, indent)
            }
        }
    }

    /// The elements along the last axis, on as many lines as they need.
    fn row(&mut self, axis: &Axis, indent: usize) -> String {
        // The extra space belongs to PyTorch's format, but is not there without neighbours.
        let ellipsis = if axis.gap == (0..axis.size) { "..." } else { " ..." };
        let texts = around_gap(axis, ellipsis, || self.element());
        let room = self.line_width.saturating_sub(indent);
        let per_line = (room / (self.width + ", ".len())).max(1);
        let lines: Vec<String> = texts.chunks(per_line).map(|line| line.join(", ")).collect();
        bracketed(&lines, ",\n", indent)
    }

    fn element(&mut self) -> String {
        self.texts.next().expect("there is a text for each element shown")
    }
}

/// One piece for each position shown along an axis, and the ellipsis in place of the others.
fn around_gap(axis: &Axis, ellipsis: &str, mut piece: impl FnMut() -> String) -> Vec<String> {
    let mut pieces: Vec<String> = axis.shown().map(|_| piece()).collect();
    if !axis.gap.is_empty() {
        pieces.insert(axis.gap.start, ellipsis.to_owned());
    }
    pieces
}

/// Pieces in brackets; the separator ends a line, and what follows it aligns with the first piece.
fn bracketed(pieces: &[String], separator: &str, indent: usize) -> String {
    format!("[{}]", pieces.join(&format!("{separator}{}", " ".repeat(indent + 1))))
}

#[cfg(test)]
mod tests {
    //! The expected texts come from PyTorch 2.15, with `gt` for `torch` in the names of dtypes.

    use half::{bf16, f16};

    use super::*;

    const NAN: f32 = f32::NAN;
    const INF: f32 = f32::INFINITY;

    /// A type of elements, and how a test makes its tensors.
    trait Element: Copy {
        const DTYPE: DType;
        fn bytes(self) -> Vec<u8>;
    }

    macro_rules! elements {
        ($($element:ty: $dtype:ident;)*) => {$(
            impl Element for $element {
                const DTYPE: DType = DType::$dtype;
                fn bytes(self) -> Vec<u8> {
                    self.to_le_bytes().to_vec()
                }
            }
        )*};
    }

    elements! { u8: U8; i64: I64; f16: F16; bf16: BF16; f32: F32; f64: F64; }

    impl Element for bool {
        const DTYPE: DType = DType::Bool;
        fn bytes(self) -> Vec<u8> {
            vec![self.into()]
        }
    }

    impl Element for (f32, f32) {
        const DTYPE: DType = DType::C64;
        fn bytes(self) -> Vec<u8> {
            [self.0.bytes(), self.1.bytes()].concat()
        }
    }

    fn print_with<T: Element>(
        options: Options,
        shape: &[usize],
        values: &[T],
        suffixes: &[&str],
    ) -> String {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.bytes()).collect();
        let suffixes: Vec<String> = suffixes.iter().map(|&suffix| suffix.to_owned()).collect();
        format(&Meta::new(T::DTYPE, shape), &bytes, &options, &suffixes)
    }

    fn print<T: Element>(shape: &[usize], values: &[T]) -> String {
        print_with(Options::default(), shape, values, &[])
    }

    fn vector<T: Element>(values: &[T]) -> String {
        print(&[values.len()], values)
    }

    fn range(shape: &[usize]) -> String {
        range_with(Options::default(), shape)
    }

    fn range_with(options: Options, shape: &[usize]) -> String {
        let values: Vec<i64> = (0..shape.iter().product::<usize>() as i64).collect();
        print_with(options, shape, &values, &[])
    }

    #[test]
    fn floats_share_digits_and_width() {
        let matrix = "tensor([[ 0.1234, -1.2000],\n        [10.0000,  0.0000]])";
        assert_eq!(print(&[2, 2], &[0.1234_f32, -1.2, 10.0, 0.0]), matrix);
        assert_eq!(vector(&[0.03125_f32, 0.09375, 1.5]), "tensor([0.0312, 0.0938, 1.5000])");
        assert_eq!(print(&[], &[3.5_f32]), "tensor(3.5000)");
    }

    #[test]
    fn whole_floats_end_in_a_point() {
        assert_eq!(vector(&[1.0_f32, -2.0, 0.0]), "tensor([ 1., -2.,  0.])");
        assert_eq!(vector(&[0.0_f32, -0.0]), "tensor([0., -0.])");
        assert_eq!(vector(&[1.0_f32, 1000.0]), "tensor([   1., 1000.])");
        assert_eq!(vector(&[1e8_f32]), "tensor([100000000.])");
    }

    #[test]
    fn large_small_and_far_apart_floats_have_exponents() {
        assert_eq!(vector(&[1.0_f32, 1001.0]), "tensor([1.0000e+00, 1.0010e+03])");
        assert_eq!(vector(&[2e8_f32, 3e8]), "tensor([2.0000e+08, 3.0000e+08])");
        assert_eq!(vector(&[1e-4_f64]), "tensor([0.0001], dtype=gt.float64)");
        let small = "tensor([5.0000e-01, 9.0000e-04, 9.0000e-05])";
        assert_eq!(vector(&[0.5_f32, 9e-4, 9e-5]), small);
        let huge = "tensor([1.0000e+300, 1.0000e-300, -1.0000e+00], dtype=gt.float64)";
        assert_eq!(vector(&[1e300_f64, 1e-300, -1.0]), huge);
    }

    #[test]
    fn what_is_not_finite_does_not_widen_the_column() {
        assert_eq!(vector(&[NAN, 0.5, -INF]), "tensor([   nan, 0.5000,   -inf])");
        assert_eq!(vector(&[NAN, 1.0, -INF]), "tensor([nan, 1., -inf])");
        assert_eq!(print(&[1, 2], &[-NAN, INF]), "tensor([[nan, inf]])");
    }

    #[test]
    fn dtypes_that_a_literal_does_not_have_are_named() {
        assert_eq!(vector(&[true, false]), "tensor([ True, False])");
        assert_eq!(print(&[], &[7_i64]), "tensor(7)");
        let widest = "tensor([-9223372036854775808,                    7])";
        assert_eq!(vector(&[i64::MIN, 7]), widest);
        assert_eq!(vector(&[0_u8, 255]), "tensor([  0, 255], dtype=gt.uint8)");
        assert_eq!(print(&[], &[1.0_f64]), "tensor(1., dtype=gt.float64)");
        let half = "tensor([ 9.9976e-02,  6.5504e+04, -2.0000e+00], dtype=gt.float16)";
        assert_eq!(vector(&[0.1, 65504.0, -2.0].map(f16::from_f32)), half);
        let brain = "tensor([ 0.1001, -2.0000], dtype=gt.bfloat16)";
        assert_eq!(vector(&[0.1, -2.0].map(bf16::from_f32)), brain);
        let complex = "tensor([1.0000-2.j, 0.5000+100.j])";
        assert_eq!(vector(&[(1.0_f32, -2.0_f32), (0.5, 100.0)]), complex);
    }

    #[test]
    fn empty_tensors_tell_their_size_and_dtype() {
        assert_eq!(vector::<f32>(&[]), "tensor([])");
        assert_eq!(print::<f32>(&[0, 3], &[]), "tensor([], size=(0, 3))");
        assert_eq!(print::<i64>(&[2, 0], &[]), "tensor([], size=(2, 0), dtype=gt.int64)");
        assert_eq!(vector::<bool>(&[]), "tensor([], dtype=gt.bool)");
        assert_eq!(vector::<f64>(&[]), "tensor([], dtype=gt.float64)");
    }

    #[test]
    fn blocks_of_more_axes_are_more_blank_lines_apart() {
        let expected = "\
tensor([[[0, 1],
         [2, 3]],

        [[4, 5],
         [6, 7]]])";
        assert_eq!(range(&[2, 2, 2]), expected);
        let expected = "\
tensor([[[[0],
          [1]]],


        [[[2],
          [3]]]])";
        assert_eq!(range(&[2, 1, 2, 1]), expected);
    }

    #[test]
    fn long_rows_take_several_lines() {
        let expected = "\
tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,
        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])";
        assert_eq!(range(&[30]), expected);
        let halves: Vec<f32> = (0..26).map(|number| number as f32 / 2.0).collect();
        let expected = "\
tensor([[ 0.0000,  0.5000,  1.0000,  1.5000,  2.0000,  2.5000,  3.0000,  3.5000,
          4.0000,  4.5000,  5.0000,  5.5000,  6.0000],
        [ 6.5000,  7.0000,  7.5000,  8.0000,  8.5000,  9.0000,  9.5000, 10.0000,
         10.5000, 11.0000, 11.5000, 12.0000, 12.5000]])";
        assert_eq!(print(&[2, 13], &halves), expected);
    }

    #[test]
    fn large_tensors_show_their_corners() {
        assert!(!range(&[1000]).contains("..."));
        assert_eq!(range(&[1001]), "tensor([   0,    1,    2,  ...,  998,  999, 1000])");
        let expected = "\
tensor([[   0,    1,    2,    3,    4],
        [   5,    6,    7,    8,    9],
        [  10,   11,   12,   13,   14],
        ...,
        [4985, 4986, 4987, 4988, 4989],
        [4990, 4991, 4992, 4993, 4994],
        [4995, 4996, 4997, 4998, 4999]])";
        assert_eq!(range(&[1000, 5]), expected);
    }

    #[test]
    fn only_what_is_shown_decides_the_notation() {
        let mut values = vec![0.0_f32; 2000];
        values[500] = -1e9;
        values[1999] = 0.5;
        let expected = "tensor([0.0000, 0.0000, 0.0000,  ..., 0.0000, 0.0000, 0.5000])";
        assert_eq!(vector(&values), expected);
    }

    #[test]
    fn suffixes_go_to_the_next_line_when_the_last_is_full() {
        let print = |count: usize, suffixes: &[&str]| {
            print_with(Options::default(), &[count], &vec![0.0_f32; count], suffixes)
        };
        let zeros = |count: usize| ["0."].repeat(count).join(", ");
        let line = format!("tensor([{}], requires_grad=True)", zeros(12));
        assert_eq!(print(12, &["requires_grad=True"]), line);
        let lines = format!("tensor([{}],\n       requires_grad=True)", zeros(13));
        assert_eq!(print(13, &["requires_grad=True"]), lines);

        let both = print_with(Options::default(), &[12], &[0.0; 12], &["requires_grad=True"]);
        let lines = "dtype=gt.float64,\n       requires_grad=True)";
        assert_eq!(both, format!("tensor([{}], {lines}", zeros(12)));
    }

    #[test]
    fn options_change_digits_lines_and_exponents() {
        let values = [1.0_f32, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let narrow = Options { precision: 2, line_width: 40, ..Options::default() };
        let expected = "\
tensor([[1.00e+00, 2.50e+00, 3.00e+00,
         4.00e+00],
        [5.00e+00, 6.00e+00, 7.00e+00,
         8.00e+00]])";
        let scientific = Options { sci_mode: Some(true), ..narrow };
        assert_eq!(print_with(scientific, &[2, 4], &values, &[]), expected);
        let plain = Options { sci_mode: Some(false), ..Options::default() };
        let expected = "tensor([         0.0000,          1.5000, 2000000000.0000])";
        assert_eq!(print_with(plain, &[3], &[1e-7_f32, 1.5, 2e9], &[]), expected);
    }

    #[test]
    fn corners_can_be_smaller_or_absent() {
        let edge = |edge_items| Options { threshold: 5, edge_items, ..Options::default() };
        let expected = "\
tensor([[[ 0,  ...,  2],
         ...,
         [ 6,  ...,  8]],

        ...,

        [[18,  ..., 20],
         ...,
         [24,  ..., 26]]])";
        assert_eq!(range_with(edge(1), &[3, 3, 3]), expected);
        assert_eq!(range_with(edge(0), &[3, 3, 3]), "tensor([...], size=(3, 3, 3))");
        assert_eq!(range_with(edge(0), &[2]), "tensor([0, 1], size=(2,))");
    }
}
