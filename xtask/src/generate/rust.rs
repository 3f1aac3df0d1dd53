//! The methods of `Tensor`, for Rust programs and for Python.

use std::fmt::Write;

use gt_core::attrs::{Attr, AttrKind, AttrSpec};
use gt_core::op::Op;
use gt_core::ops;

use super::example::{Form as Called, example};
use super::python::text_signature;

const HEADER: &str = "from the op table by `cargo xtask generate`; not edited by hand.\n\n";

/// `crates/gt/src/generated.rs`: a trait with a method for each row, and functions that create.
pub fn native() -> String {
    let mut text = format!("//! Every operation as a method or function, made {HEADER}");
    text.push_str(
        "use gt_client::{Input, Tensor};\nuse gt_core::attrs::Attr;\n\
         use gt_core::{DType, Result, Scalar, ops};\n\n\
         use crate::create::{apply, apply_all};\n\n\
         fn row(code: u16) -> &'static gt_core::op::Op {\n    \
         ops::by_code(code).expect(\"the table has this row\")\n}\n\n\
         fn ints(values: &[i64]) -> Attr {\n    \
         Attr::Ints(values.iter().copied().collect())\n}\n\n",
    );
    text.push_str("/// The operations on a tensor.\npub trait Ops {\n");
    let methods = || ops::ALL.iter().filter(|op| op.python.method && !op.variadic);
    for op in methods() {
        native_forms(op).for_each(|form| native_fn(&mut text, op, form, Body::Declared));
    }
    text.push_str("}\n\nimpl Ops for Tensor {\n");
    for op in methods() {
        native_forms(op).for_each(|form| native_fn(&mut text, op, form, Body::Method));
    }
    text.push_str("}\n");
    for op in ops::ALL.iter().filter(|op| op.python.function && op.inputs.is_empty()) {
        native_forms(op).for_each(|form| native_fn(&mut text, op, form, Body::Function));
    }
    text
}

/// With the attributes that must be given, or with all.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Short,
    Full,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    Declared,
    Method,
    Function,
}

fn public_attrs(op: &'static Op) -> impl Iterator<Item = &'static AttrSpec> {
    op.attrs.iter().filter(|spec| spec.kind.is_public())
}

fn native_forms(op: &'static Op) -> impl Iterator<Item = Form> {
    let optional = public_attrs(op).any(|spec| spec.default.is_some());
    [Form::Short].into_iter().chain(optional.then_some(Form::Full))
}

fn native_fn(text: &mut String, op: &'static Op, form: Form, body: Body) {
    let indent = if body == Body::Function { "" } else { "    " };
    let given = |spec: &AttrSpec| form == Form::Full || spec.default.is_none();
    let mut arguments = Vec::new();
    let mut inputs = Vec::new();
    for (index, input) in op.inputs.iter().enumerate() {
        if index == 0 && body != Body::Function {
            arguments.push(if op.inputs.len() > 1 { "&'a self" } else { "&self" }.to_string());
            inputs.push("Input::Tensor(self)".to_string());
        } else {
            arguments.push(format!("{}: impl Into<Input<'a>>", input.name));
            inputs.push(format!("{}.into()", input.name));
        }
    }
    let shown: Vec<_> = public_attrs(op).filter(|spec| given(spec)).collect();
    arguments.extend(shown.iter().map(|spec| format!("{}: {}", spec.name, native_type(spec))));
    let suffix = if form == Form::Full { "_with" } else { "" };
    let several = op.outputs.len() > 1;
    let result = if several { "Result<Vec<Tensor>>" } else { "Result<Tensor>" };
    let lifetime = if op.inputs.len() > 1 { "<'a>" } else { "" };
    let public = if body == Body::Function { "\npub " } else { "" };
    if body != Body::Method {
        let more = if form == Form::Full { " All attributes are given." } else { "" };
        let _ = writeln!(
            text,
            "{}{indent}/// {}{more}",
            if public.is_empty() { "" } else { "\n" },
            op.doc
        );
    }
    let public = public.trim_start_matches('\n');
    let name = format!("{}{suffix}", op.name);
    let _ =
        write!(text, "{indent}{public}fn {name}{lifetime}({}) -> {result}", arguments.join(", "));
    if body == Body::Declared {
        text.push_str(";\n");
        return;
    }
    // Attributes are positional, so that those before a given one need their defaults too.
    let attrs = op.attrs.iter().map(|spec| {
        if spec.kind.is_public() && given(spec) { native_value(spec) } else { "None".to_string() }
    });
    let attrs: Vec<String> = attrs.collect();
    let apply = if several { "apply_all" } else { "apply" };
    let (inputs, attrs) = (inputs.join(", "), attrs.join(", "));
    let _ = writeln!(
        text,
        " {{\n{indent}    {apply}(row({}), &[{inputs}], &[{attrs}])\n{indent}}}",
        op.code
    );
}

fn native_type(spec: &AttrSpec) -> &'static str {
    match spec.kind {
        AttrKind::Bool => "bool",
        AttrKind::Int | AttrKind::Axis => "i64",
        AttrKind::Float | AttrKind::Order => "f64",
        AttrKind::Number => "impl Into<Scalar>",
        AttrKind::Axes | AttrKind::Sizes | AttrKind::Spatial => "&[i64]",
        AttrKind::DType if spec.default == Some(Attr::None) => "Option<DType>",
        AttrKind::DType => "DType",
        AttrKind::Text => "&str",
        AttrKind::Ranges | AttrKind::Seed | AttrKind::RngIndex | AttrKind::Region => {
            unreachable!("not public")
        }
    }
}

fn native_value(spec: &AttrSpec) -> String {
    let name = spec.name;
    match spec.kind {
        AttrKind::Axes | AttrKind::Sizes | AttrKind::Spatial => format!("Some(ints({name}))"),
        AttrKind::Number => format!("Some(Attr::from({name}.into()))"),
        AttrKind::DType if spec.default == Some(Attr::None) => format!("{name}.map(Attr::from)"),
        AttrKind::Float | AttrKind::Order => format!("Some(Attr::Float({name}))"),
        AttrKind::Text => format!("Some(Attr::Text({name}.into()))"),
        _ => format!("Some(Attr::from({name}))"),
    }
}

/// `crates/gt-py/src/generated.rs`: the methods and operators of Python's `Tensor`.
pub fn bindings() -> String {
    let mut text = format!("//! The methods and operators of `Tensor`, made {HEADER}");
    text.push_str(
        "use pyo3::prelude::*;\nuse pyo3::types::{PyDict, PyTuple};\n\n\
         use crate::call::{binary, in_place, method, method_in_place, reflected, unary};\n\
         use crate::tensor::Tensor;\n\n#[pymethods]\nimpl Tensor {\n",
    );
    for op in ops::ALL.iter().copied() {
        for name in op.names() {
            if op.python.method && !op.variadic {
                method_binding(&mut text, op, name, "");
            }
            if op.python.in_place {
                method_binding(&mut text, op, name, "_");
            }
        }
        if let Some(word) = op.python.operator {
            operator_bindings(&mut text, op, word);
        }
    }
    text.push_str("}\n\n");
    function_docs(&mut text);
    text
}

/// What `help()` says of the functions of the module.
fn function_docs(text: &mut String) {
    text.push_str("/// The docstring of each function, by the code of its row.\n");
    text.push_str("pub static FUNCTION_DOCS: &[(u16, &str)] = &[\n");
    for op in ops::ALL.iter().copied().filter(|op| op.python.function) {
        let signature = text_signature(op, false);
        let shown =
            example(op, Called::Function).map_or(String::new(), |lines| format!("\n\n{lines}"));
        let doc = format!("{}{signature}\n--\n\n{}{shown}", op.name, op.doc);
        let _ = writeln!(text, "    ({}, {doc:?}),", op.code);
    }
    text.push_str("];\n");
}

fn method_binding(text: &mut String, op: &'static Op, name: &str, suffix: &str) {
    let code = op.code;
    let alone = op.inputs.len() == 1 && op.attrs.is_empty() && op.python.variant.is_none();
    let plain = alone && suffix.is_empty();
    let what = match (suffix, op.outputs.len()) {
        ("", _) => "",
        (_, 1) => " Writes the result into the tensor.",
        _ => " Writes each result into the input at its place.",
    };
    let signature = text_signature(op, true);
    let called = if suffix.is_empty() { Called::Method } else { Called::InPlace };
    let shown = example(op, called).map_or(String::new(), |lines| format!("\n\n{lines}"));
    let _ = writeln!(text, "    #[doc = {:?}]", format!("{}{what}{shown}", op.doc));
    let _ = writeln!(
        text,
        "    #[pyo3(name = \"{name}{suffix}\", text_signature = \"{signature}\"{})]",
        if plain { "" } else { ", signature = (*args, **kwargs)" }
    );
    if plain {
        let _ = writeln!(
            text,
            "    fn op_{name}(slf: &Bound<'_, Self>) -> PyResult<Tensor> {{\n        \
             unary({code}, slf)\n    }}\n"
        );
        return;
    }
    let (call, rust_name) = if suffix.is_empty() {
        ("method", format!("op_{name}"))
    } else {
        ("method_in_place", format!("op_{name}_in_place"))
    };
    let _ = writeln!(
        text,
        "    fn {rust_name}<'py>(\n        slf: &Bound<'py, Self>,\n        \
         args: &Bound<'py, PyTuple>,\n        kwargs: Option<&Bound<'py, PyDict>>,\n    \
         ) -> PyResult<Bound<'py, PyAny>> {{\n        {call}({code}, slf, args, kwargs)\n    }}\n"
    );
}

fn operator_bindings(text: &mut String, op: &'static Op, word: &str) {
    let code = op.code;
    let modulo = if word == "pow" { ", _modulo: &Bound<'py, PyAny>" } else { "" };
    let mut two = |name: String, call: &str| {
        let _ = writeln!(
            text,
            "    fn {name}<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>{modulo}) \
             -> PyResult<Bound<'py, PyAny>> {{\n        {call}({code}, slf, other)\n    }}\n"
        );
    };
    if op.inputs.len() == 1 {
        let _ = writeln!(
            text,
            "    fn __{word}__(slf: &Bound<'_, Self>) -> PyResult<Tensor> {{\n        \
             unary({code}, slf)\n    }}\n"
        );
        return;
    }
    two(format!("__{word}__"), "binary");
    if matches!(word, "eq" | "ne" | "lt" | "le" | "gt" | "ge") {
        return;
    }
    two(format!("__r{word}__"), "reflected");
    if op.python.in_place {
        let _ = writeln!(
            text,
            "    fn __i{word}__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>{modulo}) \
             -> PyResult<()> {{\n        in_place({code}, slf, other)\n    }}\n"
        );
    }
}
