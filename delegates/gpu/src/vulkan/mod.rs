//! Vulkan 1.1: devices, one logical device of each per process, and what the delegate asks of them.
//!
//! ```text
//! Device ─► Logical (the driver's device, its queue)        kernels ─► Pipeline: one per kernel, constants and work-group
//!    │                                                          │
//!    └─► Memory, a range of a Block ─────────────────────► Recording: a command buffer, submitted once per invocation
//! ```
//! * *Texts* are compiled when the crate is (`build/spirv.rs`), so epilogues cannot be written into them. Each kernel that has one has slots
//!   for a few functions, whose kinds and numbers are specialization constants: the driver leaves nothing of the others. There are binaries
//!   with few slots, which compile sooner. What goes into no slot becomes a kernel of its own, see `ops::push`. A table that kernels look into at run time would have
//!   cost a branch per function and slice; a binary per epilogue cannot be had, there are too many.
//! * *Floats of 16 bits* need no feature of the device: two are a word, which GLSL's functions of all devices take apart. So texts name a type and
//!   functions of it, each text is compiled for both, and the flag `HALVES` selects the binary. What writes single halves of words does so by
//!   atomic operations.
//! * *Work-groups*: SPIR-V has their size in one instruction, whose numbers are written over before the driver sees them. So any size
//!   can be tried, as with OpenCL.
//! * *Memory* comes in blocks, of which tensors get ranges. Where the device's memory is the host's, tensors are written in place;
//!   elsewhere they go through staging memory, within the one submission.
//! * *From one start to the next*: what the driver compiled lies in `cache_dir`, see `kept`, beside sizes that were timed.
//! * *What stays*: outputs that other partitions read are copied on the device, in front of the steps and in their submission; only what the
//!   host reads comes back.
//! * *Faults*: each wait has an end, and ends when the caller says so. A device that is lost, or does not end, is opened anew by the next delegate. What a kernel that does
//!   not end may still use is never given back.
//!
//! Mesa's llvmpipe (22.3) ends the loops of a work-item after 65,535 iterations in total. `turns` declares the loops of every kernel and refuses
//! launches that need more.
//!
//! libvulkan is opened when the first device is asked for; without it, or without a driver, there are no devices. All unsafe code of the
//! backend is in this folder, but `kernels`, `ranges`, `recent`, `turns`, `inputs` and `about` have none.

mod about;
mod commands;
mod device;
mod dispatch;
mod inputs;
mod instance;
mod kept;
mod kernels;
mod logical;
mod memory;
mod pipeline;
mod queue;
mod ranges;
mod recording;
mod stamps;
#[cfg(test)]
mod tests;
mod timing;
mod turns;

pub use device::Device;

use arenite_abi::prelude::*;
use ash::vk;

/// A device's error: whatever it is, the user may go on without the device.
fn failed(stage: &str, error: vk::Result) -> Error {
    unavailable!("{stage}: {error}")
}
