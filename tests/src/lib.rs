//! Test suites of arenite: suites are data, backends are parameters.
//!
//! A [`case`] is a model with inputs and the answers that are wanted. [`run`] runs one on a given [`Setup`](run::Setup)
//! and [`compare`] judges the outputs; [`suite`] runs many and counts.
#![forbid(unsafe_code)]

use arenite_abi::Plugin;

arenite_abi::register_plugin!(arenite_flex::PLUGIN);

pub mod array;
pub mod case;
pub mod compare;
pub mod differential;
pub mod fuzz;
pub mod libraries;
pub mod micro;
pub mod mutants;
pub mod op_models;
pub mod op_table;
pub mod options;
pub mod report;
pub mod run;
pub mod selection;
pub mod source;
pub mod successors;
pub mod suite;

/// The default plugins, and the ops behind the prefix `Flex`: all that the host finds in a program that links this crate.
pub fn plugins() -> impl Iterator<Item = &'static Plugin> {
    arenite_builtin::register_builtins().iter().copied().chain([&arenite_flex::PLUGIN])
}

/// A builder whose interpreters run reference ops, and the delegates that are added: the default one stays away.
pub fn reference_ops(model: &arenite::Model) -> arenite::InterpreterBuilder {
    arenite::Interpreter::builder(model).without_default_delegate()
}
