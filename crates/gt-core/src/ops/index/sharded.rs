//! Lookups along a sharded axis: each worker serves the positions in its part.

use super::advanced::{index, index_write, indexed_shape};
use super::gather::gather;
use super::scatter::scatter_add;
use crate::attrs::{Attr, AttrSpec, Attrs};
use crate::dtype::{DType, Scalar};
use crate::expr::Expr::{self, Input, Number};
use crate::op::Call;
use crate::ops::create::zeros;
use crate::ops::elementwise::compare::{GE, lt};
use crate::ops::elementwise::logic::LOGICAL_AND;
use crate::ops::elementwise::ternary::where_;
use crate::ops::keys;
use crate::ops::shape::axes::reshape;
use crate::ops::shape::join::join;
use crate::ops::shape::slice::{corner, slice};
use crate::rules::shard::indexed::OWNER;
use crate::rules::shard::{Part, localise};
use crate::shape::Shape;

/// The axis of the lookup, and the part of it that the worker serves.
pub static OWNED_ATTRS: [AttrSpec; 3] =
    [keys::DIM.required(), keys::REGION_WHOLE.or_empty(), keys::REGION_START.or_empty()];

/// The part of the looked-up axis that a worker has.
pub struct Owned {
    start: i64,
    whole: i64,
    size: usize,
    axis: usize,
}

impl Owned {
    /// The part that a call names; `None` for the whole axis.
    pub fn of(call: &Call) -> Option<Self> {
        let (&[whole], &[start]) = (call.ints(keys::REGION_WHOLE), call.ints(keys::REGION_START))
        else {
            return None;
        };
        let axis = call.axis(keys::DIM, 0).ok()?;
        Some(Owned { start, whole, size: *call.shape(0).get(axis)?, axis })
    }

    /// The attributes of a part.
    pub fn localise(call: &Call, parts: &[Part]) -> Attrs {
        let own = parts.iter().find(|part| part.letter == OWNER);
        let (Some(own), Ok(axis)) = (own, call.axis(keys::DIM, 0)) else {
            return call.attrs.clone();
        };
        let whole = Attr::from(&call.shape(0)[axis..=axis]);
        let mut attrs = localise::with(call, keys::REGION_WHOLE, whole);
        localise::set(call, &mut attrs, keys::REGION_START, Attr::from(&[own.start][..]));
        attrs
    }

    /// `gather` from the worker's part, with zeros for positions outside of it.
    pub fn gather(&self, call: &Call) -> Expr {
        let nothing = zeros(call.shape(1), call.inputs[0].dtype());
        let (place, has) = self.place(call);
        if self.size == 0 {
            return where_(has, nothing.clone(), nothing);
        }
        let safe = where_(has.clone(), place, whole(0));
        where_(has, gather(Input(0), safe, self.axis as i64), nothing)
    }

    /// `scatter_add` to the worker's part. Everything else goes to an extra position at the end,
    /// which is dropped.
    pub fn scatter_add(&self, call: &Call) -> Expr {
        let (base, axis) = (call.shape(0), self.axis);
        let (place, has) = self.place(call);
        let place = where_(has, place, whole(self.size as i64));
        let behind = zeros(&base.with(axis, 1), call.inputs[0].dtype());
        let used = slice(Input(2), corner(call.shape(1)));
        let sum = scatter_add(join([Input(0), behind], axis), place, used, axis as i64);
        slice(sum, corner(base))
    }

    /// `index` into the worker's part, with zeros for positions outside of it.
    pub fn index(&self, call: &Call) -> Expr {
        self.index_at(call, Input(1))
    }

    /// Like [`Owned::index`], but a position that counts from the end is an error: it is moved out
    /// of range.
    pub fn embedding(&self, call: &Call) -> Expr {
        self.index_at(call, from_the_start(self.whole))
    }

    fn index_at(&self, call: &Call, positions: Expr) -> Expr {
        let dtype = call.inputs[0].dtype();
        let (place, has) = self.place_from_either_end(positions);
        let broad = self.broad(call, has.clone());
        if self.size == 0 {
            let shape = indexed_shape(call).unwrap_or_default();
            return where_(broad, zeros(&shape, dtype), zeros(&shape, dtype));
        }
        let safe = where_(has, place, whole(0));
        where_(broad, index(Input(0), safe, self.axis as i64), zeros(&Shape::scalar(), dtype))
    }

    /// `index_write` to the worker's part; everything else is dropped as in `scatter_add`.
    pub fn index_write(&self, call: &Call) -> Expr {
        let (base, axis) = (call.shape(0), self.axis);
        let (place, has) = self.place_from_either_end(Input(1));
        let place = where_(has, place, whole(self.size as i64));
        let behind = zeros(&base.with(axis, 1), call.inputs[0].dtype());
        let longer = join([Input(0), behind], axis);
        let add = call.flag(keys::ACCUMULATE);
        slice(index_write(longer, place, Input(2), axis as i64, add), corner(base))
    }

    /// `has`, shaped to broadcast along the axes after that of the lookup.
    fn broad(&self, call: &Call, has: Expr) -> Expr {
        let after = std::iter::repeat_n(1, call.shape(0).rank() - self.axis - 1);
        reshape(has, &call.shape(1).iter().copied().chain(after).collect())
    }

    /// Like [`Owned::place`], for positions that may count from the end. A position outside the
    /// whole axis is the same error as without a cut.
    fn place_from_either_end(&self, positions: Expr) -> (Expr, Expr) {
        let zeros = zeros(&[self.whole as usize].into(), DType::I64);
        let place = positions.clone() + index(zeros, positions, 0);
        let place = where_(lt(place.clone(), whole(0)), place.clone() + whole(self.whole), place);
        self.within(place - whole(self.start))
    }

    /// The positions relative to the start of the part, and whether they are in it.
    fn place(&self, call: &Call) -> (Expr, Expr) {
        self.within(self.checked(call.shape(1)) - whole(self.start))
    }

    fn within(&self, place: Expr) -> (Expr, Expr) {
        let from = Expr::apply(&GE, [place.clone(), whole(0)], []);
        let before = lt(place.clone(), whole(self.size as i64));
        (place, Expr::apply(&LOGICAL_AND, [from, before], []))
    }

    /// The positions, after a check that raises the same error as without a cut: they are looked up
    /// in zeros of the size of the whole axis, and the zeros found are added to them.
    fn checked(&self, index: &Shape) -> Expr {
        let ones = std::iter::repeat_n(1, self.axis);
        let along = |size: usize| -> Shape { ones.clone().chain([size]).collect() };
        let zeros = zeros(&along(self.whole as usize), DType::I64);
        let flat = reshape(Input(1), &along(index.count()));
        Input(1) + reshape(gather(zeros, flat, self.axis as i64), index)
    }
}

/// The positions in the second input along an axis of size `count`; those that count from the end
/// are moved out of range.
pub fn from_the_start(count: i64) -> Expr {
    where_(lt(Input(1), whole(0)), Input(1) - whole(count), Input(1))
}

fn whole(number: i64) -> Expr {
    Number(Scalar::Int(number))
}
