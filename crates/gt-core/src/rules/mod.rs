//! Rules shared by families of operations: shapes, dtypes, sharding.

pub mod promote;
pub mod risk;
pub mod shape;
pub mod shard;
