//! The interpreter as a program sees it, on models that the tests write.

use arenite_tests as _;

mod branches;
mod by_index;
mod claims;
mod composites;
mod delegates;
mod devices;
mod embeddings;
mod fallback;
mod handed_over;
mod lending;
mod lifetimes;
mod limits;
mod loops;
mod models;
mod objects;
mod plans;
mod plugin;
mod preview;
mod recurrent;
mod required;
mod resource_variables;
mod scatter;
mod shapes;
mod sparse;
mod states;
mod transforms;
mod tying;
mod variables;
