//! The precision of formulas. A formula of halves computes in float32 and rounds once, where its
//! result is stored. The casts are part of the formula, so that an operation has the same bits
//! whether it is computed in one piece, expanded, sharded or fused.

mod part;

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::attrs::{Attr, Attrs};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Applied, Expr, Term};
use crate::op::Call;
use crate::ops::builtin::CAST;
use crate::shape::Meta;
use part::{Part, cast_inputs, classify, term, with_call};

/// What halves are computed in.
const WIDE: DType = DType::F32;

type Metas = SmallVec<[Meta; 2]>;

/// The formulas of an expansion, of a call whose operands were cast to the dtype it computes in.
pub fn expansion(call: &Call, formulas: Vec<Expr>) -> Vec<Expr> {
    if !involves_halves(call) {
        return formulas;
    }
    // A call that is wrong is reported where it is inferred.
    let Ok(inferred) = call.infer() else { return formulas };
    if !is_half(inferred.compute) {
        return formulas;
    }
    let leaves = Leaves { inputs: cast_inputs(call, inferred.compute), outputs: Metas::new() };
    rewrite(&leaves, &formulas).unwrap_or(formulas)
}

/// The formulas of the gradients of a call.
pub fn gradients(call: &Call, formulas: Vec<Expr>) -> Vec<Expr> {
    let is_formula = |expr: &Expr| matches!(expr, Expr::Apply(..));
    if !involves_halves(call) || !formulas.iter().any(is_formula) {
        return formulas;
    }
    let Ok(inferred) = call.infer() else { return formulas };
    // Halves beside wider numbers are combined with these in the formula's own steps.
    if !is_half(inferred.compute) {
        return formulas;
    }
    let inputs = call.inputs.iter().map(term).collect();
    let leaves = Leaves { inputs, outputs: inferred.outputs.into_iter().collect() };
    rewrite(&leaves, &formulas).unwrap_or(formulas)
}

fn involves_halves(call: &Call) -> bool {
    call.inputs.iter().any(|input| is_half(input.dtype())) || call.attrs.0.iter().any(is_half_attr)
}

fn is_half_attr(attr: &Attr) -> bool {
    matches!(attr, Attr::DType(dtype) if is_half(*dtype))
}

fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// What a formula is about. A gradient has the shape and the dtype of the result it belongs to.
struct Leaves {
    inputs: SmallVec<[Term<Meta>; 3]>,
    outputs: Metas,
}

/// One operation within a formula.
struct Node<'a> {
    applied: &'a Arc<Applied>,
    part: Part,
    outputs: Metas,
    /// The operations whose results it reads.
    reads: SmallVec<[usize; 3]>,
    /// Whether something computes with its result.
    is_wanted: bool,
    /// Whether arithmetic has a part in its result.
    is_computed: bool,
}

impl Node<'_> {
    fn gives_halves(&self) -> bool {
        self.outputs.iter().any(|meta| is_half(meta.dtype))
    }

    /// Whether its result is not rounded.
    fn is_wide(&self) -> bool {
        self.is_wanted && self.is_computed && self.gives_halves()
    }
}

/// The formulas with casts around what computes in float32.
fn rewrite(leaves: &Leaves, formulas: &[Expr]) -> Result<Vec<Expr>> {
    let mut graph = Graph { leaves, nodes: Vec::new(), places: HashMap::new() };
    for formula in formulas {
        graph.add(formula)?;
    }
    graph.mark();
    if !graph.nodes.iter().any(Node::is_wide) {
        return Ok(formulas.to_vec());
    }
    let mut writer = Writer { graph: &graph, written: Vec::new(), casts: HashMap::new() };
    for index in 0..graph.nodes.len() {
        let results = writer.write(index)?;
        writer.written.push(results);
    }
    Ok(formulas.iter().map(|formula| writer.stored(formula)).collect())
}

/// The operations of formulas, each behind those that it reads.
struct Graph<'a> {
    leaves: &'a Leaves,
    nodes: Vec<Node<'a>>,
    places: HashMap<*const Applied, usize>,
}

impl<'a> Graph<'a> {
    fn add(&mut self, expr: &'a Expr) -> Result<()> {
        let Expr::Apply(applied, _) = expr else { return Ok(()) };
        if self.places.contains_key(&Arc::as_ptr(applied)) {
            return Ok(());
        }
        let mut reads = SmallVec::new();
        for input in &applied.inputs {
            self.add(input)?;
            if let Expr::Apply(read, _) = input {
                reads.push(self.places[&Arc::as_ptr(read)]);
            }
        }
        let terms = applied.inputs.iter().map(|input| self.term(input));
        let terms: SmallVec<[Term<Meta>; 3]> = terms.collect::<Result<_>>()?;
        let (part, outputs) = classify(applied.op, &terms, &applied.attrs)?;
        self.places.insert(Arc::as_ptr(applied), self.nodes.len());
        let (is_wanted, is_computed) = (false, false);
        self.nodes.push(Node { applied, part, outputs, reads, is_wanted, is_computed });
        Ok(())
    }

    /// The meta of an operation's input.
    fn term(&self, expr: &Expr) -> Result<Term<Meta>> {
        let leaf = |meta: Option<&Meta>| match meta {
            Some(meta) => Ok(Term::Value(meta.clone())),
            None => Err(Error::bug(format!("{expr} is not there"))),
        };
        match expr {
            Expr::Zero => Ok(Term::Zero),
            Expr::Number(number) => Ok(Term::Scalar(*number)),
            Expr::Grad(index) | Expr::Output(index) => leaf(self.leaves.outputs.get(*index)),
            Expr::Input(index) => {
                let input = self.leaves.inputs.get(*index).cloned();
                input.ok_or_else(|| Error::bug(format!("{expr} is not there")))
            }
            Expr::Apply(applied, result) => {
                let node = &self.nodes[self.places[&Arc::as_ptr(applied)]];
                leaf(node.outputs.get(*result))
            }
        }
    }

    fn mark(&mut self) {
        for index in 0..self.nodes.len() {
            let node = &self.nodes[index];
            let passes_on = |read: &usize| self.nodes[*read].is_computed;
            let is_computed = match node.part {
                Part::Arithmetic => true,
                Part::Selection => node.reads.iter().any(passes_on),
                Part::Stored | Part::Cast => false,
            };
            self.nodes[index].is_computed = is_computed;
        }
        for index in (0..self.nodes.len()).rev() {
            let node = &self.nodes[index];
            let is_float = node.outputs.iter().any(|meta| meta.dtype.is_float());
            let wants = match node.part {
                Part::Arithmetic => true,
                Part::Selection => node.is_wanted,
                // A cast to a wider float is there to compute with it.
                Part::Cast => is_float && !node.gives_halves(),
                Part::Stored => false,
            };
            if wants {
                for read in node.reads.clone() {
                    self.nodes[read].is_wanted = true;
                }
            }
        }
    }

    /// Whether an operation computes in float32.
    fn is_widened(&self, node: &Node) -> bool {
        let reads_wide = || node.reads.iter().any(|&read| self.nodes[read].is_wide());
        node.is_wide() || (node.part == Part::Arithmetic && reads_wide())
    }
}

/// What is cast, and to what.
#[derive(PartialEq, Eq, Hash)]
enum Source {
    Grad(usize),
    Input(usize),
    Output(usize),
    Result(*const Applied, usize),
}

/// Writes formulas anew.
struct Writer<'a> {
    graph: &'a Graph<'a>,
    /// The results of each operation, and their dtypes.
    written: Vec<SmallVec<[(Expr, DType); 1]>>,
    /// Casts that are there already.
    casts: HashMap<(Source, DType), Expr>,
}

impl Writer<'_> {
    fn write(&mut self, index: usize) -> Result<SmallVec<[(Expr, DType); 1]>> {
        let node = &self.graph.nodes[index];
        let (applied, is_widened) = (node.applied, self.graph.is_widened(node));
        let inputs = applied.inputs.iter().map(|input| match (node.part, is_widened) {
            (_, true) => self.widened(input),
            (Part::Cast, _) => self.found(input).map_or(input.clone(), |(expr, _)| expr),
            _ => self.stored(input),
        });
        let inputs: Vec<Expr> = inputs.collect();
        let results = |expr: Expr, metas: &[Meta]| {
            let each = metas.iter().enumerate();
            each.map(|(n, meta)| (expr.clone().result(n), meta.dtype)).collect()
        };
        let is_same = inputs.iter().zip(&applied.inputs).all(|(a, b)| is_same(a, b));
        if is_same {
            return Ok(results(Expr::Apply(applied.clone(), 0), &node.outputs));
        }
        if let (Part::Cast, Some((expr, dtype))) = (node.part, self.found(&applied.inputs[0]))
            && dtype == node.outputs[0].dtype
        {
            return Ok(SmallVec::from_iter([(expr, dtype)]));
        }
        let (op, mut attrs) = (applied.op, applied.attrs.clone());
        if is_widened {
            // Where a formula names a dtype, it is the one that it computes in.
            let halves = attrs.0.iter_mut().filter(|attr| is_half_attr(attr));
            halves.for_each(|attr| *attr = WIDE.into());
        }
        let outputs = match is_widened {
            true => self.infer_wide(applied, &attrs)?,
            false => node.outputs.clone(),
        };
        Ok(results(Expr::Apply(Arc::new(Applied { op, inputs, attrs }), 0), &outputs))
    }

    /// What an operation gives if it is given float32 for halves.
    fn infer_wide(&self, applied: &Applied, attrs: &Attrs) -> Result<Metas> {
        let wide = applied.inputs.iter().map(|input| {
            Ok(match self.graph.term(input)? {
                Term::Value(meta) if is_half(meta.dtype) => {
                    Term::Value(Meta { dtype: WIDE, ..meta })
                }
                other => other,
            })
        });
        let terms: SmallVec<[Term<Meta>; 3]> = wide.collect::<Result<_>>()?;
        with_call(applied.op, &terms, attrs, |call| Ok(call.infer()?.outputs.into_iter().collect()))
    }

    /// What was written for an operation's result, and its dtype.
    fn found(&self, expr: &Expr) -> Option<(Expr, DType)> {
        let Expr::Apply(applied, result) = expr else { return None };
        let place = self.graph.places[&Arc::as_ptr(applied)];
        self.written[place].get(*result).cloned()
    }

    /// A value in float32, if it is a half.
    fn widened(&mut self, expr: &Expr) -> Expr {
        let (written, dtype) = match (self.found(expr), self.graph.term(expr)) {
            (Some(found), _) => found,
            (None, Ok(Term::Value(meta))) => (expr.clone(), meta.dtype),
            _ => return expr.clone(),
        };
        if is_half(dtype) { self.cast(expr, written, WIDE) } else { written }
    }

    /// A value in the dtype that the formula gave it.
    fn stored(&mut self, expr: &Expr) -> Expr {
        match (self.found(expr), self.graph.term(expr)) {
            (Some((written, found)), Ok(Term::Value(meta))) if found != meta.dtype => {
                self.cast(expr, written, meta.dtype)
            }
            (Some((written, _)), _) => written,
            (None, _) => expr.clone(),
        }
    }

    fn cast(&mut self, expr: &Expr, written: Expr, dtype: DType) -> Expr {
        let source = match expr {
            Expr::Grad(index) => Source::Grad(*index),
            Expr::Input(index) => Source::Input(*index),
            Expr::Output(index) => Source::Output(*index),
            Expr::Apply(applied, result) => Source::Result(Arc::as_ptr(applied), *result),
            Expr::Zero | Expr::Number(_) => return written,
        };
        let cast = || Expr::apply(&CAST, [written], [dtype.into()]);
        self.casts.entry((source, dtype)).or_insert_with(cast).clone()
    }
}

fn is_same(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Apply(a, n), Expr::Apply(b, m)) => Arc::ptr_eq(a, b) && n == m,
        // Leaves and numbers stay what they are, unless they are cast.
        (Expr::Apply(..), _) | (_, Expr::Apply(..)) => false,
        _ => true,
    }
}
