//! The plugin to copy: one operator, one planner, one delegate.
