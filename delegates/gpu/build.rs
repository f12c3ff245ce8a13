//! Makes SPIR-V of the kernels' WGSL, where the feature `vulkan` asks for it.

#[cfg(feature = "vulkan")]
#[path = "build/spirv.rs"]
mod spirv;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "vulkan")]
    spirv::write()?;
    Ok(())
}
