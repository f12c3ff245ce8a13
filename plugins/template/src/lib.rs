//! A plugin to copy, with operators, a planner and a delegate. README.md explains how.

use arenite_abi::{Plugin, export_plugin, plugin};

pub mod edgetpu_custom_op;
pub mod first_fit;
pub mod sin;
pub mod sin_delegate;

/// The plugin of this library.
pub static PLUGIN: Plugin = plugin! {
    id: "org.arenite.template",
    description: "Example: the ops Sin and edgetpu-custom-op, the planner first-fit, the delegate sin",
    ops: [sin::Sin, edgetpu_custom_op::EdgetpuCustomOp],
    planners: [first_fit::FirstFit],
    delegates: [sin_delegate::SinDelegate],
};
export_plugin!(PLUGIN);
