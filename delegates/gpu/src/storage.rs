//! What kernels read slices from: memory itself, or images over it, which GPUs read through their texture units.
//!
//! ```text
//! buffer ◄── image of pixels, each a slice: four floats of 32 bits, or of 16
//! ```
//! Memory is the same, and so is who writes it: an image is another view of a buffer. Only what is read by slices alone is read so.

use arenite_abi::prelude::*;

use crate::device::{About, Device};

/// What kernels read slices from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Memory.
    Buffer,
    /// Images over it.
    Image,
}

impl Storage {
    /// An error unless kernels on the device can read so.
    pub fn expect_on<D: Device>(self, about: Option<&About>) -> Result<()> {
        if self == Storage::Buffer || about.is_some_and(|about| about.images > 0) {
            return Ok(());
        }
        let device = about.map_or("the device", |about| &about.name);
        Err(unsupported!("option storage = 'image': kernels of '{}' on {device} have buffers alone", D::NAME))
    }
}
