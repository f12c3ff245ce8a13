//! The micro interpreter beside the large runtime: the same bytes, from one block of the size that was told.

mod control;
mod corpus;
mod memory;
mod plans;
mod same_bytes;
mod support;
