//! `Requests`: the buffers that an op requests in `prepare`.

use core::ptr::NonNull;

use crate::arena::Arena;
use crate::error::Result;
use crate::model::node::Piece;

/// A buffer, and the one that was requested before it. It is in temporary memory.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    piece: Piece,
    before: Option<NonNull<Request>>,
}

/// Buffers in the order in which they were requested. They are valid as long as the temporary before the first one.
#[derive(Default)]
pub(crate) struct Requests {
    newest: Option<NonNull<Request>>,
    count: u8,
}

impl Requests {
    pub(super) fn len(&self) -> usize {
        usize::from(self.count)
    }

    /// Adds a buffer and returns its number.
    pub(super) fn add(&mut self, arena: &Arena<'_>, piece: Piece) -> Result<u32> {
        self.newest = Some(arena.temporary_value(Request { piece, before: self.newest })?);
        self.count += 1;
        Ok(u32::from(self.count - 1))
    }

    /// Buffer `i`. Lists are short, so it walks from the newest one.
    ///
    /// # Safety
    /// The temporary before the first request must still be in use.
    unsafe fn get(&self, i: usize) -> Option<Piece> {
        let mut request = self.newest?;
        for _ in i + 1..self.len() {
            // SAFETY: `add` wrote each request of the list, and none was freed, as `# Safety` requires.
            request = unsafe { request.as_ref().before? };
        }
        // SAFETY: as in the loop.
        Some(unsafe { request.as_ref().piece })
    }

    /// All buffers.
    ///
    /// # Safety
    /// As for `get`, while the iterator is in use.
    pub(super) unsafe fn iter(&self) -> impl Iterator<Item = Piece> + Clone {
        // SAFETY: the requirements are the same.
        (0..self.len()).filter_map(|i| unsafe { self.get(i) })
    }
}
