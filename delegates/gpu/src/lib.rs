//! The GPU delegates of arenite: `opencl`, for any device of OpenCL 1.2, and `vulkan`, for any of Vulkan 1.1.
//!
//! ```text
//!  partition ─► net, rewritten ─► tasks, records ─► kernels, objects ─► run
//!             (arenite_layers)  (plan, ops)        (plan::program)
//! ```
//! | module | contents |
//! |---|---|
//! | `kernels` | the declaration of each kernel: buffers, numbers, epilogue, loops |
//! | `functions` | the functions of epilogues, in both shader languages |
//! | `effort` | the effort spent on kernels |
//! | `bound` | memory of a program: rows, and checks of sizes |
//! | `device` | the interface of a backend: devices, memory, queues, recordings |
//! | `work_groups` | the choice of work-group sizes: pure functions of a [`GpuInfo`] |
//! | `net` | layers that only this delegate has, the refused nodes, and whether nodes are worth their transfers |
//! | `store` | how values are stored on the device; caches |
//! | `plan` | tasks, records and programs |
//! | `ops` | the tasks of each layer: one file per layer, next to the texts of its kernel |
//! | `opencl`, `vulkan` | the backends, each behind a feature of its name; all unsafe code is here |
//!
//! A module uses only modules above it, except that backends do not use `plan` and `ops`. Kernel programs do not depend
//! on sizes, so nodes share them.
//!
//! The build needs no driver, SDK or shader compiler: libOpenCL and libvulkan are opened when a delegate is created.
//! Without a device, the delegate is unavailable.
//!
//! # Words
//!
//! [`arenite_layers`] explains layers, nets and windows.
//!
//! | word | meaning |
//! |---|---|
//! | work-item | one thread of a device |
//! | work-group | work-items that run together and share local memory |
//! | grid | all work-items of a dispatch |
//! | wave | work-items that a device runs in lockstep |
//! | slice | four consecutive channels |
//! | record | memory that a value needs while it is live |
//! | task | a kernel with its arguments, on records |
//! | launch | a kernel with its arguments, on memory |
//! | recording | launches in order, with the copies before and after them |
//! | object | device memory that records share |

// Without a backend, only the choice of work-groups is public, and the rest is unused.
#![cfg_attr(not(any(feature = "opencl", feature = "vulkan")), allow(dead_code, unreachable_pub))]

#[allow(unreachable_pub)]
mod bound;
mod delegate;
mod device;
#[allow(unreachable_pub)]
mod effort;
// The build script includes this file.
#[cfg(any(feature = "opencl", feature = "vulkan"))]
mod functions;
mod gpu_info;
// The build script includes this file.
#[allow(unreachable_pub)]
mod kernels;
mod net;
#[cfg(feature = "opencl")]
mod opencl;
mod ops;
mod options;
mod plan;
mod store;
#[cfg(feature = "faults")]
pub mod testing;
#[cfg(feature = "vulkan")]
mod vulkan;
pub mod work_groups;

#[cfg(any(feature = "opencl", feature = "vulkan"))]
use arenite_abi::{Plugin, plugin};

pub use delegate::Gpu;
pub use device::DeviceInfo;
pub use gpu_info::{Adreno, GpuInfo, Mali, Vendor};

/// Lists the OpenCL devices.
///
/// # Errors
/// `Unavailable` if no driver is installed.
#[cfg(feature = "opencl")]
pub fn devices() -> arenite_abi::Result<Vec<DeviceInfo>> {
    <opencl::Device as device::Device>::list()
}

/// Lists the Vulkan devices.
///
/// # Errors
/// `Unavailable` if no driver is installed.
#[cfg(feature = "vulkan")]
pub fn vulkan_devices() -> arenite_abi::Result<Vec<DeviceInfo>> {
    <vulkan::Device as device::Device>::list()
}

/// The delegate for OpenCL devices.
#[cfg(feature = "opencl")]
pub type OpenCl = Gpu<opencl::Device>;

/// The delegate for Vulkan devices that fail on request.
#[cfg(all(feature = "vulkan", feature = "faults"))]
pub type FaultyVulkan = Gpu<testing::faults::Faulty<vulkan::Device>>;

/// The delegate for OpenCL devices that fail on request.
#[cfg(all(feature = "opencl", feature = "faults"))]
pub type FaultyOpenCl = Gpu<testing::faults::Faulty<opencl::Device>>;

/// The plugin with the delegate.
#[cfg(feature = "opencl")]
pub static PLUGIN: Plugin = plugin! {
    id: "org.arenite.opencl",
    description: "The delegate opencl: GPUs and other devices with an OpenCL driver",
    delegates: [OpenCl],
};

/// The delegate for Vulkan devices.
#[cfg(feature = "vulkan")]
pub type Vulkan = Gpu<vulkan::Device>;

/// The plugin with the delegate.
#[cfg(feature = "vulkan")]
pub static VULKAN: Plugin = plugin! {
    id: "org.arenite.vulkan",
    description: "The delegate vulkan: GPUs and other devices with a Vulkan 1.1 driver",
    delegates: [Vulkan],
};
