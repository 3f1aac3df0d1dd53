//! Python's arguments as inputs and attributes, as an operation's row describes them.

use gt::attrs::{AttrKind, AttrSpec, Attrs};
use gt::op::{Op, Variant, View};
use gt::{Input, ops};
use pyo3::exceptions::{PyNotImplementedError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyTuple};
use smallvec::SmallVec;

use crate::attr::attr_of;
use crate::error::to_python;
use crate::handle::view_in_place;
use crate::kind::{kind_of, loose};
use crate::limits::{Form, clamp_by_tensors};
use crate::operand::Operand;
use crate::results::deliver;
use crate::tensor::Tensor;
use crate::{device, provenance, random};

/// Keywords with a second name: NumPy's and the seeds' beside PyTorch's.
const ALIASES: [(&str, &str); 8] = [
    ("axis", "dim"),
    ("axes", "dims"),
    ("keepdims", "keepdim"),
    ("size", "shape"),
    ("self", "input"),
    ("value", "src"),
    ("unbiased", "correction"),
    ("ddof", "correction"),
];

/// Keywords that have no effect, because a session has one device.
const IGNORED: [&str; 3] = ["layout", "pin_memory", "memory_format"];

/// The limits of this one may be tensors, which a row's attributes are not.
static CLAMP: &Op = &ops::builtin::CLAMP;

fn row(code: u16) -> &'static Op {
    ops::by_code(code).expect("the generated code names rows of the table")
}

/// What a word means with these arguments: the row itself, or the one that takes more.
fn meant(
    op: &'static Op,
    positions: usize,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<&'static Op> {
    let Some(Variant { parameter, op: other }) = op.python.variant else { return Ok(op) };
    if positions > op.inputs.len() + op.attrs.len() {
        return Ok(other);
    }
    let Some(kwargs) = kwargs else { return Ok(op) };
    let alias = ALIASES.iter().find(|(_, name)| *name == parameter);
    let named = kwargs.get_item(parameter)?;
    let given = named.is_some_and(|value| !(value.is_none() && is_input(other, parameter)));
    let given = given || alias.map_or(Ok(false), |(alias, _)| kwargs.contains(alias))?;
    Ok(if given { other } else { op })
}

/// `tensor.relu()` and others that take nothing else.
pub fn unary(code: u16, slf: &Bound<'_, Tensor>) -> PyResult<Tensor> {
    provenance::mark(slf.py());
    let result = slf.borrow().0.apply_one(row(code), &[], Attrs::none());
    result.map(Tensor).map_err(to_python)
}

/// `tensor + other`
pub fn binary<'py>(
    code: u16,
    slf: &Bound<'py, Tensor>,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = slf.py();
    let Some(other) = Operand::beside(row(code), given)? else {
        return Ok(py.NotImplemented().into_bound(py));
    };
    provenance::mark(py);
    let tensor = slf.borrow();
    let result = match other.beside_array(&tensor.0, given)? {
        Some([own, array]) => own.apply_one(row(code), &[(&array).into()], Attrs::none()),
        None => tensor.0.apply_one(row(code), &[other.input()], Attrs::none()),
    };
    Ok(Bound::new(py, Tensor(result.map_err(to_python)?))?.into_any())
}

/// `other + tensor`
pub fn reflected<'py>(
    code: u16,
    slf: &Bound<'py, Tensor>,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = slf.py();
    let Some(other) = Operand::beside(row(code), other)? else {
        return Ok(py.NotImplemented().into_bound(py));
    };
    provenance::mark(py);
    let tensor = slf.borrow();
    let inputs = [other.input(), Input::Tensor(&tensor.0)];
    let results = tensor.0.session().apply(row(code), &inputs, Attrs::none());
    first(py, results.map_err(to_python)?)
}

/// `tensor += other`
pub fn in_place(code: u16, slf: &Bound<'_, Tensor>, other: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(other) = Operand::beside(row(code), other)? else {
        let (name, kind) = (row(code).name, kind_of(other));
        return Err(PyTypeError::new_err(format!("{name}_: cannot use a {kind}")));
    };
    provenance::mark(slf.py());
    let result = slf.borrow().0.apply_in_place(row(code), &[other.input()], Attrs::none());
    result.map_err(to_python)
}

/// `tensor.sum(dim=0)`
pub fn method<'py>(
    code: u16,
    slf: &Bound<'py, Tensor>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let op = meant(row(code), 1 + args.len(), kwargs)?;
    if op == CLAMP
        && let Some(clamped) = clamp_by_tensors(slf, args, kwargs, Form::Value)?
    {
        return Ok(clamped);
    }
    let call = Arguments::bind(op, Some(slf), args, kwargs)?;
    provenance::mark(slf.py());
    let others: SmallVec<[Input; 3]> = call.inputs[1..].iter().map(Operand::input).collect();
    let apply = || slf.borrow().0.apply(op, &others, call.attrs);
    let results = random::with(call.extras.generator.as_ref(), apply);
    deliver(slf.py(), op, results.map_err(to_python)?, call.extras.out.as_ref())
}

/// `tensor.add_(other)`
pub fn method_in_place<'py>(
    code: u16,
    slf: &Bound<'py, Tensor>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let op = meant(row(code), 1 + args.len(), kwargs)?;
    if op == CLAMP
        && let Some(clamped) = clamp_by_tensors(slf, args, kwargs, Form::InPlace)?
    {
        return Ok(clamped);
    }
    let call = Arguments::bind(op, Some(slf), args, kwargs)?;
    if !matches!(op.view, View::No) {
        // The tensor is given another value, so that nothing else may hold it.
        drop(call.inputs);
        view_in_place(slf, op, call.attrs)?;
        return Ok(slf.clone().into_any());
    }
    provenance::mark(slf.py());
    let others: SmallVec<[Input; 3]> = call.inputs[1..].iter().map(Operand::input).collect();
    let apply = || slf.borrow().0.apply_in_place(op, &others, call.attrs);
    random::with(call.extras.generator.as_ref(), apply).map_err(to_python)?;
    Ok(slf.clone().into_any())
}

/// `gt.cat(tensors, dim=0)`
pub fn function<'py>(
    op: &'static Op,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = args.py();
    let op = meant(op, args.len(), kwargs)?;
    if op == CLAMP
        && let Ok(first) = args.get_item(0)
        && let Ok(tensor) = first.cast::<Tensor>()
        && let Some(clamped) =
            clamp_by_tensors(tensor, &args.get_slice(1, args.len()), kwargs, Form::Value)?
    {
        return Ok(clamped);
    }
    let call = Arguments::bind(op, None, args, kwargs)?;
    provenance::mark(py);
    let inputs: SmallVec<[Input; 3]> = call.inputs.iter().map(Operand::input).collect();
    let tensor = call.inputs.iter().find_map(|input| match input {
        Operand::Tensor(tensor) => Some(tensor),
        Operand::Scalar(_) => None,
    });
    let apply = || match (&call.inputs[..], tensor) {
        ([Operand::Tensor(first), ..], _) => first.0.apply(op, &inputs[1..], call.attrs),
        (_, Some(tensor)) => tensor.0.session().apply(op, &inputs, call.attrs),
        (_, None) => gt::session().and_then(|session| session.apply(op, &inputs, call.attrs)),
    };
    let results = random::with(call.extras.generator.as_ref(), apply).map_err(to_python)?;
    if call.extras.requires_grad {
        results.iter().try_for_each(|result| result.set_requires_grad(true)).map_err(to_python)?;
    }
    deliver(py, op, results, call.extras.out.as_ref())
}

fn first(py: Python<'_>, results: SmallVec<[gt::Tensor; 1]>) -> PyResult<Bound<'_, PyAny>> {
    let result = results.into_iter().next().expect("every operation has a result");
    Ok(Bound::new(py, Tensor(result))?.into_any())
}

/// The inputs and attributes of a call.
struct Arguments<'py> {
    inputs: SmallVec<[Operand<'py>; 3]>,
    attrs: Attrs,
    extras: Extras<'py>,
}

/// What a call may be given that no row describes.
#[derive(Default)]
struct Extras<'py> {
    /// What the results are to be written into.
    out: Option<Bound<'py, PyAny>>,
    /// Whether the result of a function that creates a tensor is to have a gradient.
    requires_grad: bool,
    /// Where the random numbers come from, if not from the session.
    generator: Option<gt::Generator>,
}

/// A parameter of a row, and what was given for it.
struct Slot<'py> {
    name: &'static str,
    spec: Option<&'static AttrSpec>,
    given: Option<Bound<'py, PyAny>>,
}

impl<'py> Arguments<'py> {
    fn bind(
        op: &'static Op,
        receiver: Option<&Bound<'py, Tensor>>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let mut slots = slots(op);
        if let Some(receiver) = receiver {
            let first = slots.iter_mut().find(|slot| slot.spec.is_none());
            first.expect("a method has an input").given = Some(receiver.clone().into_any());
        }
        fill_positions(op, &mut slots, args)?;
        let extras = fill_keywords(op, &mut slots, kwargs)?;
        let mut inputs = SmallVec::new();
        for slot in slots.iter().filter(|slot| slot.spec.is_none()) {
            push_inputs(op, slot, &mut inputs)?;
        }
        let attr = |spec: &'static AttrSpec| {
            let slot = slots.iter().find(|slot| slot.name == spec.name);
            attr_of(op, spec, slot.and_then(|slot| slot.given.as_ref()))
        };
        let attrs = Attrs(op.attrs.iter().map(attr).collect::<PyResult<_>>()?);
        Ok(Arguments { inputs, attrs, extras })
    }
}

/// The parameters in the order in which they may be given without a name.
fn slots<'py>(op: &'static Op) -> SmallVec<[Slot<'py>; 6]> {
    let inputs = op.inputs.iter().map(|input| (input.name, None));
    let attrs = op.attrs.iter().filter(|spec| spec.kind.is_public());
    let all = inputs.chain(attrs.map(|spec| (spec.name, Some(spec))));
    let mut slots: SmallVec<[Slot; 6]> =
        all.map(|(name, spec)| Slot { name, spec, given: None }).collect();
    let order = op.python.order;
    slots.sort_by_key(|slot| {
        order.iter().position(|name| *name == slot.name).unwrap_or(order.len())
    });
    slots
}

fn fill_positions<'py>(
    op: &Op,
    slots: &mut [Slot<'py>],
    args: &Bound<'py, PyTuple>,
) -> PyResult<()> {
    let mut args = args.iter().peekable();
    let last = slots.len().saturating_sub(1);
    let open = slots.iter_mut().enumerate().filter(|(_, slot)| slot.given.is_none());
    for (index, slot) in open {
        if args.peek().is_some_and(|argument| is_no_axis(slot, argument)) {
            continue;
        }
        let Some(argument) = args.next() else { return Ok(()) };
        if op.variadic && index == last && slot.spec.is_none() && argument.cast::<Tensor>().is_ok()
        {
            // Tensors that come last may be given one after another: `einsum("ij,jk", a, b)`.
            let list = PyList::new(argument.py(), [argument])?;
            args.by_ref().try_for_each(|next| list.append(next))?;
            slot.given = Some(list.into_any());
            continue;
        }
        if op.variadic && slot.spec.is_none() && argument.cast::<Tensor>().is_ok() {
            return Err(loose(op, slot.name));
        }
        let spreads =
            slot.spec.is_some_and(|spec| matches!(spec.kind, AttrKind::Sizes | AttrKind::Axes));
        if !spreads || !is_whole(&argument) {
            slot.given = Some(argument);
            continue;
        }
        // Sizes and axes may be given one after another: `reshape(2, -1)`.
        let list = PyList::new(argument.py(), [argument])?;
        while let Some(next) = args.next_if(is_whole) {
            list.append(next)?;
        }
        slot.given = Some(list.into_any());
    }
    match args.next() {
        None => Ok(()),
        Some(_) => Err(PyTypeError::new_err(format!("{}: too many arguments", op.name))),
    }
}

/// Whether a truth stands where an axis may: `var(False)` leaves the axes out.
fn is_no_axis(slot: &Slot<'_>, argument: &Bound<'_, PyAny>) -> bool {
    let axes = slot.spec.is_some_and(|spec| spec.kind == AttrKind::Axes && spec.default.is_some());
    axes && argument.cast::<PyBool>().is_ok()
}

fn is_whole(value: &Bound<'_, PyAny>) -> bool {
    value.cast::<PyInt>().is_ok() && value.cast::<PyBool>().is_err()
}

fn fill_keywords<'py>(
    op: &Op,
    slots: &mut [Slot<'py>],
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Extras<'py>> {
    let mut extras = Extras::default();
    for (key, value) in kwargs.into_iter().flatten() {
        let key: String = key.extract()?;
        let alias = ALIASES.iter().find(|(alias, _)| *alias == key);
        let name = alias.map_or(key.as_str(), |(_, name)| name);
        let slot = slots.iter_mut().find(|slot| slot.name == name || slot.name == key);
        match slot {
            Some(slot) if slot.given.is_some() => {
                return Err(PyTypeError::new_err(format!("{}: '{key}' is given twice", op.name)));
            }
            Some(slot) => slot.given = Some(value),
            None if IGNORED.contains(&name) => {}
            None if value.is_none() && op.python.variant.is_some_and(|v| is_input(v.op, name)) => {}
            // NumPy gives it to every method that it calls.
            None if name == "dtype" && value.is_none() => {}
            None if name == "device" => device::check(Some(&value))?,
            None if name == "generator" && is_random(op) => {
                extras.generator = random::parse(&value)?;
            }
            None if name == "out" => extras.out = Some(value).filter(|value| !value.is_none()),
            None if name == "requires_grad" && op.inputs.is_empty() => {
                extras.requires_grad = value.is_truthy()?;
            }
            None if name == "requires_grad" => {
                return Err(PyNotImplementedError::new_err(format!(
                    "{}: '{key}' is not supported yet",
                    op.name
                )));
            }
            None => {
                let message = format!("{}: there is no argument called '{key}'", op.name);
                return Err(PyTypeError::new_err(message));
            }
        }
    }
    Ok(extras)
}

/// Whether a parameter is a tensor, which nothing given in its place leaves out.
fn is_input(op: &Op, parameter: &str) -> bool {
    op.inputs.iter().any(|input| input.name == parameter)
}

fn is_random(op: &Op) -> bool {
    op.attrs.iter().any(|spec| spec.kind == AttrKind::RngIndex)
}

fn push_inputs<'py>(
    op: &Op,
    slot: &Slot<'py>,
    inputs: &mut SmallVec<[Operand<'py>; 3]>,
) -> PyResult<()> {
    let wrong = |value: &Bound<'py, PyAny>| {
        let (name, slot) = (op.name, slot.name);
        let kind = kind_of(value);
        PyTypeError::new_err(format!("{name}: '{slot}' must be a tensor or a number, not {kind}"))
    };
    let Some(given) = &slot.given else {
        let (name, slot) = (op.name, slot.name);
        return Err(PyTypeError::new_err(format!("{name}: '{slot}' is missing")));
    };
    if !op.variadic {
        inputs.push(Operand::from(given)?.ok_or_else(|| wrong(given))?);
        return Ok(());
    }
    for item in given.try_iter().map_err(|_| wrong(given))? {
        let item = item?;
        inputs.push(Operand::from(&item)?.ok_or_else(|| wrong(&item))?);
    }
    Ok(())
}
