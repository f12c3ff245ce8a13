//! Compiles the kernels' WGSL to SPIR-V if the feature `vulkan` is on.

#[cfg(feature = "vulkan")]
#[path = "build/spirv.rs"]
mod spirv;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "vulkan")]
    spirv::write()?;
    Ok(())
}
