//! Clients, a dispatcher and workers in one thread, driven by a seed: the seed decides who is heard
//! next, so whatever goes wrong happens again with the same seed. For tests only.

pub mod client;
pub mod cluster;
pub mod data_network;
mod dependence;
pub mod dice;
pub mod interpreter;
pub mod pipeline;
pub mod program;
pub mod script;
pub mod simulation;
mod timed;
pub mod uneven;

pub use dice::Dice;
pub use interpreter::Interpreter;
pub use program::Program;
pub use script::Script;
pub use simulation::{Settings, Simulation};
