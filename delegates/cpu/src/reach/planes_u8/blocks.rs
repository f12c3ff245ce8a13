//! How channels and rows of results are cut for planes.

use arenite_layers::{Axis, Window};

use crate::kernels::u8i8_dwconv::{DwConv, Width};
use crate::simd::dot::place;
use crate::simd::interleaved;

/// Bytes of planes that a part of a row may take.
pub(super) const PLANES: usize = 1 << 15;

/// A block of channels.
pub(super) struct Block {
    pub width: &'static Width,
    pub first: usize,
    /// Channels that there are.
    pub channels: usize,
    /// Of a row of results.
    pub parts: Vec<Part>,
}

/// Pixels of a plane from which a part of a row of `count` results is made.
pub(super) fn positions(columns: &Axis, count: usize) -> usize {
    count + (columns.taps - 1) * columns.dilation / columns.stride + 1
}

impl Block {
    /// Writes the weights of one dot product per lane, given as `weight(byte, channel)`.
    pub(super) fn pack(&self, member: &DwConv, packed: &mut [u8], weight: impl Fn(usize, usize) -> i8) {
        for q in 0..4 {
            for d in 0..member.lanes {
                let Some(channel) = self.channel(q, d) else { continue };
                let four = std::array::from_fn(|i| weight(i, channel));
                place(&mut packed[q * member.weights..][..member.weights], member.lanes, d, four);
            }
        }
    }

    /// The channels in the order of lanes.
    pub(super) fn order<T: Copy>(&self, member: &DwConv, none: T, of: impl Fn(usize) -> T) -> Vec<T> {
        let lanes = (0..4).flat_map(|q| (0..member.lanes).map(move |d| (q, d)));
        lanes.map(|(q, d)| self.channel(q, d).map_or(none, &of)).collect()
    }

    /// The channel of lane `d` of quad `q`, if there is one.
    fn channel(&self, q: usize, d: usize) -> Option<usize> {
        Some(interleaved(q, d) % self.width.channels).filter(|&c| c < self.channels).map(|c| self.first + c)
    }
}

/// The fixed cost of a block, in vectors of results.
const BLOCK: usize = 4;

/// Cuts the channels into blocks: wide ones while they are full, then narrower ones, or a wide one for the rest if that
/// costs less.
pub(super) fn blocks(
    member: &'static DwConv,
    window: &Window,
    taps: &[(usize, usize)],
    groups: usize,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut first = 0;
    while first < window.channels {
        let left = window.channels - first;
        let fits = |width: &&Width| part(&window.columns, width, groups) > 0;
        let cost = |width: &Width| window.columns.output.div_ceil(width.pixels) + BLOCK;
        let full = |left: usize| {
            let mut widths = member.widths.iter().filter(fits);
            widths
                .find(|width| left + 15 >= width.channels)
                .unwrap_or(&member.widths[member.widths.len() - 1])
        };
        let (mut some, mut of_full) = (left, 0);
        while some > 0 {
            of_full += cost(full(some));
            some = some.saturating_sub(full(some).channels);
        }
        let one = member.widths.iter().filter(fits).rfind(|width| left <= width.channels);
        let width = one.filter(|width| cost(width) < of_full).unwrap_or_else(|| full(left));
        let channels = left.min(width.channels);
        let count = part(&window.columns, width, groups);
        let parts = (0..window.columns.output).step_by(count);
        let parts = parts.map(|x| Part::new(window, width, x, count.min(window.columns.output - x), taps));
        blocks.push(Block { width, first, channels, parts: parts.collect() });
        first += channels;
    }
    blocks
}

/// Results of a part of a row, so that all planes have room; parts are about equal.
fn part(columns: &Axis, width: &Width, groups: usize) -> usize {
    let room = PLANES / (4 * groups * columns.stride * width.channels);
    let most =
        room.saturating_sub(positions(columns, 0) + width.pixels) / (4 * width.pixels) * (4 * width.pixels);
    if most == 0 {
        return 0;
    }
    let parts = columns.output.div_ceil(most);
    columns.output.div_ceil(parts).next_multiple_of(width.pixels)
}

/// A part of a row of results. The layout of its planes is `[group][quad][phase][position][channel]`.
pub(super) struct Part {
    pub first: usize,
    pub count: usize,
    /// Bytes of the planes of all phases of a quad.
    pub plane: usize,
    /// Where the first result finds each tap.
    pub offsets: Vec<usize>,
    /// The phases that a tap reads.
    pub phases: Vec<Phase>,
}

/// Every `stride`-th column.
pub(super) struct Phase {
    /// Where its planes begin, and their bytes.
    pub at: usize,
    pub len: usize,
    /// The bytes of them that are inside the image.
    pub start: usize,
    pub end: usize,
    /// The pixels there.
    pub pixels: usize,
    /// Where in a row of the image they begin.
    pub from: usize,
}

impl Part {
    fn new(window: &Window, width: &Width, first: usize, count: usize, taps: &[(usize, usize)]) -> Part {
        let columns = &window.columns;
        let positions = positions(columns, count.next_multiple_of(width.pixels));
        let len = positions * width.channels;
        let plane = columns.stride * len;
        let offset = |&(column, g): &(usize, usize)| {
            let at = column * columns.dilation;
            4 * g * plane + at % columns.stride * len + at / columns.stride * width.channels
        };
        let is_read =
            |phase: &usize| (0..columns.taps).any(|tap| tap * columns.dilation % columns.stride == *phase);
        let phase = |phase: usize| {
            // The column that the first position reads; negative if it is before the image.
            let column = (first * columns.stride + phase) as isize - columns.before as isize;
            let before = (-column).max(0) as usize;
            let start = before.div_ceil(columns.stride).min(positions);
            let room = (columns.input as isize - column).max(0) as usize;
            let end = room.div_ceil(columns.stride).clamp(start, positions);
            let inside = column + (start * columns.stride) as isize;
            Phase {
                at: phase * len,
                len,
                start: start * width.channels,
                end: end * width.channels,
                pixels: end - start,
                from: if start < end { inside as usize * window.channels } else { 0 },
            }
        };
        Part {
            first,
            count,
            plane,
            offsets: taps.iter().map(offset).collect(),
            phases: (0..columns.stride).filter(is_read).map(phase).collect(),
        }
    }
}
