//! The epilogue of a convolution. It is applied to several tiles at a time if each has few results: a call of an
//! operation costs as much as hundreds of results.

use super::parts::TOGETHER;
use super::{ConvF32, PrefetchTarget, TileAt, TileData, TileRoom};
use crate::memory::Disjoint;

impl ConvF32 {
    /// Computes a tile, and applies the epilogue.
    ///
    /// # Safety
    /// No other thread may access the tile's results in `work.output`, the tensor, or the room's buffer.
    pub(super) unsafe fn alone(
        &self,
        at: TileAt,
        target: PrefetchTarget,
        work: &TileData<'_>,
        room: &mut TileRoom<'_>,
    ) {
        // SAFETY: no other thread accesses the results, as `# Safety` requires; `tile` writes what `finish` reads.
        unsafe {
            self.tile(at.clone(), 0, target, work, room);
            self.finish(&at, room.buffer, work);
        }
    }

    /// Computes tiles, and applies the epilogue.
    ///
    /// # Safety
    /// No other thread may access the results of these tiles in `work.output`, the tensor, or the room's buffer.
    #[inline(never)]
    pub(super) unsafe fn each(
        &self,
        tiles: &mut dyn Iterator<Item = (TileAt, PrefetchTarget)>,
        work: &TileData<'_>,
        room: &mut TileRoom<'_>,
    ) {
        let mut open = TileAt { group: 0, blocks: 0..1, positions: 0..0, rows: 0 };
        for (at, target) in tiles {
            let [start, end] = [at.positions.start, at.positions.end];
            if !self.joins(&open, &at) {
                // SAFETY: `tile` wrote the open results, and no other thread accesses them, as `# Safety` requires.
                unsafe { self.finish(&open, room.buffer, work) };
                open = TileAt { positions: start..start, ..at.clone() };
            }
            let before = start - open.positions.start;
            open.positions.end = end;
            // SAFETY: no other thread accesses the results of the caller's tiles, as `# Safety` requires.
            unsafe { self.tile(at, before, target, work, room) };
        }
        // SAFETY: `tile` wrote the open results, and no other thread accesses them, as `# Safety` requires.
        unsafe { self.finish(&open, room.buffer, work) };
    }

    /// Whether a tile is finished together with those before it.
    fn joins(&self, open: &TileAt, at: &TileAt) -> bool {
        let is_next = open.positions.end == at.positions.start;
        is_next
            && (open.group, &open.blocks) == (at.group, &at.blocks)
            && (at.positions.end - open.positions.start) * self.blocks[at.blocks.start].columns <= TOGETHER
    }

    /// Whether results are finished in memory.
    pub(super) fn finishes(&self) -> bool {
        self.fused.is_none() && !self.epilogue.is_empty()
    }

    /// Applies the epilogue to the results of tiles side by side in one block.
    ///
    /// # Safety
    /// The results must be in the output, the tensor, or contiguous in the buffer. No other thread may access them.
    #[inline]
    unsafe fn finish(&self, at: &TileAt, buffer: Disjoint<'_, f32>, work: &TileData<'_>) {
        if self.finishes() {
            // SAFETY: as this function requires.
            unsafe { self.apply(at, buffer, work) };
        }
    }

    /// As [`finish`](Self::finish), of an epilogue with operations.
    ///
    /// # Safety
    /// As for `finish`.
    #[inline(never)]
    unsafe fn apply(
        &self,
        at: &TileAt,
        buffer: Disjoint<'_, f32>,
        &TileData { output, ref epilogue, .. }: &TileData<'_>,
    ) {
        let (block, rows) = (&self.blocks[at.blocks.start], at.positions.len());
        let start = at.positions.start * self.stride + at.group * self.columns + block.from;
        // Whole rows are contiguous.
        let (runs, run) = match block.columns == self.stride {
            true => (usize::from(rows > 0), rows * block.columns),
            false => (rows, block.columns),
        };
        for (r, at) in (0..runs).map(|r| (r, start + r * self.stride)) {
            for (i, op) in epilogue.iter().enumerate() {
                let (from, first) = if self.buffers_tiles { (buffer, r * run) } else { (output, at) };
                let (to, first_to) = if i + 1 == self.epilogue.len() { (output, at) } else { (from, first) };
                // SAFETY: this is a run of the tiles' results, which no other thread accesses, as the caller
                // guarantees. Operands are unchanged until the last operation, which reads each element before it
                // writes the one at its place.
                let (mut to, from) = unsafe { (to.part(first_to, run), from.written()) };
                op.apply(self.map, from.part(first, run), &mut to, at);
            }
        }
    }
}
