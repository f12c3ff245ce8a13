//! The Vulkan 1.1 backend: one logical device per device and process.
//!
//! ```text
//! Device ─► Logical (the driver's device, its queue)     kernels ─► Pipeline: per kernel, constants and work-group
//!    │                                                       │
//!    └─► VulkanMemory, a range of a Block ────────────► Recording: a command buffer, submitted once per invocation
//! ```
//! * *Texts* are compiled at build time (`build/spirv.rs`), so they cannot contain epilogues. A kernel with an epilogue
//!   has slots for a few functions, whose kinds and numbers are specialization constants; the driver removes unused
//!   slots. Binaries with few slots compile faster. Functions that fit into no slot get a separate kernel, see
//!   `plan::fused_task`. A lookup at run time would cost a branch per function and slice, and a binary per epilogue is
//!   impossible because there are too many.
//! * *16-bit floats* need no device feature: a word holds two, which GLSL functions of every device unpack. Texts use a
//!   type alias and its functions, each text is compiled for both precisions, and the flag `HALVES` selects the binary.
//!   Single halves are written with atomics.
//! * *Work-groups*: one SPIR-V instruction holds their size, which is replaced before the driver sees it. So any size
//!   can be tuned.
//! * *Memory* is allocated in blocks, and tensors get ranges. Host-visible tensors are written in place; others are
//!   copied through staging memory in the same submission.
//! * *Cache*: pipeline data is kept in `cache_dir` (see `pipeline_cache`), next to tuned sizes.
//! * *Outputs that stay*: values for other partitions are copied on the device, in the submission of the reader. Only
//!   outputs that the host reads are copied back.
//! * *Faults*: each wait has a time limit and can be stopped. The next delegate opens a lost or hung device again.
//!   Memory that a hung kernel may still use is leaked.
//!
//! Mesa's llvmpipe (22.3) ends the loops of a work-item after 65,535 iterations in total. `iterations` refuses launches
//! that need more.
//!
//! libvulkan is opened when devices are first listed or opened. Without it, or without a driver, the delegate is
//! unavailable. All unsafe code of the backend is in this folder; `about`, `backend`, `inputs`, `kernels`, `ranges` and
//! `iterations` have none.

mod backend;
mod bound;
mod commands;
mod device;
mod dispatch;
mod inputs;
mod instance;
mod iterations;
mod kernels;
mod logical;
mod memory;
mod pipeline;
mod pipeline_cache;
mod properties;
mod queue;
mod ranges;
mod recording;
mod stamps;
#[cfg(test)]
mod tests;
mod timing;

pub(crate) use device::Device;

use arenite_abi::prelude::*;
use ash::vk;

/// A driver's error. It is `Unavailable`, so an application can continue without the device.
fn failed(stage: &str, error: vk::Result) -> Error {
    unavailable!("{stage}: {error}")
}
