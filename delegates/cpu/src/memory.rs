//! Memory of the delegate's own: aligned blocks for packed weights, and pointers that threads share.

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
}

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

/// A pointer that the threads of one loop share. Each writes what is its own; the loop says what that is.
pub struct Shared<T>(*mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<T> {}

// SAFETY: a pointer is a number; whoever goes through it keeps to what is its thread's own.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The pointer to share.
    pub const fn new(p: *mut T) -> Self {
        Shared(p)
    }

    /// The pointer.
    pub fn get(self) -> *mut T {
        self.0
    }
}
