//! How GT's messages look on a wire, and the channels that carry them.
