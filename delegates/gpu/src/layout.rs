//! How tensors lie in a device's memory.
//!
//! ```text
//! rows: all dimensions but the last ─►   c0 c1 c2 c3 │ c4 c5  0  0      channels in slices of four; the last one is filled up
//!                                        c0 c1 c2 c3 │ c4 c5  0  0      with zeros
//! ```
//! Whoever writes a tensor writes the zeros, too: readers may sum over all lanes. Where four divides the channels, rows may be cut anew
//! without moving anything.

use arenite_abi::prelude::*;

/// Rows and channels of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Rows.
    pub rows: usize,
    /// Elements of a row.
    pub channels: usize,
}

impl Layout {
    /// Of a tensor of this shape.
    pub fn of(shape: &[usize]) -> Layout {
        match shape.split_last() {
            Some((&channels, outer)) => Layout { rows: outer.iter().product(), channels },
            None => Layout { rows: 1, channels: 1 },
        }
    }

    /// Slices of a row.
    pub fn slices(&self) -> usize {
        self.channels.div_ceil(4)
    }

    /// Floats from one row to the next.
    pub fn pitch(&self) -> usize {
        self.slices() * 4
    }

    /// Floats in memory.
    pub fn floats(&self) -> usize {
        self.rows * self.pitch()
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.rows * self.channels
    }

    /// Whether the last slice of a row is filled up.
    pub fn is_padded(&self) -> bool {
        !self.channels.is_multiple_of(4)
    }

    /// Whether a tensor that lies so lies in the other way, too.
    pub fn is_also(&self, other: &Layout) -> bool {
        self == other || (!self.is_padded() && !other.is_padded() && self.floats() == other.floats())
    }

    /// An error unless a kernel can count its floats.
    pub fn expect_countable(&self) -> Result<()> {
        match i32::try_from(self.floats()) {
            Ok(_) => Ok(()),
            Err(_) => Err(unsupported!("a tensor of {} rows of {} is too large", self.rows, self.channels)),
        }
    }

    /// Fills the rows of a tensor up.
    pub fn spread(&self, dense: &[f32], to: &mut Vec<f32>) {
        to.clear();
        to.resize(self.floats(), 0.0);
        let rows = dense.chunks_exact(self.channels.max(1)).zip(to.chunks_exact_mut(self.pitch().max(1)));
        rows.for_each(|(from, to)| to[..from.len()].copy_from_slice(from));
    }

    /// The rows without what fills them up.
    pub fn gather(&self, spread: &[f32], to: &mut [f32]) {
        let rows = to.chunks_exact_mut(self.channels.max(1)).zip(spread.chunks_exact(self.pitch().max(1)));
        rows.for_each(|(to, from)| to.copy_from_slice(&from[..to.len()]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_filled_up() {
        let layout = Layout::of(&[1, 2, 3]);
        assert_eq!((layout.rows, layout.pitch(), layout.floats(), layout.len()), (2, 4, 8, 6));
        let mut spread = Vec::new();
        layout.spread(&[1., 2., 3., 4., 5., 6.], &mut spread);
        assert_eq!(spread, [1., 2., 3., 0., 4., 5., 6., 0.]);
        let mut dense = [0.0; 6];
        layout.gather(&spread, &mut dense);
        assert_eq!(dense, [1., 2., 3., 4., 5., 6.]);
        assert_eq!(Layout::of(&[]), Layout { rows: 1, channels: 1 });
    }

    #[test]
    fn rows_of_whole_slices_are_cut_anew() {
        let wide = Layout::of(&[2, 8]);
        assert!(wide.is_also(&Layout::of(&[4, 4])) && wide.is_also(&wide));
        assert!(!wide.is_also(&Layout::of(&[8, 2])) && !Layout::of(&[2, 3]).is_also(&Layout::of(&[3, 2])));
    }

    #[test]
    fn what_kernels_cannot_count_is_refused() {
        assert!(Layout::of(&[1 << 29, 3]).expect_countable().is_err());
        assert!(Layout::of(&[1 << 28, 3]).expect_countable().is_ok());
    }
}
