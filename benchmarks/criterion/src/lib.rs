//! Nothing: this package has benches alone.
