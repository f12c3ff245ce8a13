//! The first values of a stateful op: a copy of its persistent memory after `prepare`, for resets.

use core::cell::Cell;

use crate::arena::{ALIGNMENT, Arena, Category};
use crate::error::Result;
use crate::model::node::{NodeRecord, Piece};

/// Copies the persistent buffers of a stateful op, one after the other.
#[inline]
pub(crate) fn copy(persistent: impl Iterator<Item = Piece> + Clone, arena: &Arena<'_>) -> Result<Piece> {
    let bytes = persistent.clone().map(|piece| piece.bytes).sum();
    let data = arena.persistent_bytes(bytes, ALIGNMENT, Category::Initial)?.as_ptr();
    let mut at = data;
    for piece in persistent {
        // SAFETY: `data` has room for the sum of all sizes, and each buffer has `piece.bytes` bytes in other memory.
        unsafe {
            at.copy_from_nonoverlapping(piece.data, piece.bytes);
            at = at.add(piece.bytes);
        }
    }
    Ok(Piece { data, bytes })
}

/// Restores the persistent buffers of a stateful op.
pub(crate) fn restore(prepared: &NodeRecord<'_>) {
    let Some(mut at) = prepared.first_values() else { return };
    for piece in prepared.persistent().iter().map(Cell::get) {
        // SAFETY: `copy` wrote `piece.bytes` bytes per buffer, in this order; no op is running.
        unsafe {
            piece.data.copy_from_nonoverlapping(at, piece.bytes);
            at = at.add(piece.bytes);
        }
    }
}
