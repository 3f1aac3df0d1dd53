//! Which dtype an operation computes in. PyTorch's promotion: tensors with axes decide before
//! tensors without, and those before numbers written in the program.

use crate::attrs::{Attr, AttrKind};
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::op::{Arg, Call, Role};
use crate::ops::keys;

/// How an operation chooses the dtype it computes in.
#[derive(Clone, Copy, Debug)]
pub enum Promotion {
    /// The dtype its operands have in common.
    Common,
    /// The same, where integers and booleans become float32.
    Float,
    /// The same, where integers and booleans become int64, as sums do. An attribute `dtype` wins.
    Accumulate,
    /// The attribute `dtype`, or the common one.
    Attr,
    /// The dtype its operands have in common with the numbers among its attributes.
    WithNumbers,
    /// The common dtype, where booleans become int64.
    Whole,
    /// The attribute `dtype`, or int64.
    AttrOrInt64,
    /// What the row makes of the common one.
    By(fn(&Call, DType) -> DType),
}

/// The dtype this call computes in, after checking what its inputs may be.
pub fn promote(call: &Call) -> Result<DType> {
    check_roles(call)?;
    let common = common_of(call);
    let asked = if call.has(keys::DTYPE) { call.dtype(keys::DTYPE) } else { None };
    let dtype = match call.op.promotion {
        Promotion::Common => common,
        Promotion::WithNumbers => with_numbers(call, common),
        Promotion::Whole if common == DType::Bool => DType::I64,
        Promotion::Whole => common,
        Promotion::Float if common.kind() < Kind::Float => DType::F32,
        Promotion::Float => common,
        Promotion::Accumulate if asked.is_none() && common.kind() < Kind::Float => DType::I64,
        Promotion::Accumulate | Promotion::Attr => asked.unwrap_or(common),
        Promotion::AttrOrInt64 => asked.unwrap_or(DType::I64),
        Promotion::By(decide) => decide(call, common),
    };
    if dtype.is_supported() {
        return Ok(dtype);
    }
    Err(Error::type_(format!("{dtype} is not supported yet")))
}

fn check_roles(call: &Call) -> Result<()> {
    for (index, input) in call.inputs.iter().enumerate() {
        let dtype = input.dtype();
        // The only input of a variadic row stands for any number.
        let name = call.op.input(index).name;
        match call.role(index) {
            Role::Operand | Role::Any => {}
            Role::Index if dtype.is_int() => {}
            Role::Index => {
                return Err(Error::runtime(format!("'{name}' must be integers, not {dtype}")));
            }
            Role::Mask if dtype == DType::Bool => {}
            Role::Mask => {
                return Err(Error::runtime(format!("'{name}' must be bool, not {dtype}")));
            }
        }
    }
    Ok(())
}

fn common_of(call: &Call) -> DType {
    if let Some(dtype) = only_dtype(call) {
        return dtype;
    }
    let operands = || {
        let inputs = call.inputs.iter().enumerate();
        inputs.filter(|&(index, _)| call.role(index) == Role::Operand).map(|(_, input)| *input)
    };
    let mut tiers = [None; 3];
    for input in operands() {
        let tier = match input {
            Arg::Tensor(meta) if meta.shape.rank() > 0 => 0,
            Arg::Tensor(_) => 1,
            Arg::Scalar(_) => 2,
        };
        let dtype = input.dtype();
        tiers[tier] = Some(tiers[tier].map_or(dtype, |other| common(dtype, other)));
    }
    // A weaker tier counts only if its kind is stronger than that of all tiers before it.
    let stronger = |decided: Option<DType>, tier: Option<DType>| match (decided, tier) {
        (Some(a), Some(b)) if b.kind() > a.kind() => Some(default_of(a, b)),
        (Some(a), _) => Some(a),
        (None, tier) => tier,
    };
    let decided = stronger(stronger(tiers[0], tiers[1]), tiers[2]);
    decided.or_else(|| call.inputs.first().map(Arg::dtype)).unwrap_or_else(|| of_numbers(call))
}

/// The dtype of all inputs, if they are tensors with the same one: nothing to decide.
fn only_dtype(call: &Call) -> Option<DType> {
    let (first, others) = call.inputs.split_first()?;
    let Arg::Tensor(meta) = first else { return None };
    let same = |other: &Arg| matches!(other, Arg::Tensor(other) if other.dtype == meta.dtype);
    others.iter().all(same).then_some(meta.dtype)
}

/// A number decides only if its kind is stronger.
fn with_numbers(call: &Call, decided: DType) -> DType {
    let numbers = call.op.attrs.iter().zip(&call.attrs.0);
    let numbers = numbers.filter_map(|(spec, value)| match (spec.kind, value) {
        (AttrKind::Number, Attr::Int(_)) => Some(DType::I64),
        (AttrKind::Number, Attr::Float(_)) => Some(DType::F32),
        _ => None,
    });
    numbers
        .fold(decided, |decided, dtype| if dtype.kind() > decided.kind() { dtype } else { decided })
}

/// Without inputs, the numbers among the attributes decide: `full` of an integer is int64.
fn of_numbers(call: &Call) -> DType {
    let numbers = call.op.attrs.iter().zip(&call.attrs.0);
    let numbers = numbers.filter_map(|(spec, value)| match (spec.kind, value) {
        (AttrKind::Number, Attr::Bool(_)) => Some(DType::Bool),
        (AttrKind::Number, Attr::Int(_)) => Some(DType::I64),
        (AttrKind::Number, _) => Some(DType::F32),
        _ => None,
    });
    numbers.max_by_key(|dtype| dtype.kind()).unwrap_or(DType::F32)
}

/// What becomes of `decided` when something weaker but of a stronger kind joins it.
fn default_of(decided: DType, joining: DType) -> DType {
    match (decided.kind(), joining.kind()) {
        (Kind::Float, Kind::Complex) if decided == DType::F64 => DType::C128,
        _ => joining,
    }
}

/// The dtype two tensors have in common.
pub fn common(a: DType, b: DType) -> DType {
    use DType::*;
    if a == b {
        return a;
    }
    let (weak, strong) = if (a.kind(), a.size()) <= (b.kind(), b.size()) { (a, b) } else { (b, a) };
    match (weak.kind(), strong.kind()) {
        (Kind::Int, Kind::Int) => common_int(weak, strong),
        (Kind::Float, Kind::Float) if weak.size() == strong.size() => F32,
        (Kind::Float, Kind::Complex) if weak == F64 => C128,
        _ => strong,
    }
}

/// Integers of which one may have no sign.
fn common_int(weak: DType, strong: DType) -> DType {
    use DType::*;
    let unsigned = |dtype| matches!(dtype, U8 | U16 | U32 | U64);
    if unsigned(weak) == unsigned(strong) || (unsigned(weak) && weak.size() < strong.size()) {
        return strong;
    }
    // A signed type must hold all of the unsigned one: the next size up, as far as there is one.
    match strong.size() {
        1 => I16,
        2 => I32,
        _ => I64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_promote_as_in_pytorch() {
        use DType::*;
        let cases = [
            (U8, I8, I16),
            (U8, I16, I16),
            (I32, I64, I64),
            (F16, BF16, F32),
            (I64, F16, F16),
            (Bool, U8, U8),
            (F32, F64, F64),
            (Bool, BF16, BF16),
        ];
        for (a, b, expected) in cases {
            assert_eq!(common(a, b), expected, "{a} with {b}");
            assert_eq!(common(b, a), expected, "{b} with {a}");
        }
    }
}
