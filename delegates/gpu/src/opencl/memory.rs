//! Buffers on a device, and images that share their bytes.

use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arenite_abi::prelude::*;
use opencl3::context::Context;
use opencl3::memory::{
    Buffer, CL_FLOAT, CL_HALF_FLOAT, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE,
    CL_RGBA, ClMem as _, Image,
};
use opencl3::types::{cl_image_desc, cl_image_format, cl_mem};

use super::failed;
use crate::device;
use crate::store::precision::Precision;

/// A buffer of floats.
pub struct OpenClMemory {
    /// Images over the buffer with pixels of 32-bit and of 16-bit floats, created on first use.
    images: [Mutex<Option<Image>>; 2],
    /// Held while a command that changes the buffer is enqueued.
    buffer: Mutex<Buffer<f32>>,
    len: usize,
}

impl OpenClMemory {
    /// Allocates an uninitialized buffer of `len` floats, at least one pixel.
    ///
    /// # Errors
    /// The device has too little memory.
    pub fn new(context: &Context, len: usize) -> Result<OpenClMemory> {
        // SAFETY: the host pointer is null, so the driver keeps no reference to host memory.
        let buffer = unsafe { Buffer::create(context, CL_MEM_READ_WRITE, len.max(4), null_mut()) };
        let buffer = buffer.map_err(|error| failed("no memory of the device", error))?;
        Ok(OpenClMemory { images: Default::default(), buffer: Mutex::new(buffer), len })
    }

    pub fn buffer(&self) -> MutexGuard<'_, Buffer<f32>> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pixels of an image over the whole buffer: one per slice.
    pub fn pixels(&self, precision: Precision) -> usize {
        (self.len / precision.bytes()).max(1)
    }

    /// An image over the whole buffer, which lives as long as the buffer.
    ///
    /// # Errors
    /// The driver refuses the image.
    pub fn image(&self, context: &Context, precision: Precision) -> Result<cl_mem> {
        let (at, depth) = match precision {
            Precision::F32 => (0, CL_FLOAT),
            Precision::F16 => (1, CL_HALF_FLOAT),
        };
        let mut image = self.images[at].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(image) = &*image {
            return Ok(image.get());
        }
        let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: depth };
        let description = cl_image_desc {
            image_type: CL_MEM_OBJECT_IMAGE1D_BUFFER,
            image_width: self.pixels(precision),
            image_height: 0,
            image_depth: 0,
            image_array_size: 0,
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: self.buffer().get(),
        };
        // SAFETY: both structs are read before the call returns. The buffer belongs to this context and holds all
        // pixels of the image; the driver retains it as long as the image lives.
        let made = unsafe { Image::create(context, CL_MEM_READ_ONLY, &format, &description, null_mut()) };
        let made = made.map_err(|error| failed("no image over memory of the device", error))?;
        Ok(image.insert(made).get())
    }
}

impl device::Memory for OpenClMemory {
    fn len(&self) -> usize {
        self.len
    }
}
