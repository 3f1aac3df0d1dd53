//! Decoding of lists whose length is not trusted.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use smallvec::{Array, SmallVec};

/// The most memory a list of few elements may take. An element can be a hundred times larger in
/// memory than on the wire, so the length of a message alone is no bound.
const MAX_BYTES: usize = 4096;

/// Reads a short list element by element: a wrong length finds the end of the message, or of what
/// is called few, before it costs memory.
pub fn few<'de, A, D>(deserializer: D) -> Result<SmallVec<A>, D::Error>
where
    A: Array,
    A::Item: Deserialize<'de>,
    D: Deserializer<'de>,
{
    struct Few<A>(PhantomData<A>);

    impl<'de, A: Array> Visitor<'de> for Few<A>
    where
        A::Item: Deserialize<'de>,
    {
        type Value = SmallVec<A>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<SmallVec<A>, S::Error> {
            let mut list = SmallVec::new();
            while let Some(item) = items.next_element()? {
                if (list.len() + 1) * size_of::<A::Item>() > MAX_BYTES.max(size_of::<A>()) {
                    let most = list.len();
                    return Err(S::Error::custom(format_args!("a list longer than {most}")));
                }
                list.push(item);
            }
            Ok(list)
        }
    }

    deserializer.deserialize_seq(Few(PhantomData))
}

/// The most elements of a list that [`some`] reads.
pub const SOME: usize = 512;

/// Reads a list of at most [`SOME`] elements, element by element.
pub fn some<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    struct Listed<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Listed<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Vec<T>, S::Error> {
            let mut list = Vec::new();
            while let Some(item) = items.next_element()? {
                if list.len() == SOME {
                    return Err(S::Error::custom(format_args!("a list longer than {SOME}")));
                }
                list.push(item);
            }
            Ok(list)
        }
    }

    deserializer.deserialize_seq(Listed(PhantomData))
}
