//! The data plane as its users see it.

mod common;
mod crowd;
mod mesh;
mod proxy;
mod relay;
mod strangers;
mod tickets;
mod values;
mod wire;
