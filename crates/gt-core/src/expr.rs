//! Formulas over operations: gradients, expansions and writes through views are data, not code.

use std::collections::HashMap;
use std::fmt;
use std::ops;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::attrs::Attrs;
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::op::Op;

/// A formula. Cloning it is cheap, and a part that stands in it twice is computed once.
#[derive(Clone, Debug)]
pub enum Expr {
    /// No gradient, or one that is zero everywhere.
    Zero,
    /// The gradient of the `n`-th result; in a write, the value written.
    Grad(usize),
    /// The `n`-th input of the operation.
    Input(usize),
    /// The `n`-th result of the operation.
    Output(usize),
    /// A number.
    Number(Scalar),
    /// Another operation; the number says which of its results.
    Apply(Arc<Applied>, usize),
}

/// An operation within a formula.
#[derive(Debug)]
pub struct Applied {
    /// The row.
    pub op: &'static Op,
    /// Its inputs.
    pub inputs: Vec<Expr>,
    /// Its attributes.
    pub attrs: Attrs,
}

impl Expr {
    /// `op` of these inputs.
    pub fn apply(
        op: &'static Op,
        inputs: impl IntoIterator<Item = Expr>,
        attrs: impl IntoIterator<Item = crate::attrs::Attr>,
    ) -> Expr {
        let (inputs, attrs) = (inputs.into_iter().collect(), Attrs::of(attrs));
        debug_assert_eq!(attrs.0.len(), op.attrs.len(), "attributes of {}", op.name);
        Expr::Apply(Arc::new(Applied { op, inputs, attrs }), 0)
    }

    /// The `n`-th result of the operation this formula applies.
    pub fn result(self, n: usize) -> Expr {
        match self {
            Expr::Apply(applied, _) => Expr::Apply(applied, n),
            other => other,
        }
    }

    /// Calls `visit` for this formula and everything it is made of, shared parts once.
    pub fn visit(&self, visit: &mut impl FnMut(&Expr)) {
        let mut seen = Vec::new();
        self.visit_unseen(&mut seen, visit);
    }

    fn visit_unseen(&self, seen: &mut Vec<*const Applied>, visit: &mut impl FnMut(&Expr)) {
        if let Expr::Apply(applied, _) = self {
            if seen.contains(&Arc::as_ptr(applied)) {
                return;
            }
            seen.push(Arc::as_ptr(applied));
            for input in &applied.inputs {
                input.visit_unseen(seen, visit);
            }
        }
        visit(self);
    }

    /// Which inputs and which results of the operation this formula mentions: what a gradient
    /// must keep alive. Shapes are not mentions.
    pub fn mentions(&self) -> Mentions {
        let mut mentions = Mentions::default();
        self.visit(&mut |expr| match expr {
            Expr::Input(index) => mentions.inputs |= 1 << index,
            Expr::Output(index) => mentions.outputs |= 1 << index,
            _ => {}
        });
        mentions
    }
}

/// Sets of inputs and results, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// The inputs.
    pub inputs: u64,
    /// The results.
    pub outputs: u64,
}

impl From<f64> for Expr {
    fn from(value: f64) -> Self {
        Expr::Number(value.into())
    }
}

macro_rules! operator {
    ($trait:ident $method:ident $op:path) => {
        impl<T: Into<Expr>> ops::$trait<T> for Expr {
            type Output = Expr;

            fn $method(self, other: T) -> Expr {
                Expr::apply(&$op, [self, other.into()], [])
            }
        }
    };
}

operator!(Add add crate::ops::builtin::ADD);
operator!(Sub sub crate::ops::builtin::SUB);
operator!(Mul mul crate::ops::builtin::MUL);
operator!(Div div crate::ops::builtin::DIV);

impl ops::Neg for Expr {
    type Output = Expr;

    fn neg(self) -> Expr {
        Expr::apply(&crate::ops::builtin::NEG, [self], [])
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Zero => f.write_str("0"),
            Expr::Grad(index) => write!(f, "grad{index}"),
            Expr::Input(index) => write!(f, "in{index}"),
            Expr::Output(index) => write!(f, "out{index}"),
            Expr::Number(number) => write!(f, "{number}"),
            Expr::Apply(applied, result) => {
                write!(f, "{}(", applied.op.name)?;
                for (index, input) in applied.inputs.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{input}")?;
                }
                f.write_str(")")?;
                if *result > 0 { write!(f, ".{result}") } else { Ok(()) }
            }
        }
    }
}

/// Computes operations: a client by appending them, a worker by running them.
pub trait Emit {
    /// What stands for a tensor.
    type Value: Clone;

    /// Computes one operation and gives all its results.
    fn emit(
        &mut self,
        op: &'static Op,
        inputs: &[Term<Self::Value>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Self::Value; 1]>>;
}

/// What a formula comes to.
#[derive(Clone, Debug)]
pub enum Term<V> {
    /// A tensor.
    Value(V),
    /// A number.
    Scalar(Scalar),
    /// Zero everywhere, or nothing to differentiate.
    Zero,
}

/// What a formula is about: the gradients, inputs and results of one operation.
pub struct Subject<'a, V> {
    /// The gradient of each result, where there is one.
    pub grads: &'a [Term<V>],
    /// The inputs.
    pub inputs: &'a [Term<V>],
    /// The results.
    pub outputs: &'a [Term<V>],
}

/// Computes formulas about one subject; parts they share are computed once.
pub struct Evaluator<'a, E: Emit> {
    emitter: &'a mut E,
    subject: Subject<'a, E::Value>,
    done: Vec<(*const Applied, SmallVec<[E::Value; 1]>)>,
    /// Where each stands in the list, once that is too long to be looked through.
    places: HashMap<*const Applied, usize>,
}

/// So many results are looked through.
const SHORT: usize = 32;

impl<'a, E: Emit> Evaluator<'a, E> {
    /// An evaluator for formulas about `subject`.
    pub fn new(emitter: &'a mut E, subject: Subject<'a, E::Value>) -> Self {
        Evaluator { emitter, subject, done: Vec::new(), places: HashMap::new() }
    }

    /// What `expr` comes to.
    pub fn evaluate(&mut self, expr: &Expr) -> Result<Term<E::Value>> {
        let known = |terms: &[Term<E::Value>], index: usize| {
            terms.get(index).cloned().ok_or_else(|| Error::bug(format!("{expr} is not there")))
        };
        match expr {
            Expr::Zero => Ok(Term::Zero),
            Expr::Grad(index) => known(self.subject.grads, *index),
            Expr::Input(index) => known(self.subject.inputs, *index),
            Expr::Output(index) => known(self.subject.outputs, *index),
            Expr::Number(number) => Ok(Term::Scalar(*number)),
            Expr::Apply(applied, result) => {
                let pointer = Arc::as_ptr(applied);
                if let Some(values) = self.found(pointer) {
                    return Ok(Term::Value(values[*result].clone()));
                }
                let inputs = applied.inputs.iter().map(|input| self.evaluate(input));
                let inputs: SmallVec<[_; 3]> = inputs.collect::<Result<_>>()?;
                let values = self.emitter.emit(applied.op, &inputs, &applied.attrs)?;
                let value = values[*result].clone();
                self.keep(pointer, values);
                Ok(Term::Value(value))
            }
        }
    }

    /// The results of an operation that was computed.
    fn found(&self, pointer: *const Applied) -> Option<&SmallVec<[E::Value; 1]>> {
        if self.done.len() > SHORT {
            return self.places.get(&pointer).map(|&place| &self.done[place].1);
        }
        self.done.iter().find(|(done, _)| *done == pointer).map(|(_, values)| values)
    }

    fn keep(&mut self, pointer: *const Applied, values: SmallVec<[E::Value; 1]>) {
        self.done.push((pointer, values));
        let count = self.done.len();
        if count == SHORT + 1 {
            let places = self.done.iter().enumerate();
            self.places.extend(places.map(|(place, (pointer, _))| (*pointer, place)));
        } else if count > SHORT {
            self.places.insert(pointer, count - 1);
        }
    }
}
