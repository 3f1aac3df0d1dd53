//! `einsum`: sums of products, written with a letter for each index.

use smallvec::SmallVec;

use crate::attrs::{Attr, AttrSpec};
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::Kernel;
use crate::op::{Autocast, Call, Input as In, Linear, Op, Python, Role, Sample};
use crate::ops::elementwise::unary::cast;
use crate::ops::family::COMPOSITE;
use crate::ops::shape::axes::reshape;
use crate::ops::shape::repeat::expand;
use crate::ops::{codes, keys};
use crate::placement::Combine;
use crate::rules::promote::{Promotion, promote};
use crate::rules::shard::{Factors, gather_first};
use crate::shape::Shape;
use contract::{Operand, contract, put_on_diagonals};

mod contract;

static OPERANDS: [In; 1] = [In { name: "operands", role: Role::Operand }];
static EQUATION: [AttrSpec; 1] = [keys::EQUATION.required()];

pub static EINSUM: Op = Op {
    name: "einsum",
    code: codes::EINSUM,
    doc: "The sums of products that an equation such as \"ij,jk->ik\" describes.",
    inputs: &OPERANDS,
    variadic: true,
    attrs: &EQUATION,
    // With one operand this is a sum, which accumulates like `sum`; products keep their dtype.
    promotion: Promotion::By(|call, common| match call.inputs.len() == 1 && sums(call) {
        true if common.kind() < Kind::Float => DType::I64,
        _ => common,
    }),
    shape: |call| {
        let bools = call.inputs.iter().all(|input| input.dtype() == DType::Bool);
        if bools && call.inputs.len() > 1 && sums(call) {
            return Err(Error::runtime("bool tensors have no products; cast one of them first"));
        }
        let equation = Equation::of(call)?;
        Ok([equation.output.iter().map(|&label| equation.size(label)).collect()].into())
    },
    grad: Some(|call| match Equation::of(call) {
        Ok(equation) => (0..call.inputs.len()).map(|index| equation.grad(call, index)).collect(),
        Err(_) => Vec::new(),
    }),
    linear: Linear::Each(&[0]),
    shard: |call| Equation::of(call).map_or_else(|_| gather_first(call), |e| e.factors(call)),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| match Equation::of(call) {
        Ok(equation) => {
            let operands = (0..call.inputs.len()).map(|index| equation.operand(call, index));
            vec![contract(operands.collect(), &equation.output)]
        }
        Err(_) => Vec::new(),
    }),
    autocast: Autocast::Lower,
    torch: "torch.einsum",
    python: Python { order: &["equation", "operands"], ..Python::FUNCTION },
    samples: || {
        let of = |equation: &str, shapes: &[&[usize]]| {
            Sample::of(shapes).attrs([Attr::Text(equation.into())])
        };
        vec![
            of("ij,jk->ik", &[&[2, 3], &[3, 4]]),
            of("ij,jk", &[&[2, 3], &[3, 4]]),
            of("bij,bjk->bki", &[&[2, 3, 4], &[2, 4, 2]]),
            of("ii->i", &[&[3, 3]]),
            of("ii", &[&[3, 3]]),
            of("ij->", &[&[2, 3]]),
            of("ij->ji", &[&[2, 3]]),
            of("ij->ij", &[&[2, 3]]),
            of("i,j->ij", &[&[2], &[3]]),
            of("i,i->i", &[&[3], &[3]]),
            of("...ij,...jk->...ik", &[&[2, 3, 4], &[4, 2]]),
            of("b...,b...->b", &[&[2, 3, 2], &[2, 3, 2]]),
            of("ij,jk,kl->il", &[&[2, 3], &[3, 2], &[2, 4]]),
            of("ij,k->i", &[&[2, 3], &[4]]),
            of("ij,ij->i", &[&[2, 3], &[2, 1]]),
            of("iij,j->ij", &[&[2, 2, 3], &[3]]),
            of("i,i,i->", &[&[3], &[3], &[3]]),
        ]
    },
    ..COMPOSITE
};

/// Whether an index of the operands is summed over.
fn sums(call: &Call) -> bool {
    Equation::read(call).is_ok_and(|(inputs, output, _)| {
        inputs.iter().flatten().any(|label| !output.contains(label))
    })
}

/// An index: letters count from zero, axes under an ellipsis from [`ELLIPSIS`], the last axis
/// first.
type Label = u8;
type Labels = SmallVec<[Label; 4]>;

const ELLIPSIS: Label = 52;

/// A parsed equation.
struct Equation {
    inputs: Vec<Labels>,
    output: Labels,
    sizes: Sizes,
    dtype: DType,
}

/// The size of each index.
type Sizes = Vec<(Label, usize)>;

impl Equation {
    fn of(call: &Call) -> Result<Self> {
        let (inputs, output, sizes) = Equation::read(call)?;
        Ok(Equation { inputs, output, sizes, dtype: promote(call)? })
    }

    /// The indices of operands and result, and their sizes.
    fn read(call: &Call) -> Result<(Vec<Labels>, Labels, Sizes)> {
        let Some(text) = call.text(keys::EQUATION) else {
            return Err(Error::runtime("the equation is missing"));
        };
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (left, right) = match text.split_once("->") {
            Some((left, right)) => (left, Some(right)),
            None => (&*text, None),
        };
        let terms: Vec<&str> = left.split(',').collect();
        if terms.len() != call.inputs.len() {
            return Err(Error::runtime(format!(
                "the equation has {} terms for {} operands",
                terms.len(),
                call.inputs.len()
            )));
        }
        let mut inputs = Vec::new();
        for (term, input) in terms.iter().zip(call.inputs) {
            inputs.push(labels(term, Some(input.shape().rank()))?);
        }
        let sizes = sizes(call, &inputs)?;
        let hidden = sizes.iter().filter(|(label, _)| *label >= ELLIPSIS).count();
        let output = match right {
            Some(right) => explicit(right, hidden)?,
            None => implied(&inputs, hidden),
        };
        let unknown = output.iter().find(|label| sizes.iter().all(|(known, _)| known != *label));
        if unknown.is_some() {
            return Err(Error::runtime("the result has an index that no operand has"));
        }
        Ok((inputs, output, sizes))
    }

    fn size(&self, label: Label) -> usize {
        let known = self.sizes.iter().find(|(known, _)| *known == label);
        known.map_or(1, |&(_, size)| size)
    }

    /// An input, with each index once and without the axes that are broadcast.
    fn operand(&self, call: &Call, index: usize) -> Operand {
        let (shape, labels) = (call.shape(index).clone(), self.inputs[index].clone());
        let mut operand = Operand { expr: Input(index), shape, labels, dtype: self.dtype };
        operand.take_diagonals();
        let broadcast = |operand: &Operand, axis: usize| {
            operand.shape[axis] == 1 && self.size(operand.labels[axis]) != 1
        };
        let kept: Vec<usize> =
            (0..operand.labels.len()).filter(|&axis| !broadcast(&operand, axis)).collect();
        if kept.len() < operand.labels.len() {
            operand.shape = operand.shape.permuted(&kept);
            operand.labels = kept.iter().map(|&axis| operand.labels[axis]).collect();
            operand.expr = reshape(operand.expr, &operand.shape);
        }
        operand
    }

    /// The gradient of one operand: the same contraction with the gradient of the result in its
    /// place, expanded along indices that no other operand has, and put on diagonals.
    fn grad(&self, call: &Call, index: usize) -> Expr {
        let result: Shape = self.output.iter().map(|&label| self.size(label)).collect();
        let mut operands = vec![Operand {
            expr: Grad(0),
            shape: result,
            labels: self.output.clone(),
            dtype: self.dtype,
        }];
        let others = (0..call.inputs.len()).filter(|&other| other != index);
        // The gradient has the dtype of the result, which may differ from that of an input.
        operands.extend(others.map(|other| {
            let operand = self.operand(call, other);
            let alike = call.inputs[other].dtype() == self.dtype;
            let expr = if alike { operand.expr } else { cast(operand.expr, self.dtype) };
            Operand { expr, ..operand }
        }));
        let mut own = Labels::new();
        for &label in &self.inputs[index] {
            if !own.contains(&label) {
                own.push(label);
            }
        }
        let known = |label: &Label| operands.iter().any(|operand| operand.labels.contains(label));
        let found: Labels = own.iter().copied().filter(|label| known(label)).collect();
        let with_ones = own.iter().map(|label| if known(label) { self.size(*label) } else { 1 });
        let with_ones: Shape = with_ones.collect();
        let whole: Shape = own.iter().map(|&label| self.size(label)).collect();
        let grad = expand(reshape(contract(operands, &found), &with_ones), &whole);
        put_on_diagonals(grad, own, &self.inputs[index], whole, call.inputs[index].dtype())
    }

    /// An index may be cut unless it runs along a diagonal; a cut sum gives partial sums.
    fn factors(&self, call: &Call) -> Factors {
        let once = |label: Label| {
            let count = |labels: &Labels| labels.iter().filter(|&&other| other == label).count();
            self.inputs.iter().all(|labels| count(labels) <= 1)
        };
        let axes = |index: usize| {
            let axes = self.inputs[index].iter().zip(call.shape(index).iter());
            axes.map(|(&label, &size)| (once(label) && size == self.size(label)).then_some(label))
        };
        let summed = self.sizes.iter().map(|&(label, _)| label);
        let summed = summed.filter(|&label| once(label) && !self.output.contains(&label));
        let inputs = (0..call.inputs.len()).map(|index| axes(index).collect()).collect();
        let output = self.output.iter().map(|&label| once(label).then_some(label)).collect();
        let summed = summed.map(|label| (label, Combine::Sum));
        Factors::of(call, inputs, vec![output]).combining(summed)
    }
}

/// The indices of a term; an ellipsis covers the remaining axes of the tensor.
fn labels(term: &str, rank: Option<usize>) -> Result<Labels> {
    let wrong = || Error::runtime(format!("'{term}' does not fit a tensor of {rank:?} axes"));
    let (before, after) = match term.split_once("...") {
        Some((before, after)) => (before, Some(after)),
        None => (term, None),
    };
    let mut labels = Labels::new();
    for letter in before.chars() {
        labels.push(number(letter)?);
    }
    if let Some(after) = after {
        let named = before.len() + after.len();
        let hidden = rank.ok_or_else(wrong)?.checked_sub(named).ok_or_else(wrong)?;
        labels.extend((0..hidden as Label).rev().map(|place| ELLIPSIS + place));
        for letter in after.chars() {
            labels.push(number(letter)?);
        }
    }
    if rank.is_some_and(|rank| rank != labels.len()) {
        return Err(wrong());
    }
    Ok(labels)
}

fn number(letter: char) -> Result<Label> {
    match letter {
        'A'..='Z' => Ok(letter as u8 - b'A'),
        'a'..='z' => Ok(letter as u8 - b'a' + 26),
        _ => Err(Error::runtime(format!("'{letter}' is not an index; use letters"))),
    }
}

/// The indices of a result that the equation gives.
fn explicit(right: &str, hidden: usize) -> Result<Labels> {
    let rank = if right.contains("...") { right.len() - 3 + hidden } else { right.len() };
    let output = labels(right, Some(rank))?;
    let twice = (1..output.len()).find(|&at| output[..at].contains(&output[at]));
    match twice {
        Some(_) => Err(Error::runtime("an index appears twice in the result")),
        None => Ok(output),
    }
}

/// The indices of a result that the equation omits: the axes under an ellipsis, then the letters
/// that appear once, in alphabetical order.
fn implied(inputs: &[Labels], hidden: usize) -> Labels {
    let count = |label: Label| inputs.iter().flatten().filter(|&&other| other == label).count();
    let ellipsis = (0..hidden as Label).rev().map(|place| ELLIPSIS + place);
    ellipsis.chain((0..ELLIPSIS).filter(|&label| count(label) == 1)).collect()
}

/// The size of each index; an axis of one element fits any.
fn sizes(call: &Call, inputs: &[Labels]) -> Result<Sizes> {
    let mut sizes: Sizes = Vec::new();
    for (index, labels) in inputs.iter().enumerate() {
        for (axis, &label) in labels.iter().enumerate() {
            let size = call.shape(index)[axis];
            let again = labels[..axis].iter().position(|&other| other == label);
            if again.is_some_and(|other| call.shape(index)[other] != size) {
                return Err(Error::runtime("an index repeats along axes of different sizes"));
            }
            match sizes.iter_mut().find(|(known, _)| *known == label) {
                Some((_, known)) if *known == 1 => *known = size,
                Some((_, known)) if *known != size && size != 1 => {
                    return Err(Error::runtime(format!(
                        "operand {index} has size {size} where another has {known}"
                    )));
                }
                Some(_) => {}
                None => sizes.push((label, size)),
            }
        }
    }
    Ok(sizes)
}
