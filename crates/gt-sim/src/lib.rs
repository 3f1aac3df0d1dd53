//! Clients, a dispatcher and workers in one thread, driven by a seed.
