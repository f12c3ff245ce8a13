//! The plugin to copy: one operator, one planner, one delegate. README.md says how.

use arenite_abi::{Plugin, export_plugin, plugin};

pub mod first_fit;
pub mod sin;
pub mod sin_delegate;

/// What this library offers.
pub static PLUGIN: Plugin = plugin! {
    id: "org.arenite.template",
    description: "Example: the op Sin, the planner first-fit, the delegate sin",
    ops: [sin::Sin],
    planners: [first_fit::FirstFit],
    delegates: [sin_delegate::SinDelegate],
};
export_plugin!(PLUGIN);
