//! The native engine against an interpreter that computes one element at a time.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod accuracy;
mod compute;
#[path = "../common/cpu.rs"]
mod cpu;
mod elementwise;
mod fused;
mod movement;
mod order;
mod positions;
mod reference;
