//! Rows of a table of few bits, dequantized to `f32`.
//!
//! ```text
//! indices [n]   table [rows, row]   y [n, row]:   y[i][k] = scale · table[indices[i]][k]
//! ```

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::memory::Source;
use crate::step::{Grain, Run, Step};

/// How a table holds its elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stored {
    /// Signed bytes, as `q + 128` if `flipped`.
    Bytes { flipped: bool },
    /// Signed numbers of 4 or 2 bits, the lowest bits of a byte first.
    Packed { bits: usize },
}

/// The sizes of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Table {
    pub rows: usize,
    /// Elements of a row.
    pub row: usize,
    /// Elements of a row that share a scale.
    pub block: usize,
    pub stored: Stored,
}

/// Looks rows up.
pub(crate) struct Lookup {
    pub table: Table,
    /// One, or one per block of the table.
    pub scales: Vec<f32>,
    /// Indices and table.
    pub inputs: [Id; 2],
    /// The name of the indices.
    pub indices: String,
    /// Written.
    pub output: Id,
}

impl Step for Lookup {
    fn name(&self) -> &'static str {
        "EMBEDDING_LOOKUP"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Table { rows, row, .. } = self.table;
        let [indices, bytes] = self.inputs.map(|id| cx.input::<u8>(id));
        // Nothing is known about the address of an empty tensor.
        if indices.is_empty() {
            return Ok(());
        }
        let indices = indices.cast::<i32>();
        for (position, index) in indices.iter().enumerate() {
            ensure!(
                usize::try_from(index).is_ok_and(|index| index < rows),
                "index {index} at position {position} of '{}' is out of bounds for 0..{rows}",
                self.indices
            );
        }
        if row == 0 {
            return Ok(());
        }
        cx.parallel_parts(cx.output::<f32>(self.output), row, Grain::of_cost(row), |range, mut y| {
            for (i, y) in range.zip(y.as_mut_slice().chunks_mut(row)) {
                self.write(bytes, indices.get(i) as usize, y);
            }
        })
    }
}

impl Lookup {
    /// Writes row `index` of the table.
    fn write(&self, bytes: Source<'_, u8>, index: usize, y: &mut [f32]) {
        let Table { row, block, stored, .. } = self.table;
        for (b, y) in y.chunks_mut(block).enumerate() {
            let (first, at) = (index * row + b * block, index * (row / block) + b);
            let scale = self.scales[if self.scales.len() == 1 { 0 } else { at }];
            match stored {
                Stored::Bytes { flipped } => {
                    let flip = if flipped { 0x80 } else { 0 };
                    let bytes = bytes.part(first, y.len());
                    y.iter_mut()
                        .zip(bytes.iter())
                        .for_each(|(y, q)| *y = f32::from((q ^ flip) as i8) * scale);
                }
                Stored::Packed { bits } => {
                    // A block is read from the start of its first byte, as TensorFlow Lite does.
                    let (per_byte, top) = (8 / bits, 8 - bits);
                    let bytes = bytes.part(first / per_byte, y.len().div_ceil(per_byte));
                    for (k, y) in y.iter_mut().enumerate() {
                        let shift = top - k % per_byte * bits;
                        let q = (bytes.get(k / per_byte) << shift) as i8 >> top;
                        *y = f32::from(q) * scale;
                    }
                }
            }
        }
    }
}
