//! Tensors from Rust values, and back.

use gt_client::{Element, Input, Nested, Tensor};
use gt_core::attrs::{Attr, AttrKind, AttrSpec, Attrs};
use gt_core::op::Op;
use gt_core::{Error, Meta, Result, Shape};

/// A tensor with these elements.
pub fn tensor<T: Nested>(elements: &T) -> Result<Tensor> {
    let (mut sizes, mut bytes) = (Vec::new(), Vec::new());
    elements.shape(&mut sizes);
    elements.write(&mut bytes);
    let shape: Shape = sizes.into_iter().collect();
    crate::session()?.upload(Meta { dtype: T::Element::DTYPE, shape }, bytes.into())
}

/// The one result of `op`; see [`apply_all`].
pub fn apply(op: &'static Op, inputs: &[Input], given: &[Option<Attr>]) -> Result<Tensor> {
    let results = apply_all(op, inputs, given)?;
    results.into_iter().next().ok_or_else(|| Error::bug(format!("{} has no result", op.name)))
}

/// `op` of these inputs, in their session or, without inputs, in the default one. Attributes that
/// are not given have their defaults.
pub fn apply_all(op: &'static Op, inputs: &[Input], given: &[Option<Attr>]) -> Result<Vec<Tensor>> {
    let attr = |(index, spec): (usize, &AttrSpec)| match given.get(index) {
        Some(Some(value)) => Ok(value.clone()),
        // The session fills these in.
        _ if matches!(spec.kind, AttrKind::Seed | AttrKind::RngIndex) => Ok(Attr::Int(0)),
        _ => spec
            .default
            .clone()
            .ok_or_else(|| Error::type_(format!("{}: '{}' is missing", op.name, spec.name))),
    };
    let attrs = Attrs(op.attrs.iter().enumerate().map(attr).collect::<Result<_>>()?);
    let results = match inputs {
        [Input::Tensor(first), others @ ..] => first.apply(op, others, attrs)?,
        _ => {
            let tensor = inputs.iter().find_map(|input| match input {
                Input::Tensor(tensor) => Some(tensor.session().clone()),
                Input::Scalar(_) => None,
            });
            tensor.map_or_else(crate::session, Ok)?.apply(op, inputs, attrs)?
        }
    };
    Ok(results.into_vec())
}
