//! SELECT with one condition per row: each row of the result is copied from one of two tensors of its size.
//!
//! ```text
//! condition │ 1 │      a │ a0 a0 a0 │      b │ b0 b0 b0 │      y │ a0 a0 a0 │
//!           │ 0 │        │ a1 a1 a1 │        │ b1 b1 b1 │        │ b1 b1 b1 │
//! ```

use arenite_abi::prelude::*;
use arenite_layers::{Id, Loops};

use super::typed_map::INPUTS;
use crate::kernels::copies::Copies;
use crate::step::{Grain, Run, Step};

/// The cost of a row in multiply-adds, in addition to its bytes.
const ROW: usize = 16;

/// Copies each row of the result from one of two tensors.
pub(crate) struct SelectRows {
    copies: &'static Copies,
    loops: Loops<INPUTS>,
    /// The bytes of an element.
    width: usize,
    /// The condition, and the operands.
    inputs: [Id; INPUTS],
    output: Id,
}

impl SelectRows {
    /// A step for these loops over the condition and the operands, which have elements of `width` bytes; `None` unless
    /// consecutive runs have one condition each, and consecutive elements of both operands.
    pub(crate) fn new(
        copies: &'static Copies,
        loops: &Loops<INPUTS>,
        width: usize,
        inputs: &[Id],
        output: Id,
    ) -> Option<SelectRows> {
        let inputs = <[Id; INPUTS]>::try_from(inputs).ok()?;
        let has_rows = loops.moves == [false, true, true]
            && loops.outer.last().is_some_and(|&(_, strides)| strides == [1, loops.run, loops.run]);
        has_rows.then(|| SelectRows { copies, loops: loops.clone(), width, inputs, output })
    }
}

impl Step for SelectRows {
    fn name(&self) -> &'static str {
        "select"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let [condition, a, b] = self.inputs.map(|id| cx.input::<u8>(id));
        let (width, row) = (self.width, self.loops.run * self.width);
        let grain = Grain::of_cost(ROW + row);
        let turn = self.loops.outer.last().map_or(1, |&(size, _)| size);
        cx.parallel_parts(cx.output::<u8>(self.output), row, grain, |rows, mut y| {
            let mut r = rows.start;
            while r < rows.end {
                let n = (rows.end - r).min(turn - r % turn);
                let [c, of_a, of_b] = self.loops.starts(r);
                let operands = [a.part(of_a * width, n * row), b.part(of_b * width, n * row)];
                let mut y = y.part((r - rows.start) * row, n * row);
                self.copies.selected(row, condition.part(c, n), operands, &mut y);
                r += n;
            }
        })
    }
}
