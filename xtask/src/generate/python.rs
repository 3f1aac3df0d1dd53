//! The stub that tells editors and type checkers what `gt._gt` offers.

use std::fmt::Write;

use gt_core::attrs::{Attr, AttrKind};
use gt_core::op::Op;
use gt_core::ops;

use super::signature::{Parameter, further, parameters};

/// What is written by hand in gt-py, and so not in the table.
const BY_HAND: &str = include_str!("by_hand.pyi");

/// `python/gt/_gt.pyi`
pub fn stub() -> String {
    let mut text = String::from(
        "\"\"\"The Rust part of GT. Made from the op table by `cargo xtask generate`.\"\"\"\n\n",
    );
    let (head, tail) = BY_HAND.split_once("    # operations\n").expect("the mark is there");
    text.push_str(head);
    for op in ops::ALL.iter().copied() {
        for name in op.names() {
            if op.python.method && !op.variadic {
                function(&mut text, op, Some("self"), name);
            }
            if op.python.in_place {
                function(&mut text, op, Some("self"), &format!("{name}_"));
            }
        }
        if let Some(word) = op.python.operator {
            operators(&mut text, op, word);
        }
    }
    text.push_str(tail);
    for op in ops::ALL.iter().filter(|op| op.outputs.len() > 1) {
        let _ = writeln!(text, "\nclass _{}_result(NamedTuple):", op.name);
        for output in op.outputs {
            let _ = writeln!(text, "    {}: Tensor", output.name);
        }
    }
    text.push('\n');
    for op in ops::ALL.iter().filter(|op| op.python.function) {
        op.names().for_each(|name| function(&mut text, op, None, name));
    }
    text
}

fn operators(text: &mut String, op: &'static Op, word: &str) {
    if op.inputs.len() == 1 {
        let _ = writeln!(text, "    def __{word}__(self) -> Tensor: ...");
        return;
    }
    let comparison = matches!(word, "eq" | "ne" | "lt" | "le" | "gt" | "ge");
    let ignore = if matches!(word, "eq" | "ne") { "  # type: ignore[override]" } else { "" };
    let _ = writeln!(text, "    def __{word}__(self, other: Operand) -> Tensor: ...{ignore}");
    if comparison {
        return;
    }
    let _ = writeln!(text, "    def __r{word}__(self, other: Number) -> Tensor: ...");
    if op.python.in_place {
        let _ = writeln!(text, "    def __i{word}__(self, other: Operand) -> Tensor: ...");
    }
}

fn function(text: &mut String, op: &'static Op, receiver: Option<&str>, name: &str) {
    let indent = if receiver.is_some() { "    " } else { "" };
    let mut arguments: Vec<String> = receiver.into_iter().map(String::from).collect();
    let skipped = usize::from(receiver.is_some());
    let mut listed = parameters(op);
    if skipped == 1 {
        let first = listed.iter().position(|parameter| matches!(parameter, Parameter::Input(_)));
        listed.remove(first.expect("a method has an input"));
    }
    let spread = matches!(&listed[..], [Parameter::Attr(spec), ..]
        if matches!(spec.kind, AttrKind::Sizes | AttrKind::Axes));
    for (index, parameter) in listed.iter().enumerate() {
        if spread && index == 0 {
            arguments.push(format!("*{}: builtins.int | Sequence[builtins.int]", parameter.name()));
            continue;
        }
        arguments.push(argument(op, parameter));
    }
    if spread && listed[0].name() == "dim" {
        arguments.retain(|argument| !argument.starts_with("*dim"));
        let after_self = usize::from(receiver.is_some());
        arguments.insert(
            after_self,
            "dim: builtins.int | Sequence[builtins.int] | None = ...".to_string(),
        );
    }
    for parameter in further(op) {
        arguments.push(match argument(op, &parameter) {
            given if given.ends_with("...") => given,
            needed => format!("{needed} = ..."),
        });
    }
    if op.inputs.is_empty() {
        // What every function that creates a tensor takes by name.
        let star = (!spread).then_some("*").into_iter();
        let more = ["device: DeviceLike | None = ...", "requires_grad: builtins.bool = ..."];
        arguments.extend(star.chain(more).map(String::from));
    }
    let several = op.python.variant.is_some_and(|variant| variant.op.outputs.len() > 1);
    let result = match op.outputs.len() {
        // What is written into is returned.
        2.. if name.ends_with('_') => "Tensor".to_string(),
        1 if several => "Any".to_string(),
        1 => "Tensor".to_string(),
        _ => format!("_{}_result", op.name),
    };
    let arguments = arguments.join(", ");
    let _ = writeln!(text, "{indent}def {name}({arguments}) -> {result}: ...");
}

fn argument(op: &Op, parameter: &Parameter) -> String {
    let spec = match parameter {
        Parameter::Input(input) if op.variadic => {
            return format!("{}: Sequence[Tensor]", input.name);
        }
        Parameter::Input(input) => return format!("{}: Operand", input.name),
        Parameter::Attr(spec) => spec,
    };
    let kind = match spec.kind {
        AttrKind::Bool => "builtins.bool",
        AttrKind::Int | AttrKind::Axis => "builtins.int",
        AttrKind::Float => "builtins.float",
        AttrKind::Order => "builtins.float | str",
        AttrKind::Number => "Number",
        AttrKind::Axes | AttrKind::Sizes | AttrKind::Spatial => {
            "builtins.int | Sequence[builtins.int]"
        }
        AttrKind::DType => "DTypeLike",
        _ => "str",
    };
    let optional = matches!(spec.default, Some(Attr::None));
    let none = if optional { " | None" } else { "" };
    let default = if spec.default.is_some() { " = ..." } else { "" };
    format!("{}: {kind}{none}{default}", spec.name)
}

/// The signature that `help()` shows.
pub fn text_signature(op: &'static Op, method: bool) -> String {
    let mut listed = parameters(op);
    let mut names = Vec::new();
    if method {
        let first = listed.iter().position(|parameter| matches!(parameter, Parameter::Input(_)));
        listed.remove(first.expect("a method has an input"));
        names.push("$self".to_string());
    }
    names.extend(listed.iter().map(|parameter| match parameter {
        Parameter::Attr(spec) if spec.default.is_some() => {
            format!("{}={}", spec.name, python_value(spec.default.as_ref()))
        }
        other => other.name().to_string(),
    }));
    names.extend(further(op).iter().map(|parameter| format!("{}=None", parameter.name())));
    format!("({})", names.join(", "))
}

fn python_value(value: Option<&Attr>) -> String {
    match value {
        Some(Attr::Bool(value)) => if *value { "True" } else { "False" }.to_string(),
        Some(Attr::Ints(values)) if values.is_empty() => "None".to_string(),
        Some(Attr::None) | None => "None".to_string(),
        Some(other) => other.to_string(),
    }
}
