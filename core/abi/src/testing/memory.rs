//! Buffers with guards, for the test harness.

use std::alloc::Layout;
use std::vec::Vec;

use crate::raw::{ArSpan, slice};

/// Number of bytes before and after each buffer that must not be written.
const GUARD: usize = 64;
const GUARD_BYTE: u8 = 0xe5;

/// A buffer between two guards, aligned to 64 bytes.
pub(super) struct GuardedMemory {
    base: *mut u8,
    /// Its size without the guards.
    pub(super) bytes: usize,
}

impl GuardedMemory {
    pub(super) fn new(bytes: usize, fill: u8) -> Self {
        let layout = Self::layout(bytes);
        // SAFETY: the layout is not empty.
        let base = unsafe { std::alloc::alloc(layout) };
        if base.is_null() {
            std::alloc::handle_alloc_error(layout);
        }
        // SAFETY: the allocation has `bytes + 2 * GUARD` bytes.
        unsafe {
            base.write_bytes(GUARD_BYTE, bytes + 2 * GUARD);
            base.add(GUARD).write_bytes(fill, bytes);
        }
        GuardedMemory { base, bytes }
    }

    pub(super) fn of(contents: &[u8]) -> Self {
        let memory = GuardedMemory::new(contents.len(), 0);
        // SAFETY: the memory has as many bytes, and is a new allocation.
        unsafe { memory.data().copy_from_nonoverlapping(contents.as_ptr(), contents.len()) };
        memory
    }

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes + 2 * GUARD, 64).expect("sizes are below CAPACITY")
    }

    pub(super) fn data(&self) -> *mut u8 {
        // SAFETY: the offset is inside the allocation.
        unsafe { self.base.add(GUARD) }
    }

    pub(super) fn span(&self) -> ArSpan {
        ArSpan { data: self.data().cast(), bytes: self.bytes as u64 }
    }

    pub(super) fn contents(&self) -> Vec<u8> {
        // SAFETY: `new` initialized the bytes, and the op has returned, so they are not written.
        unsafe { slice(self.data().cast_const(), self.bytes) }.to_vec()
    }

    pub(super) fn check_guards(&self, what: &str, during: &str) {
        // SAFETY: the allocation has `bytes + 2 * GUARD` bytes, all initialized by `new`.
        let whole = unsafe { slice(self.base.cast_const(), self.bytes + 2 * GUARD) };
        let intact = |guard: &[u8]| guard.iter().all(|&byte| byte == GUARD_BYTE);
        assert!(intact(&whole[..GUARD]), "{during} wrote before the start of {what}");
        assert!(intact(&whole[GUARD + self.bytes..]), "{during} wrote past the end of {what}");
    }
}

impl Drop for GuardedMemory {
    fn drop(&mut self) {
        // SAFETY: `new` allocated the memory with this layout.
        unsafe { std::alloc::dealloc(self.base, Self::layout(self.bytes)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;
    use std::panic::catch_unwind;

    #[test]
    fn a_write_outside_a_buffer_is_detected() {
        for (at, side) in [(GUARD - 1, "before the start"), (GUARD + 5, "past the end")] {
            let memory = GuardedMemory::new(5, 1);
            memory.check_guards("it", "eval");
            // SAFETY: the offset is inside the allocation.
            unsafe { memory.base.add(at).write(0) };
            let message = catch_unwind(move || memory.check_guards("it", "eval"))
                .expect_err("the write was not detected");
            assert_eq!(*message.downcast_ref::<String>().expect("text"), format!("eval wrote {side} of it"));
        }
    }
}
