//! The data plane as its users see it: parcels both ways, tickets, failures, strangers.

mod common;
mod parcels;
mod proxy;
mod tickets;
mod wire;
