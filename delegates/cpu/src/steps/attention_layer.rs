//! Attention as a layer: the places of its matrices, and how its mask hides scores.

use arenite_base::Clamp;

use crate::kernels::f32_attention::HIDDEN;
use crate::memory::Source;

/// The distance, in elements, from one position, and from one channel, to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Strides {
    /// Of positions.
    pub position: usize,
    /// Of channels. One of the two distances is 1.
    pub channel: usize,
}

/// Where one head's matrices begin in the inputs and the output, in elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Product {
    /// `[rows, depth]`.
    pub query: usize,
    /// `[positions, depth]`.
    pub key: usize,
    /// `[positions, channels]`.
    pub value: usize,
    /// `[rows, positions]`.
    pub mask: usize,
    /// `[rows, channels]`.
    pub output: usize,
}

/// Attention of several heads. Inputs are queries, keys, values and mask.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Attention {
    /// The heads. Heads that share a key and a value matrix are a group.
    pub products: Vec<Product>,
    /// Rows of queries per head.
    pub rows: usize,
    /// Positions of keys and values.
    pub positions: usize,
    /// Channels of queries and keys.
    pub depth: usize,
    /// Channels of values and results.
    pub channels: usize,
    /// The distance between rows of queries, whose channels are contiguous.
    pub query_row: usize,
    /// Of keys.
    pub keys: Strides,
    /// Of values.
    pub values: Strides,
    /// The distance between rows of the mask, whose positions are contiguous; 0 if all rows have one mask.
    pub mask_row: usize,
    /// The distance between rows of results, whose channels are contiguous.
    pub output_row: usize,
    /// The factor of scores.
    pub scale: f32,
    /// How the mask hides scores.
    pub masking: Masking,
}

/// How a mask hides scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Masking {
    /// Its elements are added, and the sums clamped.
    Added(Clamp),
    /// It is a condition: scores where it is `shown`, and `fill` elsewhere.
    Chosen { shown: bool, fill: f32 },
}

/// A mask.
#[derive(Clone, Copy)]
pub(crate) enum Mask<'r> {
    Added(Source<'r, f32>, Clamp),
    Chosen(Condition<'r>),
}

/// A condition, with one byte per score, and the number that replaces hidden scores.
#[derive(Clone, Copy)]
pub(crate) struct Condition<'r> {
    pub bytes: Source<'r, u8>,
    pub shown: bool,
    pub fill: f32,
}

impl Condition<'_> {
    /// The first position that is shown, and the end of the last one, among the `n` starting at `start`; `n` and 0
    /// if none is. All are if the weight of `fill` need not be zero.
    pub(crate) fn visible(self, start: usize, n: usize) -> (usize, usize) {
        if self.fill >= HIDDEN {
            return (0, n);
        }
        let mut row = self.bytes.part(start, n).iter();
        let is_shown = |byte: u8| (byte != 0) == self.shown;
        let Some(last) = row.rposition(is_shown) else { return (n, 0) };
        (row.position(is_shown).unwrap_or(last), last + 1)
    }

    /// Scales the scores that are shown; the others become `fill`.
    pub(crate) fn apply(self, start: usize, scale: f32, scores: &mut [f32]) {
        let row = self.bytes.part(start, scores.len());
        for (score, byte) in scores.iter_mut().zip(row.iter()) {
            *score = if (byte != 0) == self.shown { *score * scale } else { self.fill };
        }
    }
}
