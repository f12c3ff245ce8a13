//! The GPU delegates of arenite: `opencl`, for any device of OpenCL 1.2, and `vulkan`, for any of Vulkan 1.1.
//!
//! ```text
//!  partition ─► net, rewritten ─► tasks, records ─► kernels, objects ─► run
//!             (arenite_layers)  (builder, ops)     (program)
//! ```
//! * `ops` makes tasks of layers: one file per layer, and beside it the texts of its kernel. `epilogue` says what a kernel does with its
//!   results, so that programs are shared by all nodes that do the same, whatever their sizes.
//! * `layout` says how tensors lie in a device's memory, `precision` in how many bits, `wide` where in more than that, `storage` by which way
//!   kernels read them.
//! * `device` is what a backend gives: devices, memory, queues, recordings. `opencl` and `vulkan` are backends, behind features of
//!   their names; all unsafe code is there.
//! * `cache` keeps what was compiled and timed from one start to the next; `tuner` has timed what is not known; `shared` is what partitions of an interpreter share; `transfer`
//!   leaves nodes that are not worth what crosses for them.
//! * `work_groups` selects the sizes of work-groups from what a device tells about itself: pure functions of a [`GpuInfo`].
//!
//! Neither a driver, an SDK nor a compiler of shaders is needed to build: libOpenCL and libvulkan are opened when a delegate is made, which
//! without a device is unavailable.
//!
//! # Words
//!
//! Those of layers, nets and windows are explained by [`arenite_layers`].
//!
//! | word | what it is |
//! |---|---|
//! | work-item | one thread of a device |
//! | work-group | work-items that run together and share local memory |
//! | grid | all work-items of a dispatch |
//! | wave | work-items that a device runs in lockstep |
//! | slice | four channels, which lie and are computed side by side |
//! | task | a kernel with its arguments, on records |
//! | launch | a kernel with its arguments, on memory |
//! | recording | launches in order, with what is copied before and behind them |
//! | object | memory of the device that records share |

// Who asks for no backend gets rules for work-groups, and nothing that would call the rest.
#![cfg_attr(not(any(feature = "opencl", feature = "vulkan")), allow(dead_code))]

mod builder;
mod cache;
mod crossing;
mod delegate;
mod device;
mod epilogue;
#[cfg(feature = "faults")]
pub mod faults;
mod gpu_info;
mod kernel_name;
mod layout;
mod net;
#[cfg(feature = "opencl")]
mod opencl;
mod ops;
mod options;
mod precision;
mod program;
#[cfg(any(feature = "opencl", feature = "vulkan"))]
mod recent;
mod shared;
mod sizes;
mod storage;
mod store;
mod transfer;
mod tuner;
#[cfg(feature = "vulkan")]
mod vulkan;
mod wide;
pub mod work_groups;

#[cfg(any(feature = "opencl", feature = "vulkan"))]
use arenite_abi::{Plugin, plugin};

pub use delegate::Gpu;
pub use device::About;
pub use gpu_info::{Adreno, GpuInfo, Mali, Vendor};

/// The devices of OpenCL.
///
/// # Errors
/// `Unavailable` if there is no driver.
#[cfg(feature = "opencl")]
pub fn devices() -> arenite_abi::Result<Vec<About>> {
    <opencl::Device as device::Device>::list()
}

/// Those of Vulkan.
///
/// # Errors
/// As [`devices`].
#[cfg(feature = "vulkan")]
pub fn vulkan_devices() -> arenite_abi::Result<Vec<About>> {
    <vulkan::Device as device::Device>::list()
}

/// The delegate of OpenCL's devices.
#[cfg(feature = "opencl")]
pub type OpenCl = Gpu<opencl::Device>;

/// The same over Vulkan's devices that fail on purpose.
#[cfg(all(feature = "vulkan", feature = "faults"))]
pub type FaultyVulkan = Gpu<faults::Faulty<vulkan::Device>>;

/// The same over OpenCL devices that fail on purpose.
#[cfg(all(feature = "opencl", feature = "faults"))]
pub type FaultyOpenCl = Gpu<faults::Faulty<opencl::Device>>;

/// The plugin of it.
#[cfg(feature = "opencl")]
pub static PLUGIN: Plugin = plugin! {
    id: "org.arenite.opencl",
    description: "The delegate opencl: GPUs, and whatever else has an OpenCL driver",
    delegates: [OpenCl],
};

/// The delegate of Vulkan's devices.
#[cfg(feature = "vulkan")]
pub type Vulkan = Gpu<vulkan::Device>;

/// The plugin of it.
#[cfg(feature = "vulkan")]
pub static VULKAN: Plugin = plugin! {
    id: "org.arenite.vulkan",
    description: "The delegate vulkan: GPUs, and whatever else has a driver of Vulkan 1.1",
    delegates: [Vulkan],
};
