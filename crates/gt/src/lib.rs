//! GT for Rust programs.
