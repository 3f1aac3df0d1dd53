//! Turns eager tensor calls into a stream of instructions.
