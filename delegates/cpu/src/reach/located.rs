//! The rows of a layer's tiles, located when the layer is built: offsets in the input, which may be elsewhere in each
//! run.
//!
//! ```text
//! tile:      first, end      positions
//!            taps, k, step   rows
//!            offsets[from‥]  one per pointer; OUTSIDE for rows outside of the image
//! ```

use std::ops::Range;

use super::pointers::{MAX_POSITIONS, Pointers, Room};
use crate::kernels::u8i8_gemm::Extent;
use crate::memory::Source;

/// The offset of pointers to pixels outside of the image.
const OUTSIDE: u32 = u32::MAX;
/// The sizes of a layer.
pub(crate) struct LayerSizes {
    pub tiles: usize,
    /// Pointers of all tiles, at most.
    pub pointers: usize,
    /// Bytes of the input.
    pub input: usize,
    /// Bytes that are read for a tap outside of the image.
    pub outside: usize,
}

/// Most tiles of a layer.
const TILES: usize = 128;
/// Most pointers of all tiles: 32 KB of offsets. Larger layers spend little of their time on pointers.
const POINTERS: usize = 1 << 13;
/// Most pointers to look at: rows of taps that are side by side need one for all.
const LOOKED_UP: usize = 16 * POINTERS;
/// Most bytes of an input.
const INPUT: usize = 1 << 20;

/// The rows of all tiles.
pub(crate) struct Located {
    tiles: Vec<LocatedTile>,
    offsets: Vec<u32>,
    /// Bytes of the input.
    len: usize,
}

/// The location of the rows of a tile: `[taps][rows]` pointers to `k` bytes, or `[taps]` pointers to the first row if
/// rows have a fixed distance.
#[derive(Clone, Copy)]
pub(crate) struct TapRows {
    /// Number of taps.
    pub taps: usize,
    /// Bytes per row and tap.
    pub k: usize,
    /// Bytes from one row to the next; 0 if each has a pointer.
    pub step: usize,
    /// How far rows may be read.
    pub reach: Extent,
}

impl TapRows {
    /// The sum of all bytes of row `r` of `rows`.
    ///
    /// # Safety
    /// `pointers` must be the ones that were filled when `self` was made, and their input must still be readable.
    pub(crate) unsafe fn sum(&self, pointers: &Room<u8>, rows: usize, r: usize) -> i32 {
        (0..self.taps).fold(0, |sum: i32, tap| {
            let (i, behind) = if self.step == 0 { (tap * rows + r, 0) } else { (tap, r * self.step) };
            // SAFETY: row `r` has a pointer for each tap, or starts `r` steps after the first row of the tile. It has
            // `k` bytes, as `point` checked.
            let row =
                unsafe { std::slice::from_raw_parts(pointers[i].assume_init().wrapping_add(behind), self.k) };
            sum.wrapping_add(row.iter().map(|&a| i32::from(a)).sum())
        })
    }
}

struct LocatedTile {
    positions: Range<usize>,
    rows: TapRows,
    /// Its part of the offsets.
    offsets: Range<usize>,
}

impl Located {
    /// Locates the rows of a layer's tiles, if they are few. `point` returns the positions and the rows of a tile and
    /// writes its pointers; it gets the input and the bytes that are read outside of the image.
    pub(crate) fn new(
        pointers: &Pointers,
        LayerSizes { tiles, pointers: most, input: len, outside }: LayerSizes,
        point: impl Fn(usize, &mut Room<u8>, (Source<'_, u8>, Source<'_, u8>)) -> (Range<usize>, TapRows),
    ) -> Option<Located> {
        if tiles > TILES || most > LOOKED_UP || len > INPUT {
            return None;
        }
        let (input, outside) = (vec![0; len], vec![0; outside]);
        let mut located = Located { tiles: Vec::with_capacity(tiles), offsets: Vec::new(), len };
        pointers.with_room(&mut |room| {
            for tile in 0..tiles {
                let (positions, rows) = point(tile, room, (Source::of(&input), Source::of(&outside)));
                let count = rows.taps * if rows.step == 0 { positions.len() } else { 1 };
                let start = located.offsets.len();
                located.offsets.extend(room[..count].iter().map(|pointer| {
                    // SAFETY: `point` wrote a pointer per tap, and per row if rows have no step.
                    let at = unsafe { pointer.assume_init() }.addr();
                    match at.wrapping_sub(input.as_ptr().addr()) {
                        offset if offset < len => offset as u32,
                        _ => OUTSIDE,
                    }
                }));
                located.tiles.push(LocatedTile { positions, rows, offsets: start..located.offsets.len() });
            }
        });
        located.offsets.shrink_to_fit();
        (located.offsets.len() <= POINTERS).then_some(located)
    }

    /// The positions of a tile.
    #[inline(always)]
    pub(crate) fn positions(&self, tile: usize) -> Range<usize> {
        self.tiles[tile].positions.clone()
    }

    /// The offset of the only row of the layer, if it has one row of one tap, inside of the image.
    pub(crate) fn only_row(&self) -> Option<(usize, TapRows)> {
        let ([LocatedTile { positions, rows, .. }], [offset]) = (&self.tiles[..], &self.offsets[..]) else {
            return None;
        };
        (*positions == (0..1) && rows.taps == 1 && *offset != OUTSIDE).then_some((*offset as usize, *rows))
    }

    /// The bytes of the input from `offset` on.
    ///
    /// # Panics
    /// If the input is not the whole one.
    #[inline(always)]
    pub(crate) fn from(&self, offset: usize, input: Source<'_, u8>) -> *const u8 {
        input.at(0, self.len).wrapping_add(offset)
    }

    /// Writes the pointers of a tile. `outside` is read for pixels outside of the image.
    ///
    /// # Panics
    /// If the input is not the whole one.
    #[inline(always)]
    pub(crate) fn point(
        &self,
        pointers: &mut Room<u8>,
        tile: usize,
        input: Source<'_, u8>,
        outside: *const u8,
    ) -> TapRows {
        let (tile, input) = (&self.tiles[tile], input.at(0, self.len));
        for (pointer, &offset) in pointers.iter_mut().zip(&self.offsets[tile.offsets.clone()]) {
            let inside = input.wrapping_add(offset as usize);
            pointer.write(if offset == OUTSIDE { outside } else { inside });
        }
        tile.rows
    }
}

const _: () = assert!(INPUT < OUTSIDE as usize && POINTERS >= MAX_POSITIONS);

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use arenite_layers::Window;
    use proptest::prelude::*;

    use super::*;
    use crate::isa::Isa;
    use crate::reach::patches_u8::{FilterSizes, Item, Patches};
    use crate::reach::pointers::tests::axis;
    use crate::reach::weights_u8::Weights;
    use crate::store::Store;

    proptest! {
        #[test]
        fn located_rows_are_those_of_the_windows(rows in axis(), columns in axis(), channels in 1..9usize, batches in 1..3usize, groups in 1..3usize) {
            let channels = channels * groups;
            let window = Window { batches, rows, columns, channels };
            let weights = vec![1; 3 * rows.taps * columns.taps * channels];
            let (store, sizes) = (Store::new(Default::default()), FilterSizes { filters: 3 * groups, groups });
            let patches =
                Patches::new(Isa::machine(), &store, window, sizes, ("weights", &Weights::of(&weights))).unwrap();
            prop_assert_eq!(patches.located.is_some(), groups == 1 && patches.tiles <= TILES);
            let (input, outside) = (vec![0; batches * window.image()], vec![0; patches.outside()]);
            for tile in 0..if patches.located.is_some() { patches.tiles } else { 0 } {
                let Range { start: first, end } = patches.positions(tile);
                let found = [Some(tile), None].map(|tile| {
                    let mut room = [const { MaybeUninit::uninit() }; MAX_POSITIONS * 16];
                    let item = Item { g: 0, from: 0, columns: 3, first, end, tile, shift: 0 };
                    let TapRows { taps, k, step, reach } =
                        patches.point(&mut room, &item, Source::of(&input), Source::of(&outside));
                    let count = taps * if step == 0 { end - first } else { 1 };
                    // SAFETY: as many pointers as `point` writes.
                    let pointers = Vec::from_iter(room[..count].iter().map(|p| unsafe { p.assume_init() }));
                    (k, step, reach, pointers)
                });
                prop_assert_eq!(&found[0], &found[1]);
            }
        }
    }
}
