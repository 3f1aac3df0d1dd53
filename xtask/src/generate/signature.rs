//! A row's parameters in the order in which a program gives them.

use gt_core::attrs::AttrSpec;
use gt_core::op::{Input, Op};

/// One parameter of a call.
pub enum Parameter {
    /// An input.
    Input(&'static Input),
    /// An attribute.
    Attr(&'static AttrSpec),
}

impl Parameter {
    /// What a program calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Parameter::Input(input) => input.name,
            Parameter::Attr(spec) => spec.name,
        }
    }
}

/// What the row that the same word stands for takes beyond the row's own parameters.
pub fn further(op: &'static Op) -> Vec<Parameter> {
    let own: Vec<&str> = parameters(op).iter().map(Parameter::name).collect();
    let other = op.python.variant.map(|variant| parameters(variant.op)).unwrap_or_default();
    other.into_iter().filter(|parameter| !own.contains(&parameter.name())).collect()
}

/// The parameters a user can give: as the row orders them, or inputs first.
pub fn parameters(op: &'static Op) -> Vec<Parameter> {
    let inputs = op.inputs.iter().map(Parameter::Input);
    let attrs = op.attrs.iter().filter(|spec| spec.kind.is_public()).map(Parameter::Attr);
    let mut parameters: Vec<Parameter> = inputs.chain(attrs).collect();
    let order = op.python.order;
    parameters.sort_by_key(|parameter| {
        order.iter().position(|name| *name == parameter.name()).unwrap_or(order.len())
    });
    parameters
}
