//! Blocks of memory that begin at a multiple of 64 bytes.

use std::fmt;

use bytemuck::{Pod, Zeroable};

#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// A block of elements at a multiple of 64 bytes, zeros at first.
pub struct Aligned<T> {
    lines: Vec<Line>,
    len: usize,
    of: std::marker::PhantomData<T>,
}

impl<T: Pod> Aligned<T> {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        let lines = vec![Line([0; 64]); (len * size_of::<T>()).div_ceil(64)];
        Aligned { lines, len, of: std::marker::PhantomData }
    }

    /// As [`zeros`](Self::zeros), for a length that comes from a model.
    ///
    /// # Errors
    /// If the system has no memory for it.
    pub fn try_zeros(len: usize) -> Result<Self, OutOfMemory> {
        let bytes = len.saturating_mul(size_of::<T>());
        let mut lines = Vec::new();
        lines.try_reserve_exact(bytes.div_ceil(64)).map_err(|_| OutOfMemory { bytes })?;
        lines.resize(bytes.div_ceil(64), Line([0; 64]));
        Ok(Aligned { lines, len, of: std::marker::PhantomData })
    }
}

/// The system has no memory for a block of `bytes` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Size of the block.
    pub bytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system has no {} bytes for constants", self.bytes)
    }
}

impl std::error::Error for OutOfMemory {}

impl<T: Pod> std::ops::Deref for Aligned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl<T: Pod> std::ops::DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}
