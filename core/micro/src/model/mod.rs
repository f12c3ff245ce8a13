//! The model's subgraphs, tensors, nodes and resources, in the compact form in which the arena stores them.

pub(crate) mod build;
pub(crate) mod entry;
pub(crate) mod graph;
pub(crate) mod life;
pub(crate) mod lives;
pub(crate) mod machine;
pub(crate) mod node;
pub(crate) mod observer;
pub(crate) mod resources;
pub(crate) mod site;
