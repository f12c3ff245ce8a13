//! The default set of plugins, linked in statically.
