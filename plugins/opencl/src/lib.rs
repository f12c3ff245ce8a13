//! Shell: the delegate opencl as a dynamic plugin.

arenite_abi::export_plugin!(arenite_gpu::PLUGIN);
