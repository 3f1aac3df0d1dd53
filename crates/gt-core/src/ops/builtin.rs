//! The rows that code outside this folder uses by name: what views, gradients, casts, indexing and
//! Python's overloads are made of. Every other row is found through the table.

pub use super::create::{ARANGE, FULL, ZEROS};
pub use super::elementwise::binary::{ADD, DIV, MAXIMUM, MINIMUM, MUL, SUB};
pub use super::elementwise::compare::{EQ, ISCLOSE, ISNAN};
pub use super::elementwise::ternary::{CLAMP, CLAMP_MAX, CLAMP_MIN, MASKED_FILL, WHERE};
pub use super::elementwise::unary::{CAST, NEG, cast};
pub use super::index::advanced::{INDEX, INDEX_WRITE, RAVEL_INDEX, index_attrs, write_attrs};
pub use super::index::mask::NONZERO;
pub use super::placement::{PLACE, PLACE_LIKE};
pub use super::random::distribution::BERNOULLI;
pub use super::reduce::any_all::{ALL, ANY};
pub use super::reduce::extreme::{AMAX, AMIN, MAX_ALONG, MIN_ALONG};
pub use super::reduce::sum::{SUM, sum};
pub use super::shape::axes::{PERMUTE, RESHAPE, TRANSPOSE, VIEW, reshape};
pub use super::shape::join::CAT;
pub use super::shape::repeat::EXPAND;
pub use super::shape::slice::{SLICE, SLICE_WRITE};
