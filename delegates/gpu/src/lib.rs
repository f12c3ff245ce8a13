//! The GPU delegates of arenite.
//!
//! `work_groups` selects the sizes of work-groups from what a device tells about itself: pure functions of a [`GpuInfo`], which needs
//! no device.
//!
//! # Words
//!
//! | word | what it is |
//! |---|---|
//! | work-item | one thread of a device |
//! | work-group | work-items that run together and share local memory |
//! | grid | all work-items of a dispatch |
//! | wave | work-items that a device runs in lockstep |
#![forbid(unsafe_code)]

mod gpu_info;
pub mod work_groups;

pub use gpu_info::{Adreno, GpuInfo, Mali, Vendor};
