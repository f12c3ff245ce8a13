//! The layout of tensors in device memory.
//!
//! ```text
//! rows: all dimensions but the last ─►   c0 c1 c2 c3 │ c4 c5  0  0      channels in slices of four; the last slice is
//!                                        c0 c1 c2 c3 │ c4 c5  0  0      padded with zeros
//! ```
//! A kernel that writes a tensor also writes the zeros, so readers may sum over all lanes. If four divides the
//! channels, a tensor can be reshaped without moving elements.

use arenite_abi::prelude::*;

use crate::device::PaddedRows;
use crate::kernels::Rows;

/// The rows and channels of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Number of rows.
    pub rows: usize,
    /// Elements per row.
    pub channels: usize,
}

impl Layout {
    /// The layout of a tensor with this shape.
    pub(crate) fn of(shape: &[usize]) -> Layout {
        match shape.split_last() {
            Some((&channels, outer)) => Layout { rows: outer.iter().product(), channels },
            None => Layout { rows: 1, channels: 1 },
        }
    }

    /// Slices per row.
    pub(crate) fn slices(&self) -> usize {
        self.channels.div_ceil(4)
    }

    /// The distance between rows, in floats.
    pub(crate) fn pitch(&self) -> usize {
        self.slices() * 4
    }

    /// Floats in memory, with padding.
    pub(crate) fn floats(&self) -> usize {
        self.rows * self.pitch()
    }

    /// The numbers of a kernel that processes rows.
    pub(crate) fn numbers(&self) -> Rows {
        Rows { rows: self.rows, slices: self.slices(), channels: self.channels }
    }

    /// Its rows, for copies of dense tensors.
    pub(crate) fn padded_rows(&self) -> PaddedRows {
        PaddedRows { rows: self.rows, floats: self.channels, pitch: self.pitch() }
    }

    /// Number of elements, without padding.
    pub(crate) fn len(&self) -> usize {
        self.rows * self.channels
    }

    /// Whether rows are padded.
    pub(crate) fn is_padded(&self) -> bool {
        !self.channels.is_multiple_of(4)
    }

    /// Whether a tensor has the same memory in both layouts.
    pub(crate) fn is_also(&self, other: &Layout) -> bool {
        self == other || (!self.is_padded() && !other.is_padded() && self.floats() == other.floats())
    }

    /// An error unless the floats can be counted with 32 bits.
    pub(crate) fn expect_countable(&self) -> Result<()> {
        match i32::try_from(self.floats()) {
            Ok(_) => Ok(()),
            Err(_) => Err(unsupported!("a tensor of {} rows of {} is too large", self.rows, self.channels)),
        }
    }

    /// Pads the rows of a dense tensor.
    pub(crate) fn spread(&self, dense: &[f32], to: &mut Vec<f32>) {
        to.clear();
        to.resize(self.floats(), 0.0);
        let rows = dense.chunks_exact(self.channels.max(1)).zip(to.chunks_exact_mut(self.pitch().max(1)));
        rows.for_each(|(from, to)| to[..from.len()].copy_from_slice(from));
    }

    /// Removes the padding of rows.
    pub(crate) fn gather(&self, spread: &[f32], to: &mut [f32]) {
        let rows = to.chunks_exact_mut(self.channels.max(1)).zip(spread.chunks_exact(self.pitch().max(1)));
        rows.for_each(|(to, from)| to.copy_from_slice(&from[..to.len()]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_padded() {
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
    fn rows_of_whole_slices_can_be_reshaped() {
        let wide = Layout::of(&[2, 8]);
        assert!(wide.is_also(&Layout::of(&[4, 4])) && wide.is_also(&wide));
        assert!(!wide.is_also(&Layout::of(&[8, 2])) && !Layout::of(&[2, 3]).is_also(&Layout::of(&[3, 2])));
    }

    #[test]
    fn tensors_that_are_too_large_are_an_error() {
        assert!(Layout::of(&[1 << 29, 3]).expect_countable().is_err());
        assert!(Layout::of(&[1 << 28, 3]).expect_countable().is_ok());
    }
}
