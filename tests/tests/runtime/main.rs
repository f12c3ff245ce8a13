//! What a program sees of the interpreter, on models that the tests write.

use arenite_tests as _;

mod composites;
mod delegates;
mod handed_over;
mod limits;
mod models;
mod plugin;
mod shapes;
mod states;
