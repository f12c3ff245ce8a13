//! What kernels do with their results before they write them.

use arenite_abi::prelude::*;
use arenite_layers::{Clamp, EpilogueOp};

use crate::builder::{Argument, Buffer, Builder, Task};
use crate::device::{Function, Kernel, Slots};
use crate::layout::Layout;
use crate::work_groups::{Extent, Kind};

/// Functions of results, and what they read.
#[derive(Default)]
pub struct Epilogue {
    /// In order.
    pub functions: Vec<Function>,
    /// Their operands.
    pub buffers: Vec<Buffer>,
}

impl Epilogue {
    /// The task of a kernel that ends with it.
    pub fn behind(self, kernel: Kernel, mut arguments: Vec<Argument>, grid: Extent, kind: Kind) -> Task {
        arguments.extend(self.buffers.into_iter().map(Argument::Buffer));
        Task { kernel: Kernel { epilogue: Some(self.functions), ..kernel }, arguments, grid, kind }
    }

    /// Whether there is room for another function.
    fn has_room(&self, slots: Slots, has_operand: bool) -> bool {
        let operands = self.buffers.len() + usize::from(has_operand);
        self.functions.len() < slots.functions && operands <= slots.operands
    }
}

/// Of a layer whose results lie so: the first, and those that do not fit into the `slots` of its kernel.
pub fn epilogues(
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
        let slots = if all.1.is_empty() { slots } else { builder.with.slots };
        if !all.1.last().unwrap_or(&all.0).has_room(slots, operand.is_some()) {
            all.1.push(Epilogue::default());
        }
        let open = all.1.last_mut().unwrap_or(&mut all.0);
        open.functions.push(function);
        open.buffers.extend(operand);
    }
    Ok(all)
}
