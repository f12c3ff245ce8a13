//! Shell: the delegate vulkan as a dynamic plugin.

arenite_abi::export_plugin!(arenite_gpu::VULKAN);
