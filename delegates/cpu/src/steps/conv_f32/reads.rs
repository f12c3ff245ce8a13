//! The rows that the tiles of a convolution read: pixels, through pointers, or copies of them.

use super::{ConvF32, TileAt, TileRoom};
use crate::memory::Source;
use crate::reach::pointers::PixelSource;

/// The rows of tiles, of which the first one has a pointer per row and tap.
pub(super) struct Read {
    /// Taps with a pointer.
    pub taps: usize,
    /// Values of a row and tap.
    pub k: usize,
    /// Values from one position to the next, if there are several tiles.
    pub step: usize,
}

impl ConvF32 {
    /// Fills in the pointers of the first tile. The input has the values of every tile of the call.
    pub(super) fn point(&self, room: &mut TileRoom<'_>, at: &TileAt, input: Source<'_, f32>) -> Read {
        let (positions, channels) = (&at.positions, self.window.channels);
        if self.pointers.is_point {
            let (first, len) = (positions.start * channels + at.group * self.depth, positions.len());
            let from = input.at(first, (len - 1) * channels + self.depth);
            fill(room, at.rows, from, channels);
            return Read { taps: 1, k: self.depth, step: channels };
        }
        let Some(patches) = &self.patches else { return self.point_taps(room, at, input) };
        let (k, step) = (patches.len, patches.stride);
        // SAFETY: the room is this thread's. No other code reads or writes it until the tiles are computed.
        let mut to = unsafe { room.patches.part(0, positions.len() * step) };
        patches.copy(&self.pointers, positions.clone(), input, &mut to);
        let from = to.written().at(0, positions.len() * step);
        fill(room, at.rows, from, step);
        Read { taps: 1, k, step }
    }

    /// As [`point`](Self::point), of a tile with a window of several taps.
    #[inline(never)]
    fn point_taps(&self, room: &mut TileRoom<'_>, at: &TileAt, input: Source<'_, f32>) -> Read {
        let (w, depth) = (&self.window, self.depth);
        let runs = self.pointers.runs(at.positions.clone());
        let outside = self.zeros.as_ptr();
        let seen = |len| PixelSource { input, from: at.group * depth, len };
        if w.columns.dilation == 1 && self.groups == 1 && self.pointers.are_inside(&runs) {
            let k = w.columns.taps * depth;
            self.pointers.fill_rows(room.pointers, runs, seen(k), outside);
            return Read { taps: w.rows.taps, k, step: 0 };
        }
        self.pointers.fill_taps(room.pointers, runs, seen(depth), outside);
        Read { taps: w.rows.taps * w.columns.taps, k: depth, step: 0 }
    }
}

/// Writes the pointers of `rows` rows, `step` values each after the last.
fn fill(room: &mut TileRoom<'_>, rows: usize, from: *const f32, step: usize) {
    for (i, pointer) in room.pointers[..rows].iter_mut().enumerate() {
        pointer.write(from.wrapping_add(i * step));
    }
}
