//! What becomes of the attributes of a call when indices are cut.

use super::factors::Part;
use crate::attrs::{Attr, Attrs, Key};
use crate::op::Call;
use crate::ops::keys;

/// The attributes of the whole call are those of each part.
pub fn unchanged(call: &Call, _: &[Part]) -> Attrs {
    call.attrs.clone()
}

/// `shape` names the sizes of the result.
pub fn shape(call: &Call, parts: &[Part]) -> Attrs {
    let part = (call.op.shard)(call).output_part(0, parts);
    with(call, keys::SHAPE, Attr::Ints(part.to_ints()))
}

/// The random numbers of a part are those that the whole has there.
pub fn region(call: &Call, parts: &[Part]) -> Attrs {
    let factors = (call.op.shard)(call);
    let start = factors.output_start(0, parts).into_iter().enumerate();
    // A call that is a part already begins where it does.
    let outer = call.ints(keys::REGION_START);
    let start = start.map(|(axis, at)| outer.get(axis).copied().unwrap_or(0) + at as i64);
    let mut attrs = with(call, keys::REGION_START, Attr::Ints(start.collect()));
    if call.ints(keys::REGION_WHOLE).is_empty() {
        let whole = factors.output_part(0, &[]).to_ints();
        set(call, &mut attrs, keys::REGION_WHOLE, Attr::Ints(whole));
    }
    if call.has(keys::SHAPE) {
        let part = factors.output_part(0, parts).to_ints();
        set(call, &mut attrs, keys::SHAPE, Attr::Ints(part));
    }
    attrs
}

/// The attributes with one of them replaced.
pub fn with<T: ?Sized>(call: &Call, key: Key<T>, value: Attr) -> Attrs {
    let mut attrs = call.attrs.clone();
    set(call, &mut attrs, key, value);
    attrs
}

/// Replaces one of the attributes.
pub fn set<T: ?Sized>(call: &Call, attrs: &mut Attrs, key: Key<T>, value: Attr) {
    let place = call.op.attrs.iter().position(|spec| key.is_of(spec));
    if let Some(place) = place {
        attrs.0[place] = value;
    }
}
