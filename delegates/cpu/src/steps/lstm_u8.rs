//! An LSTM layer of bytes over sequences, with cells of `i16`. Its states are variables, which it updates in place: the
//! outputs as signed bytes.
//!
//! ```text
//! x[t‥t + n] ─► product ─► a        n time steps together
//! h ──────────► product ─► b        each time step
//!                a, b ─► c, h, y[t]
//! ```

use arenite_abi::prelude::*;

use crate::kernels::i16_lstm::{Form, Lstm, Sums};
use crate::kernels::u8_map::ByteMap;
use crate::memory::{LINE, Source, Target};
use crate::reach::dense_u8::DenseU8;
use crate::reach::sequences::{Chunk, LstmIds, LstmSizes, Sequences};
use crate::step::{Run, Step};

/// A product, and the numbers that are added to its sums.
pub(crate) struct GateSums {
    /// The product.
    pub product: DenseU8,
    /// By column.
    pub biases: Vec<i32>,
}

impl GateSums {
    /// The sums of row `r`.
    fn row<'r>(&'r self, sums: Source<'r, i32>, r: usize) -> Sums<'r> {
        let pitch = self.product.pitch();
        Sums { sums: sums.part(r * pitch, pitch), biases: Source::of(&self.biases) }
    }
}

/// An LSTM layer.
pub(crate) struct LstmU8 {
    /// Kernels of cells.
    pub kernels: &'static Lstm,
    /// Kernels that change the sign of bytes.
    pub map: &'static ByteMap,
    /// From the input.
    pub from_input: GateSums,
    /// From the previous output.
    pub from_output: GateSums,
    /// Its gates.
    pub form: Form,
    /// The sequences.
    pub sequences: Sequences,
    /// The rows.
    pub sizes: LstmSizes,
    /// The values.
    pub ids: LstmIds,
}

impl LstmU8 {
    /// Elements of scratch memory: the sums from the input, those from the output, and the outputs of a group.
    fn lengths(&self) -> [usize; 3] {
        let Sequences { rows, .. } = self.sequences;
        let of_input = self.sequences.together() * rows * self.from_input.product.pitch();
        [of_input, rows * self.from_output.product.pitch(), rows * self.sizes.outputs]
    }
}

impl Step for LstmU8 {
    fn name(&self) -> &'static str {
        "LSTM"
    }

    fn scratch(&self) -> usize {
        let [a, b, h] = self.lengths();
        [a * size_of::<i32>(), b * size_of::<i32>(), h].map(|bytes| bytes.next_multiple_of(LINE)).iter().sum()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Sequences { rows, .. } = self.sequences;
        let LstmSizes { inputs, cells, outputs } = self.sizes;
        let (x, mut y) = (cx.input::<u8>(self.ids.input), cx.output::<u8>(self.ids.output));
        let mut output = cx.output::<u8>(self.ids.output_state);
        let mut cell = cx.output::<i16>(self.ids.cell_state);
        let [of_a, of_b, of_h] = self.lengths();
        let (mut a, rest) = cx.scratch().take::<i32>(of_a);
        let (mut b, rest) = rest.take::<i32>(of_b);
        let mut h: Target<'_, u8> = rest.take(of_h).0;
        for Chunk { group, row, steps } in self.sequences.chunks() {
            if row > 0 && cx.is_cancelled() {
                return Err(Error::new(Status::Cancelled, format_args!("")));
            }
            let mut output = output.part(group * rows * outputs, rows * outputs);
            let mut cell = cell.part(group * rows * cells, rows * cells);
            self.map.flipped(output.written(), &mut h);
            let x = x.part(row * inputs, steps * rows * inputs);
            let pitch = self.from_input.product.pitch();
            self.from_input.product.multiply(x, &mut a.part(0, steps * rows * pitch));
            for t in 0..steps {
                self.from_output.product.multiply(h.written(), &mut b);
                for r in 0..rows {
                    let from_input = self.from_input.row(a.written(), t * rows + r);
                    let sums = [from_input, self.from_output.row(b.written(), r)];
                    let mut cell = cell.part(r * cells, cells);
                    self.kernels.advance(&self.form, sums, &mut cell, &mut h.part(r * outputs, outputs));
                }
                y.part((row + t * rows) * outputs, rows * outputs).copy_from(h.written());
            }
            self.map.flipped(h.written(), &mut output);
        }
        Ok(())
    }
}
