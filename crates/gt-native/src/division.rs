//! Whole numbers are not divided by zero: divisors are looked through before anything is written.

use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::kernel::BinaryFn;
use gt_core::shape::Meta;
use gt_worker::engine::Operand;
use gt_worker::value::{Element, Value};

use super::elementwise::element;
use super::number::Number;
use super::simd::vectorized;
use super::{Native, movement};

/// Fails if a whole number would be divided by zero.
pub fn check(native: &Native, function: BinaryFn, [a, b]: &[Operand; 2], out: &Meta) -> Result<()> {
    if !function.divides() || out.shape.count() == 0 {
        return Ok(());
    }
    let zero = match (a, b) {
        (_, Operand::Tensor(b)) => has_zero(native, b)?,
        (Operand::Tensor(a), Operand::Scalar(b)) => {
            a.dtype().is_int() && element(*b, a.dtype()) == [0; 8]
        }
        (Operand::Scalar(_), Operand::Scalar(b)) => {
            out.dtype.is_int() && element(*b, out.dtype) == [0; 8]
        }
    };
    if zero { Err(Error::runtime("integer division by zero")) } else { Ok(()) }
}

fn has_zero(native: &Native, divisor: &Value) -> Result<bool> {
    if !divisor.dtype().is_int() {
        return Ok(false);
    }
    let divisor = movement::contiguous(native, divisor)?;
    Ok(match divisor.dtype() {
        DType::U8 => zero_within::<u8>(&divisor),
        DType::I8 => zero_within::<i8>(&divisor),
        DType::I16 => zero_within::<i16>(&divisor),
        DType::I32 => zero_within::<i32>(&divisor),
        DType::I64 => zero_within::<i64>(&divisor),
        dtype => return Err(Error::bug(format!("there is no division in {dtype}"))),
    })
}

fn zero_within<T: Number + Element>(divisor: &Value) -> bool {
    divisor.slice::<T>().is_some_and(|numbers| numbers.chunks(4096).any(any_zero::<T>))
}

vectorized! {
    fn any_zero<T: Number>(numbers: &[T]) -> bool {
        numbers.iter().fold(false, |found, &number| found | (number == T::ZERO))
    }
}
