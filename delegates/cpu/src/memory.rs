//! Pointers that threads share.

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
