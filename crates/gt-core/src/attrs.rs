//! Attributes: what an instruction says besides its inputs, such as axes, sizes and dtypes.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::wire::few;

/// A short list of integers.
pub type Ints = SmallVec<[i64; 4]>;

/// Every `step`-th element along one axis, `len` of them, from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// The position of the first element.
    pub start: usize,
    /// How many elements.
    pub len: usize,
    /// The distance to the next one; never zero, negative to walk backwards.
    pub step: i64,
}

impl Range {
    /// The whole of an axis.
    pub const fn all(size: usize) -> Self {
        Range { start: 0, len: size, step: 1 }
    }

    /// The elements from `start` up to `end`.
    pub const fn between(start: usize, end: usize) -> Self {
        Range { start, len: end - start, step: 1 }
    }

    /// Whether every element it names exists on an axis of `size`.
    pub fn fits(self, size: usize) -> bool {
        if self.len == 0 {
            return self.step != 0 && self.start <= size;
        }
        let walked = i64::try_from(self.len - 1).ok().and_then(|n| n.checked_mul(self.step));
        let start = i64::try_from(self.start).ok();
        let last = walked.zip(start).and_then(|(walked, start)| start.checked_add(walked));
        self.step != 0
            && self.start < size
            && last.is_some_and(|last| last >= 0 && (last as u64) < size as u64)
    }
}

/// One attribute's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Attr {
    /// Not given.
    None,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating point number.
    Float(f64),
    /// Axes, sizes or other whole numbers.
    Ints(#[serde(deserialize_with = "few")] Ints),
    /// A dtype.
    DType(DType),
    /// A part of each axis.
    Ranges(Vec<Range>),
    /// A word, such as an equation or a mode.
    Text(Box<str>),
}

/// What an attribute may hold, and how a language front reads it from the user's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrKind {
    /// Yes or no.
    Bool,
    /// A whole number.
    Int,
    /// A floating point number.
    Float,
    /// Any number; whole numbers stay whole.
    Number,
    /// The order of a norm: a floating point number, or a word for one.
    Order,
    /// The number of one axis.
    Axis,
    /// Several axes, given as a number, a list or one after another.
    Axes,
    /// Sizes, given as a list or one after another.
    Sizes,
    /// A size for each spatial axis; a single number stands for all.
    Spatial,
    /// A dtype.
    DType,
    /// A part of each axis.
    Ranges,
    /// A word.
    Text,
    /// The key of the random numbers; the session fills it in.
    Seed,
    /// How many random operations came before; the session fills it in.
    RngIndex,
    /// Which part of a whole a shard computes; the dispatcher fills it in.
    Region,
}

impl AttrKind {
    /// Whether a user can give it.
    pub const fn is_public(self) -> bool {
        !matches!(self, AttrKind::Seed | AttrKind::RngIndex | AttrKind::Region | AttrKind::Ranges)
    }
}

/// An attribute of a row, declared with its [`Key`].
#[derive(Debug)]
pub struct AttrSpec {
    /// The keyword a user writes.
    pub name: &'static str,
    /// What it may hold.
    pub kind: AttrKind,
    /// What it is when not given; `None` if it must be given.
    pub default: Option<Attr>,
}

impl AttrSpec {
    /// Refuses a value of another kind; the border check for what comes off a wire.
    pub fn check(&self, value: &Attr) -> Result<()> {
        if self.default.as_ref() == Some(value) {
            return Ok(());
        }
        use AttrKind as K;
        let fits = match value {
            Attr::None => false,
            Attr::Bool(_) => matches!(self.kind, K::Bool | K::Number),
            Attr::Int(_) => {
                matches!(self.kind, K::Int | K::Axis | K::Number | K::Seed | K::RngIndex)
            }
            Attr::Float(_) => matches!(self.kind, K::Float | K::Number | K::Order),
            Attr::Ints(_) => matches!(self.kind, K::Axes | K::Sizes | K::Spatial | K::Region),
            Attr::DType(_) => self.kind == K::DType,
            Attr::Ranges(_) => self.kind == K::Ranges,
            Attr::Text(_) => self.kind == K::Text,
        };
        if fits {
            return Ok(());
        }
        Err(Error::type_(format!("'{}' cannot be {value:?}", self.name)))
    }
}

/// The name and kind of an attribute, and the type that its readers get. A row declares an
/// attribute and its rules read it with the same key: a wrong name or type does not compile, and a
/// key that the row did not declare is found by the test that runs all rules of the table.
pub struct Key<T: ?Sized> {
    name: &'static str,
    kind: AttrKind,
    value: PhantomData<T>,
}

impl<T: ?Sized> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Key<T> {}

macro_rules! kinds {
    ($($constructor:ident $kind:ident $type:ty;)*) => {
        $(impl Key<$type> {
            #[doc = concat!("A key of kind [`AttrKind::", stringify!($kind), "`].")]
            pub const fn $constructor(name: &'static str) -> Self {
                Key { name, kind: AttrKind::$kind, value: PhantomData }
            }
        })*
    };
}

kinds! {
    flag Bool bool;
    int Int i64;
    float Float f64;
    number Number Scalar;
    order Order f64;
    axis Axis i64;
    axes Axes [i64];
    sizes Sizes [i64];
    spatial Spatial [i64];
    dtype DType DType;
    ranges Ranges [Range];
    text Text str;
    seed Seed i64;
    rng_index RngIndex i64;
    region Region [i64];
}

impl<T: ?Sized> Key<T> {
    /// The name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Whether this is the key of an attribute.
    pub fn is_of(self, spec: &AttrSpec) -> bool {
        self.kind == spec.kind && self.name == spec.name
    }

    /// An attribute that must be given.
    pub const fn required(self) -> AttrSpec {
        AttrSpec { name: self.name, kind: self.kind, default: None }
    }

    /// An attribute that may be left out, and is [`Attr::None`] then.
    pub const fn or_none(self) -> AttrSpec {
        self.optional(Attr::None)
    }

    const fn optional(self, default: Attr) -> AttrSpec {
        AttrSpec { name: self.name, kind: self.kind, default: Some(default) }
    }
}

impl Key<bool> {
    /// An attribute with a default.
    pub const fn or(self, default: bool) -> AttrSpec {
        self.optional(Attr::Bool(default))
    }
}

impl Key<i64> {
    /// An attribute with a default.
    pub const fn or(self, default: i64) -> AttrSpec {
        self.optional(Attr::Int(default))
    }
}

impl Key<f64> {
    /// An attribute with a default.
    pub const fn or(self, default: f64) -> AttrSpec {
        self.optional(Attr::Float(default))
    }
}

impl Key<Scalar> {
    /// An attribute with a default.
    pub const fn or(self, default: i64) -> AttrSpec {
        self.optional(Attr::Int(default))
    }
}

impl Key<[i64]> {
    /// An attribute with a default, the same for each axis.
    pub const fn or(self, default: i64) -> AttrSpec {
        self.optional(Attr::Int(default))
    }

    /// An attribute that is an empty list by default.
    pub const fn or_empty(self) -> AttrSpec {
        self.optional(Attr::Ints(SmallVec::new_const()))
    }
}

/// The values of an instruction's attributes, in the order of the row's specification.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attrs(#[serde(deserialize_with = "few")] pub SmallVec<[Attr; 2]>);

/// No attributes, for those who only look.
pub static NO_ATTRS: Attrs = Attrs::none();

impl Attrs {
    /// No attributes.
    pub const fn none() -> Self {
        Attrs(SmallVec::new_const())
    }

    /// Attributes from values in the order of the specification.
    pub fn of(values: impl IntoIterator<Item = Attr>) -> Self {
        Attrs(values.into_iter().collect())
    }
}

impl From<bool> for Attr {
    fn from(value: bool) -> Self {
        Attr::Bool(value)
    }
}

impl From<i64> for Attr {
    fn from(value: i64) -> Self {
        Attr::Int(value)
    }
}

impl From<usize> for Attr {
    fn from(value: usize) -> Self {
        Attr::Int(value as i64)
    }
}

impl From<DType> for Attr {
    fn from(value: DType) -> Self {
        Attr::DType(value)
    }
}

impl From<Ints> for Attr {
    fn from(value: Ints) -> Self {
        Attr::Ints(value)
    }
}

impl From<&[usize]> for Attr {
    fn from(values: &[usize]) -> Self {
        Attr::Ints(values.iter().map(|&value| value as i64).collect())
    }
}

impl From<Vec<Range>> for Attr {
    fn from(value: Vec<Range>) -> Self {
        Attr::Ranges(value)
    }
}

impl From<Scalar> for Attr {
    fn from(value: Scalar) -> Self {
        match value {
            Scalar::Bool(value) => Attr::Bool(value),
            Scalar::Int(value) => Attr::Int(value),
            Scalar::Float(value) => Attr::Float(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_fit_only_where_all_their_elements_exist() {
        let range = |start, len, step| Range { start, len, step };
        assert!(range(0, 5, 1).fits(5) && range(4, 5, -1).fits(5) && range(0, 3, 2).fits(5));
        assert!(range(5, 0, 1).fits(5) && range(0, 0, 1).fits(0));
        assert!(!range(0, 6, 1).fits(5) && !range(4, 6, -1).fits(5) && !range(0, 1, 0).fits(5));
        assert!(!range(1, usize::MAX, i64::MAX).fits(5) && !range(usize::MAX, 1, 1).fits(5));
    }
}
