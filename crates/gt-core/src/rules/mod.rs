//! Rules shared by families of operations: shapes, dtypes, sharding.

pub mod promote;
pub mod shape;
pub mod shard;
