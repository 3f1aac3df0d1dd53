//! Rules shared by families of operations: shapes, dtypes, sharding; and what is
//! found out by evaluating them.

pub mod abstract_eval;
pub mod memo;
pub mod precision;
pub mod promote;
pub mod risk;
pub mod shape;
pub mod shard;
pub mod work;
