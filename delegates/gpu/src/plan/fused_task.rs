//! Kernels whose results go through an epilogue.

use arenite_abi::prelude::*;
use arenite_base::Clamp;
use arenite_layers::{EpilogueOp, Id};

use crate::device::{Definition, Slots};
use crate::kernels::{self, Call};
use crate::plan::builder::Builder;
use crate::plan::epilogue::epilogues;
use crate::plan::task::{Buffer, StoredValue, Task};
use crate::store::layout::Layout;

/// A layer's kernel and its epilogue.
pub(crate) struct FusedTask<'e> {
    /// The kernel and its arguments.
    pub call: Call<Buffer>,
    /// The definitions of the kernel's text.
    pub definitions: Vec<Definition>,
    /// Work-items.
    pub grid: [usize; 3],
    /// The range that results are clamped to, before `functions`.
    pub clamp: Clamp,
    /// Functions that are applied to results, after `clamp`.
    pub functions: &'e [EpilogueOp],
}

impl FusedTask<'_> {
    /// Adds the task, whose results are `output` with the layout `to`.
    pub(crate) fn push(self, builder: &mut Builder<'_, '_>, to: Layout, output: Id) -> Result<StoredValue> {
        let slots = builder.options.slots;
        self.push_within(slots, builder, to, output)
    }

    /// Adds the task, of a kernel whose epilogue has `slots`.
    pub(crate) fn push_within(
        self,
        slots: Slots,
        builder: &mut Builder<'_, '_>,
        to: Layout,
        output: Id,
    ) -> Result<StoredValue> {
        // Operands come first: a view of an operand may add a task.
        let (first, rest) = epilogues(builder, self.clamp, self.functions, to, slots)?;
        let mut place = builder.record(to)?;
        builder.push(first.append_to(Task::new(self.call, place.buffer, self.definitions, self.grid)?));
        for epilogue in rest {
            let next = builder.record(to)?;
            let chain = kernels::Chain { from: place.buffer, numbers: to.numbers() };
            let task = Task::new(chain, next.buffer, Vec::new(), [to.slices(), to.rows, 1])?;
            builder.push(epilogue.append_to(task));
            place = next;
        }
        builder.rename(output, place);
        Ok(place)
    }
}
