//! What follows a record that is larger than 32 bytes, and how it is read off a wire.

use gt_core::attrs::{Attr, Attrs};
use gt_core::instruction::{Operand, Replaces};
use gt_core::op::Op;
use gt_core::wire::few;
use gt_core::{Error, Meta, Result, Scalar, Slot};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Serialize, Serializer};
use smallvec::SmallVec;

/// The rest of an instruction that is larger than a record; its attributes follow. How many there
/// are is known from the row, so nobody can claim more.
#[derive(Serialize, Deserialize)]
pub(super) struct RestOfInstruction<'a> {
    #[serde(deserialize_with = "few")]
    pub(super) outputs: SmallVec<[Slot; 1]>,
    /// Four bytes for each input, because there may be thousands; at the place of a scalar stands
    /// zero.
    #[serde(serialize_with = "as_bytes")]
    pub(super) inputs: &'a [u8],
    #[serde(deserialize_with = "few")]
    pub(super) scalars: SmallVec<[(u32, Scalar); 1]>,
    pub(super) replaces: Replaces,
}

/// The rest of a vote.
#[derive(Serialize, Deserialize)]
pub(super) struct RestOfVote {
    pub(super) barrier: u64,
    #[serde(deserialize_with = "few")]
    pub(super) slots: SmallVec<[Slot; 3]>,
    pub(super) compare: bool,
}

/// The rest of an upload.
#[derive(Serialize, Deserialize)]
pub(super) struct RestOfUpload<'a> {
    pub(super) meta: Meta,
    /// The elements, unless they travel beside the batch.
    #[serde(serialize_with = "as_bytes")]
    pub(super) data: &'a [u8],
}

/// Writes bytes as one piece. They are read as a borrowed slice, whose claimed length must be there
/// and costs nothing.
fn as_bytes<S: Serializer>(bytes: &&[u8], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

/// `meta`, if it is a tensor that a machine could hold and its elements take `bytes`.
pub(crate) fn checked(meta: Meta, bytes: usize) -> Result<Meta> {
    let Meta { dtype, shape } = meta;
    let meta = Meta { dtype, shape: shape.checked(dtype)? };
    if bytes != meta.bytes() {
        return Err(Error::bug(format!("a tensor of {meta} came with {bytes} bytes")));
    }
    Ok(meta)
}

/// Reads a value off the front of `bytes`, and gives what follows it.
pub(crate) fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<(T, &'a [u8])> {
    postcard::take_from_bytes(bytes)
        .map_err(|error| Error::bug(format!("a broken message: {error}")))
}

/// Refuses bytes after the end.
pub(crate) fn ended(rest: &[u8]) -> Result<()> {
    if rest.is_empty() {
        return Ok(());
    }
    Err(Error::bug(format!("{} bytes follow the end of a message", rest.len())))
}

/// The slots as bytes, and beside them the scalars with their places.
#[expect(clippy::type_complexity, reason = "two lists that only one caller takes apart")]
pub(super) fn split_scalars(
    inputs: &[Operand],
) -> (SmallVec<[u8; 16]>, SmallVec<[(u32, Scalar); 1]>) {
    let (mut slots, mut scalars) = (SmallVec::new(), SmallVec::new());
    for (place, input) in inputs.iter().enumerate() {
        let slot = match *input {
            Operand::Slot(slot) => slot.0,
            Operand::Scalar(scalar) => {
                scalars.push((place as u32, scalar));
                0
            }
        };
        slots.extend_from_slice(&slot.to_le_bytes());
    }
    (slots, scalars)
}

/// The inverse of [`split_scalars`].
pub(super) fn join_scalars(
    slots: &[u8],
    scalars: &[(u32, Scalar)],
) -> Result<SmallVec<[Operand; 3]>> {
    let (slots, rest) = slots.as_chunks::<4>();
    ended(rest)?;
    let operand = |&slot: &[u8; 4]| Operand::Slot(Slot(u32::from_le_bytes(slot)));
    let mut inputs: SmallVec<[Operand; 3]> = slots.iter().map(operand).collect();
    for &(place, scalar) in scalars {
        let input = inputs.get_mut(place as usize);
        *input.ok_or_else(|| Error::bug("a number at a place that is no input"))? =
            Operand::Scalar(scalar);
    }
    Ok(inputs)
}

/// The values alone, without saying how many there are.
pub(super) struct Bare<'a>(pub(super) &'a Attrs);

impl Serialize for Bare<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut values = serializer.serialize_tuple(self.0.0.len())?;
        self.0.0.iter().try_for_each(|value| values.serialize_element(value))?;
        values.end()
    }
}

/// One value of the right kind for each attribute of the row, and nothing after them.
pub(super) fn read_attrs(op: &Op, mut bytes: &[u8]) -> Result<Attrs> {
    let mut attrs = Attrs::none();
    for spec in op.attrs {
        let (value, rest) = read::<Attr>(bytes)?;
        spec.check(&value).map_err(|error| error.within(op.name))?;
        attrs.0.push(value);
        bytes = rest;
    }
    ended(bytes)?;
    Ok(attrs)
}

/// Bytes as one piece, for `#[serde(with)]`.
pub(crate) mod bytes {
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes them.
    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    /// Reads them where they lie.
    pub(crate) fn deserialize<'de: 'a, 'a, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'a [u8], D::Error> {
        <&'de [u8]>::deserialize(deserializer)
    }
}
