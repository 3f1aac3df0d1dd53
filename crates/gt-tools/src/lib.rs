//! Views of the event stream: the instruction log.
