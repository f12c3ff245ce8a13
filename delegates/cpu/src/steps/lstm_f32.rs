//! An LSTM layer of `f32` over sequences. Its states are variables, which it updates in place.
//!
//! ```text
//! x[t‥t + n] ─► product ─► a        n time steps together
//! h ──────────► product ─► b        each time step
//!                a + b ─► c, h ─► [projection] ─► h, y[t]
//! ```

use arenite_abi::prelude::*;
use arenite_base::Clamp;

use crate::kernels::f32_lstm::{Form, Lstm};
use crate::kernels::f32_map::Map;
use crate::memory::Target;
use crate::reach::dense::Dense;
use crate::reach::sequences::{Chunk, LstmIds, LstmSizes, Sequences};
use crate::step::{Run, Step};

/// From the cells to the output.
pub(crate) struct Projection {
    /// The product.
    pub product: Dense,
    /// The limits of results.
    pub clamp: Clamp,
    /// Kernels for the limits.
    pub map: &'static Map,
}

/// An LSTM layer.
pub(crate) struct LstmF32 {
    /// Kernels of cells.
    pub kernels: &'static Lstm,
    /// The sums of the gates from the input, with their biases.
    pub from_input: Dense,
    /// The sums of the gates from the previous output.
    pub from_output: Dense,
    /// Its last step, if it has one.
    pub projection: Option<Projection>,
    /// Its gates.
    pub form: Form,
    /// The sequences.
    pub sequences: Sequences,
    /// The rows.
    pub sizes: LstmSizes,
    /// The values.
    pub ids: LstmIds,
}

/// The scratch memory of a layer.
struct Room<'r> {
    /// Sums from the input, of some time steps.
    a: Target<'r, f32>,
    /// Sums from the previous output.
    b: Target<'r, f32>,
    /// Results before the projection.
    hidden: Target<'r, f32>,
}

/// The states of a group of sequences.
struct States<'r> {
    output: Target<'r, f32>,
    cell: Target<'r, f32>,
}

impl LstmF32 {
    /// Sums of a row.
    fn sums(&self) -> usize {
        self.form.gates() * self.sizes.cells
    }

    /// Elements of scratch memory: the sums from the input, from the output, and the values to be projected.
    fn lengths(&self) -> [usize; 3] {
        let Sequences { rows, .. } = self.sequences;
        let hidden = if self.projection.is_some() { rows * self.sizes.cells } else { 0 };
        [self.sequences.together() * rows * self.sums(), rows * self.sums(), hidden]
    }

    /// Advances a group by one time step, number `t` of those whose sums from the input are in the room.
    fn advance(&self, t: usize, Room { a, b, hidden }: &mut Room<'_>, states: &mut States<'_>) {
        let (rows, sums, cells) = (self.sequences.rows, self.sums(), self.sizes.cells);
        self.from_output.multiply(states.output.written(), b);
        for r in 0..rows {
            let gates = [a.written().part((t * rows + r) * sums, sums), b.written().part(r * sums, sums)];
            let mut to = match self.projection {
                Some(_) => hidden.part(r * cells, cells),
                None => states.output.part(r * cells, cells),
            };
            self.kernels.advance(self.form, gates, &mut states.cell.part(r * cells, cells), &mut to);
        }
        if let Some(Projection { product, clamp, map }) = &self.projection {
            product.multiply(hidden.written(), &mut states.output);
            if clamp.is_needed() {
                map.clamp_over(*clamp, &mut states.output);
            }
        }
    }
}

impl Step for LstmF32 {
    fn name(&self) -> &'static str {
        "LSTM"
    }

    fn scratch(&self) -> usize {
        self.lengths().iter().map(|len| (len * size_of::<f32>()).next_multiple_of(crate::memory::LINE)).sum()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Sequences { rows, .. } = self.sequences;
        let LstmSizes { inputs, cells, outputs } = self.sizes;
        let (x, mut y) = (cx.input::<f32>(self.ids.input), cx.output::<f32>(self.ids.output));
        let mut output = cx.output::<f32>(self.ids.output_state);
        let mut cell = cx.output::<f32>(self.ids.cell_state);
        let [of_a, of_b, of_hidden] = self.lengths();
        let (a, rest) = cx.scratch().take::<f32>(of_a);
        let (b, rest) = rest.take::<f32>(of_b);
        let mut room = Room { a, b, hidden: rest.take::<f32>(of_hidden).0 };
        for Chunk { group, row, steps } in self.sequences.chunks() {
            if row > 0 && cx.is_cancelled() {
                return Err(Error::new(Status::Cancelled, format_args!("")));
            }
            let mut states = States {
                output: output.part(group * rows * outputs, rows * outputs),
                cell: cell.part(group * rows * cells, rows * cells),
            };
            let x = x.part(row * inputs, steps * rows * inputs);
            self.from_input.multiply(x, &mut room.a.part(0, steps * rows * self.sums()));
            for t in 0..steps {
                self.advance(t, &mut room, &mut states);
                let row = (row + t * rows) * outputs;
                y.part(row, rows * outputs).copy_from(states.output.written());
            }
        }
        Ok(())
    }
}
