//! One element as text, and the notation and width that elements shown together share.

use gt_core::dtype::DType;
use half::{bf16, f16};

use super::Options;

/// An element, wide enough to hold any dtype without loss.
#[derive(Clone, Copy)]
pub(super) enum Number {
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex { real: f64, imag: f64 },
}

impl Number {
    /// The element at `index` of the little-endian bytes of a tensor.
    pub(super) fn read(dtype: DType, elements: &[u8], index: usize) -> Self {
        fn at<const SIZE: usize>(elements: &[u8], index: usize) -> [u8; SIZE] {
            elements.as_chunks().0[index]
        }
        match dtype {
            DType::Bool => Number::Bool(elements[index] != 0),
            DType::U8 => Number::Int(elements[index].into()),
            DType::I8 => Number::Int(i8::from_le_bytes(at(elements, index)).into()),
            DType::I16 => Number::Int(i16::from_le_bytes(at(elements, index)).into()),
            DType::I32 => Number::Int(i32::from_le_bytes(at(elements, index)).into()),
            DType::I64 => Number::Int(i64::from_le_bytes(at(elements, index)).into()),
            DType::U16 => Number::Int(u16::from_le_bytes(at(elements, index)).into()),
            DType::U32 => Number::Int(u32::from_le_bytes(at(elements, index)).into()),
            DType::U64 => Number::Int(u64::from_le_bytes(at(elements, index)).into()),
            DType::F16 => Number::Float(f16::from_le_bytes(at(elements, index)).into()),
            DType::BF16 => Number::Float(bf16::from_le_bytes(at(elements, index)).into()),
            DType::F32 => Number::Float(f32::from_le_bytes(at(elements, index)).into()),
            DType::F64 => Number::Float(f64::from_le_bytes(at(elements, index))),
            DType::C64 => Number::Complex {
                real: f32::from_le_bytes(at(elements, 2 * index)).into(),
                imag: f32::from_le_bytes(at(elements, 2 * index + 1)).into(),
            },
            DType::C128 => Number::Complex {
                real: f64::from_le_bytes(at(elements, 2 * index)),
                imag: f64::from_le_bytes(at(elements, 2 * index + 1)),
            },
        }
    }

    /// The floating point numbers it is made of: none, one, or the real and the imaginary part.
    fn parts(self) -> (Option<f64>, Option<f64>) {
        match self {
            Number::Bool(_) | Number::Int(_) => (None, None),
            Number::Float(value) => (Some(value), None),
            Number::Complex { real, imag } => (Some(real), Some(imag)),
        }
    }
}

/// Elements as text, and the width of the column they stand in.
pub(super) struct Column {
    /// One for each element, padded on the left.
    pub(super) texts: Vec<String>,
    /// What a line counts for each element. Some are longer: see [`Format::of`].
    pub(super) width: usize,
}

impl Column {
    /// Writes numbers that are all of one dtype.
    pub(super) fn write(numbers: &[Number], options: &Options) -> Self {
        let parts = || numbers.iter().map(|number| number.parts());
        let reals = Format::of(parts().filter_map(|(real, _)| real), options);
        let imags = Format::of(parts().filter_map(|(_, imag)| imag), options);
        let texts = numbers.iter().map(|&number| match number {
            Number::Bool(true) => "True".to_owned(),
            Number::Bool(false) => "False".to_owned(),
            Number::Int(value) => value.to_string(),
            Number::Float(value) => reals.padded(value),
            Number::Complex { real, imag } => {
                let imag = imags.text(imag);
                let sign = if imag.starts_with('-') { "" } else { "+" };
                format!("{}{sign}{imag}j", reals.padded(real))
            }
        });
        let mut texts: Vec<String> = texts.collect();
        let width = match numbers.first() {
            None => 0,
            Some(Number::Float(_)) => reals.width,
            Some(Number::Complex { .. }) => reals.width + imags.width + 1,
            Some(Number::Bool(_) | Number::Int(_)) => align(&mut texts),
        };
        Column { texts, width }
    }
}

/// Pads texts to the longest of them, whose length it gives.
fn align(texts: &mut [String]) -> usize {
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    for text in texts {
        *text = format!("{text:>width$}");
    }
    width
}

/// How floating point numbers that are shown together are written.
struct Format {
    notation: Notation,
    precision: usize,
    width: usize,
}

#[derive(Clone, Copy)]
enum Notation {
    /// `12.`
    Whole,
    /// `12.5000`
    Fixed,
    /// `1.2500e+01`
    Scientific,
}

impl Format {
    /// The format that suits all of `values`.
    fn of(values: impl Iterator<Item = f64> + Clone, options: &Options) -> Self {
        let precision = options.precision;
        // Zero suits every notation. What is not finite is written the same in all of them, and
        // PyTorch lets it stick out of the column rather than widen the column.
        let values = values.filter(|value| value.is_finite() && *value != 0.0);
        let notation = Notation::of(values.clone(), options.sci_mode);
        let narrow = Format { notation, precision, width: 1 };
        let widths = values.map(|value| narrow.text(value).len());
        Format { width: widths.max().unwrap_or(1), ..narrow }
    }

    fn padded(&self, value: f64) -> String {
        format!("{:>width$}", self.text(value), width = self.width)
    }

    fn text(&self, value: f64) -> String {
        let precision = self.precision;
        match self.notation {
            _ if value.is_nan() => "nan".to_owned(),
            _ if value.is_infinite() => value.to_string(),
            Notation::Whole => format!("{value:.0}."),
            Notation::Fixed => format!("{value:.precision$}"),
            Notation::Scientific => scientific(value, precision),
        }
    }
}

impl Notation {
    /// The notation for values that are finite and not zero, unless `sci_mode` decides.
    fn of(values: impl Iterator<Item = f64> + Clone, sci_mode: Option<bool>) -> Self {
        let smallest = values.clone().map(f64::abs).reduce(f64::min);
        let largest = values.clone().map(f64::abs).reduce(f64::max);
        let (Some(smallest), Some(largest)) = (smallest, largest) else {
            return Notation::Whole;
        };
        let whole = values.clone().all(|value| value.fract() == 0.0);
        let is_extreme = largest / smallest > 1000.0 || largest > 1e8 || smallest < 1e-4;
        match (sci_mode.unwrap_or(is_extreme), whole) {
            (true, _) => Notation::Scientific,
            (false, true) => Notation::Whole,
            (false, false) => Notation::Fixed,
        }
    }
}

/// `1.2500e+01`: as in C and Python, the exponent has a sign and at least two digits.
fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').expect("Rust writes an exponent");
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}
