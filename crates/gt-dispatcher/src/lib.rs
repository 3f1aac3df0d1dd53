//! Rewrites the clients' streams for the workers.
