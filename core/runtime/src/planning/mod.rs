//! Planning memory, as pure functions: when tensors live, and what a planner answered. Which of them lie over one another, and in
//! which order nodes run, is found by `arenite-layout`.

pub mod lifetime;
pub mod objects;
pub mod plan;
