//! The storage that kernels read slices from: buffers, or images over buffers, which GPUs read through their texture
//! units.
//!
//! ```text
//! buffer ◄── image of pixels, each a slice: four floats of 32 bits, or of 16
//! ```
//! An image is another view of a buffer; kernels write through the buffer. Only operands that are read by whole slices
//! use images.

use arenite_abi::prelude::*;

use crate::device::{Device, DeviceInfo};

/// The storage that kernels read slices from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Buffers.
    Buffer,
    /// Images over buffers.
    Image,
}

impl Storage {
    /// An error unless the device supports this storage.
    pub(crate) fn expect_on<D: Device>(self, about: Option<&DeviceInfo>) -> Result<()> {
        if self == Storage::Buffer || about.is_some_and(|about| about.images > 0) {
            return Ok(());
        }
        let device = about.map_or("the device", |about| &about.name);
        Err(unsupported!("option storage = 'image': kernels of '{}' on {device} have buffers alone", D::NAME))
    }
}
