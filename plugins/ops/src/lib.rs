//! Shell: the reference operators as a dynamic plugin.
