//! Shell: the memory planners as a dynamic plugin.
