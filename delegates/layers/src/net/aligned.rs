//! Memory for constants.

use arenite_abi::prelude::*;
use arenite_base::Aligned;
use bytemuck::Pod;

/// `len` zeros at a multiple of 64 bytes, where `len` comes from a model.
///
/// # Errors
/// [`Status::OutOfMemory`] if the system has no memory for them.
pub fn aligned_zeros<T: Pod>(len: usize) -> Result<Aligned<T>> {
    Aligned::try_zeros(len).map_err(|full| Error::new(Status::OutOfMemory, format_args!("{full}")))
}
