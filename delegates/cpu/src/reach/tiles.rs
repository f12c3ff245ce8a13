//! The tiles that Winograd's convolutions cut images into: `m × m` results, and the `(m + 2) × (m + 2)` pixels that
//! they read.

use arenite_layers::{Axis, Window};
use bytemuck::Pod;

use crate::memory::Source;

/// Tiles of a convolution by 3 × 3 filters with stride 1.
pub(crate) struct Tiles {
    /// Where it reads.
    pub window: Window,
    /// Results along one side of a tile.
    m: usize,
    /// Along height and width of an image.
    along: [usize; 2],
    /// Tiles that are worked on at a time.
    pub block: usize,
}

/// Most pixels of a tile.
const PIXELS: usize = 36;

/// The part of a cache that a block of tiles may use.
#[derive(Clone, Copy)]
pub(crate) struct CacheShare {
    /// Bytes for the block.
    pub room: usize,
    /// Bytes of one tile.
    pub tile: usize,
}

impl Tiles {
    /// Cuts a window's output into tiles of `m × m` pixels, and these into blocks of about the same size. A block has a
    /// multiple of `mr` tiles, as many as fit `cache.room`.
    pub(crate) fn new(window: Window, m: usize, cache: CacheShare, mr: usize) -> Tiles {
        let along = [window.rows.output.div_ceil(m), window.columns.output.div_ceil(m)];
        let mut tiles = Tiles { window, m, along, block: 0 };
        tiles.limit_block((cache.room / cache.tile).max(mr).next_multiple_of(mr));
        tiles
    }

    /// Cuts the tiles into blocks of at most `most`, all about equally large.
    pub(crate) fn limit_block(&mut self, most: usize) {
        let all = self.count();
        self.block = all.div_ceil(all.div_ceil(most.max(1)).max(1));
    }

    /// Tiles in all images.
    pub(crate) fn count(&self) -> usize {
        self.window.batches * self.along[0] * self.along[1]
    }

    /// Image, row and column of a tile's first result.
    fn origin(&self, tile: usize) -> [usize; 3] {
        let (image, rest) = (tile / (self.along[0] * self.along[1]), tile % (self.along[0] * self.along[1]));
        [image, rest / self.along[1] * self.m, rest % self.along[1] * self.m]
    }

    /// How many bytes before the input the output must start, with `filters` results of `size` bytes per pixel, so that
    /// no block overwrites what a later one reads. Blocks run in order, and each reads before it writes.
    pub(crate) fn distance(&self, filters: usize, size: usize) -> usize {
        let Window { rows, columns, channels, .. } = self.window;
        let ends = (self.block..self.count()).step_by(self.block);
        let distance = |end: usize| {
            let [image, y, _] = self.origin(end - 1);
            let written = image * rows.output + (y + self.m).min(rows.output);
            let [image, y, _] = self.origin(end);
            let read = image * rows.input + y.saturating_sub(rows.before);
            let [written, read] = [(written, filters, columns.output), (read, channels, columns.input)]
                .map(|(row, channels, width)| row * width * channels * size);
            written.saturating_sub(read)
        };
        ends.map(distance).max().unwrap_or(0)
    }

    /// The position of a tile's first result in the output, and its rows and columns that are inside the image.
    pub(crate) fn results(&self, tile: usize) -> (usize, [usize; 2]) {
        let [image, y, x] = self.origin(tile);
        let (height, width) = (self.window.rows.output, self.window.columns.output);
        ((image * height + y) * width + x, [self.m.min(height - y), self.m.min(width - x)])
    }

    /// The first channels of a tile's pixels in `input`, the tensor, by rows; `outside` for those outside of the image.
    #[inline(always)]
    pub(crate) fn pixels<T: Pod>(
        &self,
        tile: usize,
        input: Source<'_, T>,
        outside: &[T],
    ) -> [*const T; PIXELS] {
        let [image, y, x] = self.origin(tile);
        let (w, alpha) = (&self.window, self.m + 2);
        let outside = outside[..w.channels].as_ptr();
        let inside = |first: usize, axis: &Axis| {
            let from = axis.before.saturating_sub(first).min(alpha);
            from..(axis.input + axis.before).saturating_sub(first).clamp(from, alpha)
        };
        let (lines, columns) = (inside(y, &w.rows), inside(x, &w.columns));
        let mut pixels = [outside; PIXELS];
        if lines.is_empty() || columns.is_empty() {
            return pixels;
        }
        let width = w.columns.input * w.channels;
        let first = image * w.image()
            + (y + lines.start - w.rows.before) * width
            + (x + columns.start - w.columns.before) * w.channels;
        let len = (lines.len() - 1) * width + columns.len() * w.channels;
        let mut line = input.at(first, len);
        for i in lines {
            for (j, pixel) in pixels[i * alpha..][columns.clone()].iter_mut().enumerate() {
                *pixel = line.wrapping_add(j * w.channels);
            }
            line = line.wrapping_add(width);
        }
        pixels
    }
}

/// Whether the window has 3 × 3 taps side by side, at stride 1.
pub(crate) fn fits(window: &Window) -> bool {
    [window.rows, window.columns].iter().all(|axis| axis.taps == 3 && axis.stride == 1 && axis.dilation == 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn axis(input: usize, before: usize) -> Axis {
        Axis { input, taps: 3, output: input + 2 * before - 2, stride: 1, dilation: 1, before }
    }

    proptest! {
        #[test]
        fn no_block_writes_what_a_later_one_reads(
            (height, width, before) in (4usize..40, 4usize..40, 0usize..2),
            (images, channels, filters) in (1usize..3, 1usize..9, 1usize..9),
            (block, m, size) in (1usize..40, prop::sample::select(vec![2usize, 4]), prop::sample::select(vec![1usize, 4])),
        ) {
            let window = Window { batches: images, rows: axis(height, before), columns: axis(width, before), channels };
            let tiles = Tiles::new(window, m, CacheShare { room: block, tile: 1 }, 1);
            let rows_of = |tile: usize| {
                let [image, y, _] = tiles.origin(tile);
                let written = image * window.rows.output + (y + m).min(window.rows.output);
                (written * window.columns.output * filters * size, image * height + y.saturating_sub(before))
            };
            for end in (tiles.block..tiles.count()).step_by(tiles.block) {
                let written = (0..end).map(|tile| rows_of(tile).0).max().unwrap_or(0);
                let read = (end..tiles.count()).map(|tile| rows_of(tile).1).min().unwrap_or(0);
                prop_assert!(written <= tiles.distance(filters, size) + read * width * channels * size);
            }
        }
    }
}
