//! Shell: the reference operators as a dynamic plugin.

arenite_abi::export_plugin!(arenite_ops::PLUGIN);
