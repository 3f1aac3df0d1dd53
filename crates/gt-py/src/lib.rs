//! The Python front of GT: forwards, never decides.
