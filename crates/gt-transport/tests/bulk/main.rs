//! The data plane as its users see it: parcels both ways, tickets, failures, strangers.

mod common;
mod crowd;
mod parcels;
mod proxy;
mod relay;
mod strangers;
mod tickets;
mod wire;
