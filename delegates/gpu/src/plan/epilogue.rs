//! Epilogues: elementwise functions that kernels apply to results before they write them.

use arenite_abi::prelude::*;
use arenite_base::Clamp;
use arenite_layers::EpilogueOp;

use crate::device::{Function, Slots};
use crate::plan::builder::Builder;
use crate::plan::task::{Argument, Buffer, Task};
use crate::store::layout::Layout;

/// The functions of an epilogue and their operands.
#[derive(Default)]
pub(crate) struct Epilogue {
    /// The functions, in order.
    pub functions: Vec<Function>,
    /// The operands, in order.
    pub buffers: Vec<Buffer>,
}

impl Epilogue {
    /// Appends it to the task of a kernel.
    pub(crate) fn append_to(self, mut task: Task) -> Task {
        task.arguments.extend(self.buffers.into_iter().map(Argument::Buffer));
        task.kernel.epilogue = Some(self.functions);
        task
    }

    /// Whether there is room for another function.
    fn has_room(&self, slots: Slots, has_operand: bool) -> bool {
        let operands = self.buffers.len() + usize::from(has_operand);
        self.functions.len() < slots.functions && operands <= slots.operands
    }
}

/// Splits a layer's functions into the epilogue of its kernel, limited by `slots`, and further epilogues for the
/// functions that do not fit.
pub(crate) fn epilogues(
    builder: &mut Builder<'_, '_>,
    clamp: Clamp,
    layer: &[EpilogueOp],
    layout: Layout,
    slots: Slots,
) -> Result<(Epilogue, Vec<Epilogue>)> {
    let mut all = (Epilogue::default(), Vec::new());
    let first = (clamp != Clamp::NONE).then_some(EpilogueOp::Clamp(clamp));
    for function in first.iter().chain(layer) {
        let (function, operand) = match *function {
            EpilogueOp::Clamp(clamp) => (Function::Clamp(clamp), None),
            EpilogueOp::Unary(function) => (Function::Unary(function), None),
            EpilogueOp::Scalar(function, number) => (Function::Scalar(function, number), None),
            EpilogueOp::Binary(function, id) => {
                (Function::Binary(function), Some(builder.view(id, layout)?.buffer))
            }
            EpilogueOp::Row(function, id, channels) => {
                let row = Layout { rows: 1, channels };
                (Function::Row(function), Some(builder.view(id, row)?.buffer))
            }
        };
        let slots = if all.1.is_empty() { slots } else { builder.options.slots };
        if !all.1.last().unwrap_or(&all.0).has_room(slots, operand.is_some()) {
            all.1.push(Epilogue::default());
        }
        let open = all.1.last_mut().unwrap_or(&mut all.0);
        open.functions.push(function);
        open.buffers.extend(operand);
    }
    Ok(all)
}
