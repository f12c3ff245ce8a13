//! Functions of `arenite/picture.h`: fill tensors from pictures. The feature `image` provides decoding and resizing.

#[cfg(not(feature = "image"))]
mod absent;

use std::ffi::{c_char, c_void};
use std::fmt::Display;
use std::path::Path;

#[cfg(not(feature = "image"))]
use absent::{Normalization, Picture};
#[cfg(feature = "image")]
use arenite_pictures::{Normalization, Picture};

use crate::arguments::{list, shared, text};
use crate::error::{AR_ERROR_ARGUMENT, AR_ERROR_UNSUPPORTED, ArError, Failure, Result, guard};
use crate::tensor::ArTensor;

/// Mean and standard deviation of the pixels.
#[repr(C)]
pub struct ArNormalization {
    mean: *const f32,
    std: *const f32,
    count: usize,
}

/// Reads a normalization; the default for null.
///
/// # Safety
/// `given` must be null or point to a struct whose `mean` and `std` are each null or have `count` elements.
unsafe fn normalization<'a>(given: *const ArNormalization) -> Result<Normalization<'a>> {
    // SAFETY: `given` is null or points to a struct whose lists have `count` elements, as `# Safety` requires; `list`
    // checks for null.
    unsafe {
        let Some(ArNormalization { mean, std, count }) = given.as_ref() else {
            return Ok(Normalization::default());
        };
        Ok(Normalization { mean: list(*mean, *count, "mean")?, std: list(*std, *count, "std")? })
    }
}

fn refused(reason: impl Display) -> Failure {
    let code = if cfg!(feature = "image") { AR_ERROR_ARGUMENT } else { AR_ERROR_UNSUPPORTED };
    Failure::new(code, reason.to_string())
}

fn fill(tensor: &ArTensor, picture: &Picture, normalization: Normalization<'_>) -> Result<()> {
    tensor.with_state(|state, place| {
        let target = state.write(place)?;
        let described = target.tensor();
        let named = |reason| refused(format!("tensor '{}': {reason}", described.name));
        normalization.check(described).map_err(|reason| named(reason.to_string()))?;
        let bytes = picture.fill(described, normalization).map_err(|reason| named(reason.to_string()))?;
        Ok(target.copy_from_bytes(&bytes)?)
    })
}

/// Fills a tensor from a picture file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_set_picture_file(
    tensor: *mut ArTensor,
    path: *const c_char,
    normalization: *const ArNormalization,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as the header requires.
        let (tensor, path, normalization) =
            unsafe { (shared(tensor, "tensor")?, text(path, "path")?, self::normalization(normalization)?) };
        let picture =
            Picture::from_file(Path::new(path)).map_err(|reason| refused(format!("{path}: {reason}")))?;
        fill(tensor, &picture, normalization)
    })
}

/// Fills a tensor from the bytes of a picture file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_set_picture(
    tensor: *mut ArTensor,
    data: *const c_void,
    size: usize,
    normalization: *const ArNormalization,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, `data` null or `size` bytes, and `normalization` null or valid, as
        // the header requires.
        let (tensor, bytes, normalization) = unsafe {
            (shared(tensor, "tensor")?, list(data.cast(), size, "data")?, self::normalization(normalization)?)
        };
        fill(tensor, &Picture::from_bytes(bytes).map_err(refused)?, normalization)
    })
}

/// Fills a tensor from pixels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_set_pixels(
    tensor: *mut ArTensor,
    pixels: *const u8,
    width: u32,
    height: u32,
    channels: u32,
    normalization: *const ArNormalization,
) -> *mut ArError {
    guard(|| {
        let channels = channels as usize;
        let size = (width as usize).saturating_mul(height as usize).saturating_mul(channels);
        // SAFETY: `tensor` is null or a live handle, `pixels` null or `size` bytes, and `normalization` null or valid,
        // as the header requires.
        let (tensor, pixels, normalization) = unsafe {
            (shared(tensor, "tensor")?, list(pixels, size, "pixels")?, self::normalization(normalization)?)
        };
        let picture = Picture::from_pixels(pixels, width, height, channels).map_err(refused)?;
        fill(tensor, &picture, normalization)
    })
}
