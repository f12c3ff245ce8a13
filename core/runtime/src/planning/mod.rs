//! Memory planning as pure functions: computes the lifetimes of tensors, calls planners and checks their answers. The
//! crate `arenite-layout` decides which tensors share memory and in which order nodes run.

pub mod lifetime;
pub mod objects;
pub mod plan;
