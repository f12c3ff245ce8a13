//! The GPU delegates of arenite: so far `opencl`, for any device of OpenCL 1.2.
//!
//! ```text
//!  partition ─► net, rewritten ─► tasks, records ─► kernels, objects ─► run
//!             (arenite_layers)  (builder, ops)     (program)
//! ```
//! * `ops` makes tasks of layers: one file per layer, and beside it the text of its kernel. `epilogue` writes what a kernel does with its
//!   results, so that programs are shared by all nodes that do the same, whatever their sizes.
//! * `layout` says how tensors lie in a device's memory.
//! * `opencl` has devices, memory and queues; all unsafe code is there.
//! * `work_groups` selects the sizes of work-groups from what a device tells about itself: pure functions of a [`GpuInfo`].
//!
//! Neither a driver nor an SDK is needed to build: libOpenCL is opened when a delegate is made, which without a device is unavailable.
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
//! | object | memory of the device that records share |

mod builder;
mod delegate;
mod epilogue;
mod gpu_info;
mod layout;
mod net;
mod opencl;
mod ops;
mod program;
pub mod work_groups;

use arenite_abi::{Plugin, plugin};

pub use delegate::OpenCl;
pub use gpu_info::{Adreno, GpuInfo, Mali, Vendor};
pub use opencl::{About, devices};

/// The plugin.
pub static PLUGIN: Plugin = plugin! {
    id: "org.arenite.opencl",
    description: "The delegate opencl: GPUs, and whatever else has an OpenCL driver",
    delegates: [OpenCl],
};
