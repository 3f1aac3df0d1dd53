//! Sharding signatures in factor form: which index runs along which axis of the inputs and results
//! of a call. An index may be cut if all axes that carry it are cut alike.

pub mod factors;
pub mod indexed;
pub mod localise;
pub mod ranges;
pub mod signatures;
pub mod views;

pub use factors::{Combined, Factor, Factors, Letter, Letters, Part};
pub use signatures::{
    all_but, created, gather_first, leading, numbered, permuted, pointwise, reduce, reduce_whole,
};
