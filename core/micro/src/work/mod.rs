//! Preparing and running nodes: expanding them to the contract's structs, and the host that ops see.

mod describe;
pub(crate) mod first_values;
mod host;
pub(crate) mod message;
mod model_access;
pub(crate) mod prepare;
pub(crate) mod rehearse;
pub(crate) mod requests;
mod room;
pub(crate) mod run;
