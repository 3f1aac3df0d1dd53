//! The rows that code outside this folder uses by name: what views, gradients, casts, indexing and
//! Python's overloads are made of. Every other row is found through the table.

pub use super::advanced_index::{INDEX, INDEX_WRITE, RAVEL_INDEX, index_attrs, write_attrs};
pub use super::arithmetic::{CLAMP, CLAMP_MAX, CLAMP_MIN, MASKED_FILL};
pub use super::axes::{TRANSPOSE, VIEW};
pub use super::compare::{EQ, ISCLOSE};
pub use super::create::{ARANGE, FULL, ZEROS};
pub use super::elementwise::{ADD, CAST, DIV, MAXIMUM, MINIMUM, MUL, NEG, SUB, WHERE, cast};
pub use super::index::NONZERO;
pub use super::logic::ISNAN;
pub use super::movement::{CAT, EXPAND, PERMUTE, RESHAPE, SLICE, SLICE_WRITE, reshape};
pub use super::place::{PLACE, PLACE_LIKE};
pub use super::reduce::{AMAX, AMIN, SUM, sum};
pub use super::sampling::BERNOULLI;
pub use super::sort::{MAX_ALONG, MIN_ALONG};
pub use super::truth::{ALL, ANY};
