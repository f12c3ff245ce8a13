//! Planning memory, as pure functions: when tensors live, in which order nodes run, which tensors lie over one another, and what a
//! planner answered.

pub(crate) mod layout;
pub mod lifetime;
pub(crate) mod order;
pub mod plan;
pub(crate) mod techniques;
