//! Test suites of arenite. Suites are data, and backends are parameters.
//!
//! A [`case`] is a model with inputs and expected outputs. [`run`] runs it on a [`Setup`](run::Setup) and [`compare`]
//! checks the outputs; [`suite`] runs many cases and counts.
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

/// The default plugins and the TensorFlow ops with the prefix `Flex`: all plugins that the host finds in a program that
/// links this crate.
pub fn plugins() -> impl Iterator<Item = &'static Plugin> {
    arenite_builtin::register_builtins().iter().copied().chain([&arenite_flex::PLUGIN])
}

/// A builder for interpreters that run the reference ops and only the delegates that are added: the default delegate is
/// off.
pub fn reference_ops(model: &arenite::Model) -> arenite::InterpreterBuilder {
    arenite::Interpreter::builder(model).without_default_delegate()
}
