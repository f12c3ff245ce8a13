//! Shell: the CPU delegate as a dynamic plugin.

arenite_abi::export_plugin!(arenite_cpu::PLUGIN);
