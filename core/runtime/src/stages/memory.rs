//! The memory of one subgraph, and the table with the address of each tensor.
//!
//! Each stage uses it in turn. These stages write each part:
//!
//! | part         | written by                                    | valid until                     |
//! |--------------|-----------------------------------------------|---------------------------------|
//! | `table`      | all; its addresses are always the same        | –                               |
//! | `constants`  | `inferred`, `prepared`                        | their value changes             |
//! | `persistent` | `inferred` (gives it back), `prepared`        | its segment is prepared again   |
//! | `variables`  | `executor`, when nodes are prepared again     | –                               |
//! | `lent`       | `lent`, for callers                           | the loan ends                   |
//! | `arena`      | `placed`                                      | a larger or smaller plan        |
//! | `dynamic`    | steps while they run; inputs of strings       | the step runs again             |
//! | `tied`       | `tied`, for callers                           | –                               |
//! | `bound`      | `bound`, for callers                          | the caller unbinds it           |
//! | `kept`       | partitions while they run                     | the invocation ends             |

use std::collections::BTreeMap;
use std::rc::Rc;

use arenite_abi::raw::{ArTensorV1, TENSOR_VARIABLE};

use super::constants::Constants;
use super::delegate_device::BoundMemory;
use super::lent::{Loan, TiedPair};
use super::partition_kernel::PartitionKernel;
use super::table::TensorTable;
use crate::arena::{Block, Persistent};
use crate::error::Result;
use crate::graph::Graph;
use crate::quota::Budget;

pub(crate) struct Memory {
    pub table: TensorTable,
    pub constants: Constants,
    pub persistent: Persistent,
    pub arena: Block,
    pub variables: BTreeMap<usize, Block>,
    /// For each tensor, its memory if it is a result of dynamic shape or a string input.
    pub dynamic: Vec<Block>,
    /// Memory lent by the caller, by tensor.
    pub lent: BTreeMap<usize, Loan>,
    /// The outputs whose values inputs get. The inputs are in lent memory.
    pub tied: Vec<TiedPair>,
    /// Memory on devices that the caller bound, by tensor.
    pub bound: BTreeMap<usize, BoundMemory>,
    /// For each tensor whose value is only on a device, the partition that keeps it.
    pub kept: BTreeMap<usize, Rc<PartitionKernel>>,
    /// Whether a partition ever kept a value, or memory was bound. Until then no lookup is needed.
    pub has_kept: bool,
    /// Changes whenever an address may have changed.
    pub generation: u64,
    pub budget: Budget,
}

impl Memory {
    /// The memory of a graph, still empty; `budget` pays for it.
    pub(crate) fn new(graph: &Graph, budget: Budget) -> Self {
        Memory {
            table: TensorTable::new(graph),
            constants: Constants::default(),
            persistent: Persistent::default(),
            arena: Block::EMPTY,
            variables: BTreeMap::new(),
            dynamic: (0..graph.tensors.len()).map(|_| Block::EMPTY).collect(),
            lent: BTreeMap::new(),
            tied: Vec::new(),
            bound: BTreeMap::new(),
            kept: BTreeMap::new(),
            has_kept: false,
            generation: 0,
            budget,
        }
    }

    /// Resets shapes to the model's, or to `resized` where that has one. Computed constants and string inputs keep
    /// their memory; the memory that steps requested is released.
    pub(crate) fn reset(&mut self, graph: &Graph, resized: &BTreeMap<usize, Vec<i32>>) {
        self.persistent.release(Persistent::BOTTOM, &mut self.budget);
        self.kept.clear();
        let strings: Vec<(usize, u64)> = Graph::present(&graph.inputs)
            .filter(|&t| graph.tensors[t].ty.bits() == 0 && graph.tensors[t].constant.is_none())
            .map(|t| (t, self.table.get(t).bytes.min(self.dynamic[t].len() as u64)))
            .collect();
        for (t, tensor) in graph.tensors.iter().enumerate() {
            self.table.reset(t, tensor);
        }
        for (&t, shape) in resized {
            self.table.set_shape(t, shape, graph.tensors[t].ty);
        }
        for (t, bytes) in strings {
            self.table.set_data(t, self.dynamic[t].as_ptr());
            self.table.set_bytes(t, bytes);
        }
    }

    /// Resets the outputs of a node before it is prepared: the model's shapes, no memory. Variables keep their memory
    /// and the shape that an earlier node gave them.
    pub(crate) fn reset_outputs(&mut self, graph: &Graph, outputs: &[i32]) {
        for t in Graph::present(outputs) {
            self.kept.remove(&t);
            match graph.tensors[t].variable {
                false => self.table.reset(t, &graph.tensors[t]),
                true => self.table.set_handle(t, None),
            }
        }
    }

    /// Removes the memory of a partition's outputs before it is prepared. The inferred shapes stay, because its
    /// delegate may rely on them.
    pub(crate) fn clear_outputs(&mut self, outputs: &[i32]) {
        self.forget_kept(outputs);
        for t in Graph::present(outputs) {
            let raw = self.table.get(t);
            self.table.set_flags(t, raw.flags & TENSOR_VARIABLE);
            self.table.set_data(t, std::ptr::null_mut());
            self.keep_variable(t, &raw);
        }
    }

    /// Records that the value of tensor `t` is on a device, kept by `partition`.
    pub(crate) fn keep(&mut self, t: usize, handle: u64, partition: &Rc<PartitionKernel>) {
        self.table.set_handle(t, Some(handle));
        self.kept.insert(t, Rc::clone(partition));
        self.has_kept = true;
    }

    /// Drops the values that a partition kept, before it runs or is prepared.
    pub(crate) fn forget_kept(&mut self, outputs: &[i32]) {
        for t in Graph::present(outputs) {
            self.kept.remove(&t);
            self.table.set_handle(t, None);
        }
    }

    /// Copies the value of tensor `t` from the device if it is only there. Does nothing without the partition that kept
    /// it.
    pub(crate) fn fetch(&mut self, t: usize) -> Result<()> {
        let (Some(handle), Some(kernel)) = (self.table.handle(t), self.kept.get(&t)) else { return Ok(()) };
        let data = self.table.bytes_mut(t);
        if !data.is_empty() {
            kernel.read(handle, data)?;
        }
        self.table.set_handle(t, None);
        self.kept.remove(&t);
        Ok(())
    }

    fn keep_variable(&mut self, t: usize, before: &ArTensorV1) {
        if before.flags & TENSOR_VARIABLE != 0 {
            self.table.set_data(t, before.data.cast());
        }
    }

    /// Removes the memory of a step's outputs of dynamic shape before it runs; the step resizes them.
    pub(crate) fn forget_dynamic(&mut self, outputs: &[i32]) {
        for t in Graph::present(outputs) {
            if self.table.is_dynamic(t) {
                self.table.set_data(t, std::ptr::null_mut());
            }
        }
    }

    /// Removes the memory of variable `t` if its new shape does not fit, until variables are
    /// [placed](Self::place_variables).
    pub(crate) fn check_room(&mut self, t: usize) {
        let raw = self.table.get(t);
        let own = || self.variables.get(&t).map_or(0, Block::len);
        if raw.flags & TENSOR_VARIABLE != 0
            && raw.bytes > self.lent.get(&t).map_or_else(own, Loan::len) as u64
        {
            self.table.set_data(t, std::ptr::null_mut());
        }
    }

    /// Gives each variable that is not in lent memory its own memory. A variable that is new or has grown gets its
    /// initial value.
    pub(crate) fn place_variables(&mut self, graph: &Graph) -> Result<()> {
        for t in Graph::present(&graph.variables) {
            let Memory { table, variables, lent, budget, .. } = self;
            let own = variables.entry(t).or_insert(Block::EMPTY);
            let bytes = table.get(t).bytes as usize;
            if let Some(lent) = lent.get(&t) {
                lent.check(&graph.tensors[t].name, bytes as u64)?;
                own.release(budget);
                table.set_data(t, lent.as_ptr());
            } else if own.grow(bytes, budget, "its variables")? {
                own.fill(0, bytes, graph.tensors[t].zero_byte());
                table.set_data(t, own.as_ptr());
                self.generation += 1;
            } else {
                table.set_data(t, own.as_ptr());
            }
        }
        Ok(())
    }

    /// Resets variables to their initial values: the zero point for i8, zero bytes otherwise. Does nothing before
    /// memory is planned.
    pub(crate) fn reset_variables(&mut self, graph: &Graph, which: impl Fn(&Self, usize) -> bool) {
        for t in Graph::present(&graph.variables).filter(|&t| which(self, t)) {
            let raw = self.table.get(t);
            if !raw.data.is_null() {
                // SAFETY: a variable with data has `raw.bytes` bytes in its block or in lent memory: `place_variables`
                // made room, and `check_room` cleared the data of any that outgrew it; `&mut self`.
                unsafe {
                    raw.data.cast::<u8>().write_bytes(graph.tensors[t].zero_byte(), raw.bytes as usize)
                };
            }
        }
    }

    /// Frees the arena and the values of dynamic shape. Inputs of strings keep their memory.
    pub(crate) fn release_arena(&mut self, graph: &Graph) {
        let Memory { table, arena, dynamic, generation, budget, .. } = self;
        *generation += 1;
        arena.release(budget);
        for (t, block) in dynamic.iter_mut().enumerate().filter(|&(t, _)| !graph.is_input(t)) {
            block.release(budget);
            if table.is_dynamic(t) {
                table.set_data(t, std::ptr::null_mut());
            }
        }
    }

    /// Lends memory to tensor `t`, whose size was checked. If it was in other lent memory, it moves immediately,
    /// without a copy of its value. Returns the memory lent before.
    pub(crate) fn lend(&mut self, t: usize, lent: Loan) -> Option<Loan> {
        let data = lent.as_ptr();
        let before = self.lent.insert(t, lent);
        self.readdress(t, before.as_ref().map(|_| data));
        before
    }

    /// All memory that this subgraph allocated.
    pub(crate) fn own_blocks(&self) -> impl Iterator<Item = &Block> {
        let Memory { persistent, arena, variables, dynamic, constants, .. } = self;
        let blocks = persistent.blocks().iter().chain([arena]).chain(variables.values()).chain(dynamic);
        blocks.chain(constants.blocks())
    }

    /// Returns the memory lent to tensor `t`, which has no memory then.
    pub(crate) fn take_back(&mut self, t: usize) -> Option<Loan> {
        let lent = self.lent.remove(&t)?;
        self.readdress(t, None);
        Some(lent)
    }

    fn readdress(&mut self, t: usize, data: Option<*mut u8>) {
        self.generation += 1;
        let is_placed = !self.table.get(t).data.is_null() && !self.table.is_dynamic(t);
        if !self.table.is_constant(t) {
            self.table.set_data(t, data.filter(|_| is_placed).unwrap_or_default());
        }
    }

    /// Copies constant results into the lent memory where the caller expects them.
    pub(crate) fn fill_lent_constants(&self) {
        if self.lent.is_empty() {
            return;
        }
        for (&t, lent) in &self.lent {
            let value = self.table.constant_bytes(t);
            if !value.is_empty() && value.len() <= lent.len() {
                // SAFETY: lent memory of at least that size (checked above), which nothing else uses during the loan.
                unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), lent.as_ptr(), value.len()) };
            }
        }
    }

    /// Sets the bytes of an input of strings, whose size does not follow from its shape.
    pub(crate) fn set_input_bytes(&mut self, t: usize, bytes: &[u8]) -> Result<()> {
        self.dynamic[t].grow(bytes.len(), &mut self.budget, "an input of strings")?;
        // SAFETY: the block has that many bytes; the caller's slice is another allocation.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.dynamic[t].as_ptr(), bytes.len()) };
        self.table.set_data(t, self.dynamic[t].as_ptr());
        self.table.set_bytes(t, bytes.len() as u64);
        Ok(())
    }

    /// Bytes that live as long as the plan: states, tables, computed constants, variables.
    pub(crate) fn persistent_bytes(&self) -> u64 {
        self.persistent.in_use() + self.constants.bytes() + blocks(self.variables.values())
    }

    /// Bytes of tensors of dynamic shape.
    pub(crate) fn dynamic_bytes(&self) -> u64 {
        blocks(self.dynamic.iter())
    }
}

fn blocks<'a>(blocks: impl Iterator<Item = &'a Block>) -> u64 {
    blocks.map(|block| block.len() as u64).sum()
}
