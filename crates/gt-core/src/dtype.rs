//! The element types of tensors, and Python's scalars.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

macro_rules! dtypes {
    ($($variant:ident $code:literal $name:literal $bytes:literal $kind:ident;)*) => {
        /// The type of a tensor's elements. Codes are stable on the wire and never reused.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum DType { $(#[doc = concat!("`", $name, "`")] $variant = $code,)* }

        impl DType {
            /// All of them, in the order of their codes.
            pub const ALL: &'static [DType] = &[$(DType::$variant),*];

            /// The name PyTorch and NumPy give it.
            pub const fn name(self) -> &'static str {
                match self { $(DType::$variant => $name,)* }
            }

            /// How many bytes one element takes.
            #[inline]
            pub const fn size(self) -> usize {
                match self { $(DType::$variant => $bytes,)* }
            }

            /// Which kind of number it is.
            pub const fn kind(self) -> Kind {
                match self { $(DType::$variant => Kind::$kind,)* }
            }

            /// The dtype with this code, if there is one.
            pub const fn from_code(code: u8) -> Option<DType> {
                match code { $($code => Some(DType::$variant),)* _ => None }
            }
        }
    };
}

dtypes! {
    Bool 0 "bool" 1 Bool;
    U8 1 "uint8" 1 Int;
    I8 2 "int8" 1 Int;
    I16 3 "int16" 2 Int;
    I32 4 "int32" 4 Int;
    I64 5 "int64" 8 Int;
    F16 6 "float16" 2 Float;
    BF16 7 "bfloat16" 2 Float;
    F32 8 "float32" 4 Float;
    F64 9 "float64" 8 Float;
    U16 10 "uint16" 2 Int;
    U32 11 "uint32" 4 Int;
    U64 12 "uint64" 8 Int;
    C64 13 "complex64" 8 Complex;
    C128 14 "complex128" 16 Complex;
}

/// The kinds of numbers, from the weakest in promotion to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// True or false.
    Bool,
    /// Whole numbers.
    Int,
    /// Floating point numbers.
    Float,
    /// Complex numbers.
    Complex,
}

impl DType {
    /// The dtypes every operation and engine supports in full.
    pub const SUPPORTED: [DType; 10] = [
        DType::Bool,
        DType::U8,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
    ];

    /// Whether every operation and engine supports it.
    pub const fn is_supported(self) -> bool {
        self.code() <= DType::F64.code()
    }

    /// The number that stands for it on the wire.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Whether gradients can flow through values of this dtype.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float | Kind::Complex)
    }

    /// Whether values of this dtype can name positions.
    pub const fn is_int(self) -> bool {
        matches!(self.kind(), Kind::Int)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DType {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let canonical = match name {
            "float" => "float32",
            "half" => "float16",
            "double" => "float64",
            "int" => "int32",
            "long" => "int64",
            "short" => "int16",
            other => other,
        };
        let found = DType::ALL.iter().find(|dtype| dtype.name() == canonical);
        found.copied().ok_or_else(|| Error::type_(format!("there is no dtype called '{name}'")))
    }
}

impl Serialize for DType {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.code())
    }
}

impl<'de> Deserialize<'de> for DType {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        let code = u8::deserialize(d)?;
        DType::from_code(code)
            .ok_or_else(|| serde::de::Error::custom(format_args!("no dtype has the code {code}")))
    }
}

/// A number written in the program, as opposed to a tensor: it adapts to the tensors beside it.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Scalar {
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating point number.
    Float(f64),
}

impl Scalar {
    /// The dtype it has when no tensor decides.
    pub const fn dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(_) => DType::I64,
            Scalar::Float(_) => DType::F32,
        }
    }

    /// Its value as a floating point number.
    pub const fn as_f64(self) -> f64 {
        match self {
            Scalar::Bool(value) => value as u8 as f64,
            Scalar::Int(value) => value as f64,
            Scalar::Float(value) => value,
        }
    }

    /// Whether `dtype` has it, if a fraction is cut off. Whole numbers below zero are counted from
    /// the end of an unsigned dtype; booleans and floating point numbers take everything.
    pub fn fits(self, dtype: DType) -> bool {
        if !dtype.is_int() {
            return true;
        }
        let bits = 8 * dtype.size() as i32;
        let unsigned = matches!(dtype, DType::U8 | DType::U16 | DType::U32 | DType::U64);
        let above = 2f64.powi(if unsigned { bits } else { bits - 1 });
        match self {
            Scalar::Bool(_) => true,
            // Exact for whole numbers: each has more bits than the limits but for those of 64.
            Scalar::Int(value) if bits < 64 => {
                let low = if unsigned { 1.0 - above } else { -above };
                (low..above).contains(&(value as f64))
            }
            Scalar::Int(_) => true,
            Scalar::Float(value) => {
                let low = if unsigned { 0.0 } else { -above };
                (low..above).contains(&value)
            }
        }
    }

    /// Its value as a whole number; floats are cut towards zero.
    pub const fn as_i64(self) -> i64 {
        match self {
            Scalar::Bool(value) => value as i64,
            Scalar::Int(value) => value,
            Scalar::Float(value) => value as i64,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(value) => write!(f, "{value}"),
            Scalar::Int(value) => write!(f, "{value}"),
            // Debug keeps the point in `2.0`, which tells a float from an integer when read back.
            Scalar::Float(value) => write!(f, "{value:?}"),
        }
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Scalar {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Ok(value) = text.parse() {
            return Ok(Scalar::Bool(value));
        }
        if let Ok(value) = text.parse() {
            return Ok(Scalar::Int(value));
        }
        let value = text.parse().map_err(|_| Error::value(format!("'{text}' is not a number")))?;
        Ok(Scalar::Float(value))
    }
}

impl From<f64> for Scalar {
    fn from(value: f64) -> Self {
        Scalar::Float(value)
    }
}

impl From<i64> for Scalar {
    fn from(value: i64) -> Self {
        Scalar::Int(value)
    }
}

impl From<i32> for Scalar {
    fn from(value: i32) -> Self {
        Scalar::Int(value.into())
    }
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Self {
        Scalar::Bool(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_lead_back_to_the_dtype() {
        for &dtype in DType::ALL {
            assert_eq!(DType::from_code(dtype.code()), Some(dtype));
            assert_eq!(dtype.name().parse::<DType>(), Ok(dtype));
        }
        assert_eq!(DType::from_code(200), None);
    }

    #[test]
    fn the_supported_dtypes_have_the_first_codes() {
        for dtype in DType::ALL {
            assert_eq!(dtype.is_supported(), DType::SUPPORTED.contains(dtype), "{dtype}");
        }
    }

    #[test]
    fn a_dtype_has_the_numbers_between_its_limits() {
        let fits = |value: Scalar, dtype| value.fits(dtype);
        assert!(fits(255.into(), DType::U8) && fits((-255).into(), DType::U8));
        assert!(!fits(256.into(), DType::U8) && !fits((-256).into(), DType::U8));
        assert!(!fits((-2.5).into(), DType::U8) && fits(255.0.into(), DType::U8));
        assert!(fits((-128).into(), DType::I8) && !fits(128.into(), DType::I8));
        assert!(!fits(i64::from(i32::MAX).wrapping_add(1).into(), DType::I32));
        assert!(fits(i64::MIN.into(), DType::I64) && !fits(1e30.into(), DType::I64));
        assert!(!fits(f64::NAN.into(), DType::I64) && fits(f64::NAN.into(), DType::F16));
    }

    #[test]
    fn scalars_read_back_as_what_they_were() {
        for scalar in [Scalar::Bool(true), Scalar::Int(-3), Scalar::Float(2.0), 1e300.into()] {
            assert_eq!(scalar.to_string().parse::<Scalar>(), Ok(scalar));
        }
    }
}
