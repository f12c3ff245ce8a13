//! The micro interpreter compared with the large runtime: the same bytes, from one block of the reported size.

mod control;
mod corpus;
mod memory;
mod plans;
mod same_bytes;
mod support;
