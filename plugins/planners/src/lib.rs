//! Shell: the memory planners as a dynamic plugin.

arenite_abi::export_plugin!(arenite_planners::PLUGIN);
