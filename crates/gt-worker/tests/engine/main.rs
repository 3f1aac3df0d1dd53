//! The native engine against an interpreter that computes one element at a time.

mod compute;
mod elementwise;
mod movement;
mod reference;
