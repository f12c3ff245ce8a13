//! The memory of one subgraph, and the table that says where each tensor lies.
//!
//! Every stage works on it, one after the other, and each names what it changes:
//!
//! | part         | written by                                    | valid until                     |
//! |--------------|-----------------------------------------------|---------------------------------|
//! | `table`      | all; its addresses are the same for ever      | –                               |
//! | `constants`  | `inferred`, `prepared`                        | their value changes             |
//! | `persistent` | `inferred` (gives it back), `prepared`        | its segment is prepared again   |
//! | `variables`  | `executor`, when nodes are prepared anew      | –                               |
//! | `lent`       | `lent`, for callers                           | it is taken back                |
//! | `arena`      | `placed`                                      | a larger or smaller plan        |
//! | `dynamic`    | steps while they run; inputs of strings       | the step runs again             |
//! | `kept`       | partitions while they run                     | the invocation ends             |

use std::collections::BTreeMap;
use std::rc::Rc;

use arenite_abi::raw::{ArTensorV1, TENSOR_VARIABLE};

use super::constants::Constants;
use super::lent::Lent;
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
    /// Per tensor: that of results whose shape only a run tells, and of inputs of strings.
    pub dynamic: Vec<Block>,
    /// Per tensor that lies in it: memory of others.
    pub lent: BTreeMap<usize, Lent>,
    /// Per tensor whose value is on a device alone: the partition that keeps it there.
    pub kept: BTreeMap<usize, Rc<PartitionKernel>>,
    /// Whether a partition ever kept one: until then nothing needs to be looked up.
    pub has_kept: bool,
    /// Changes whenever an address may have.
    pub generation: u64,
    pub budget: Budget,
}

impl Memory {
    /// Of a graph, without any memory yet; `budget` is what it will take from.
    pub fn new(graph: &Graph, budget: Budget) -> Self {
        Memory {
            table: TensorTable::new(graph),
            constants: Constants::default(),
            persistent: Persistent::default(),
            arena: Block::EMPTY,
            variables: BTreeMap::new(),
            dynamic: (0..graph.tensors.len()).map(|_| Block::EMPTY).collect(),
            lent: BTreeMap::new(),
            kept: BTreeMap::new(),
            has_kept: false,
            generation: 0,
            budget,
        }
    }

    /// Back to the model's shapes, with those that the caller gave. Constants that were computed and inputs of strings keep their
    /// memory; what steps asked for goes back.
    pub fn reset(&mut self, graph: &Graph, resized: &BTreeMap<usize, Vec<i32>>) {
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

    /// Before a node is prepared: its outputs as the model has them, without memory. Variables keep theirs, and the shape that an earlier
    /// node gave them.
    pub fn reset_outputs(&mut self, graph: &Graph, outputs: &[i32]) {
        for t in Graph::present(outputs) {
            self.kept.remove(&t);
            match graph.tensors[t].variable {
                false => self.table.reset(t, &graph.tensors[t]),
                true => self.table.set_handle(t, None),
            }
        }
    }

    /// Before a partition is prepared: its outputs without memory, in the shapes that inference found, which its delegate
    /// may rely on.
    pub fn clear_outputs(&mut self, outputs: &[i32]) {
        self.forget_kept(outputs);
        for t in Graph::present(outputs) {
            let raw = self.table.get(t);
            self.table.set_flags(t, raw.flags & TENSOR_VARIABLE);
            self.table.set_data(t, std::ptr::null_mut());
            self.keep_variable(t, &raw);
        }
    }

    /// The value of tensor `t` is on a device, where `partition` keeps it.
    pub fn keep(&mut self, t: usize, handle: u64, partition: &Rc<PartitionKernel>) {
        self.table.set_handle(t, Some(handle));
        self.kept.insert(t, Rc::clone(partition));
        self.has_kept = true;
    }

    /// Before a partition runs or is prepared: what it kept is no more.
    pub fn forget_kept(&mut self, outputs: &[i32]) {
        for t in Graph::present(outputs) {
            self.kept.remove(&t);
            self.table.set_handle(t, None);
        }
    }

    /// Copies the value of tensor `t` from the device, if it is there alone. Without the partition that kept it there is none.
    pub fn fetch(&mut self, t: usize) -> Result<()> {
        let (Some(handle), Some(kernel)) = (self.table.handle(t), self.kept.get(&t)) else { return Ok(()) };
        let raw = self.table.get(t);
        if !raw.data.is_null() && raw.bytes > 0 {
            // SAFETY: a tensor that is no constant has as many bytes of the arena or of lent memory as it says, initialised; `&mut self`.
            let data = unsafe { std::slice::from_raw_parts_mut(raw.data.cast::<u8>(), raw.bytes as usize) };
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

    /// Before a step of dynamic shape runs: such outputs have no memory until it resizes them.
    pub fn forget_dynamic(&mut self, outputs: &[i32]) {
        for t in Graph::present(outputs) {
            if self.table.is_dynamic(t) {
                self.table.set_data(t, std::ptr::null_mut());
            }
        }
    }

    /// After tensor `t` got a shape: a variable that is larger than its memory has none until variables are
    /// [placed](Self::place_variables).
    pub fn check_room(&mut self, t: usize) {
        let raw = self.table.get(t);
        let own = || self.variables.get(&t).map_or(0, Block::len);
        if raw.flags & TENSOR_VARIABLE != 0
            && raw.bytes > self.lent.get(&t).map_or_else(own, Lent::len) as u64
        {
            self.table.set_data(t, std::ptr::null_mut());
        }
    }

    /// Gives each variable that lies in no lent memory its own; a new one, or one that grew, has its first value.
    pub fn place_variables(&mut self, graph: &Graph) -> Result<()> {
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

    /// Gives variables their first values: those that stand for zero if they are i8, else zero bytes. Before memory is planned
    /// there is nothing to set.
    pub fn reset_variables(&mut self, graph: &Graph, which: impl Fn(&Self, usize) -> bool) {
        for t in Graph::present(&graph.variables).filter(|&t| which(self, t)) {
            let raw = self.table.get(t);
            if !raw.data.is_null() {
                // SAFETY: a variable with data has as many bytes as it says, of its own block or of lent memory: `place_variables`
                // made room, and `check_room` took the data of one that outgrew it; `&mut self`.
                unsafe {
                    raw.data.cast::<u8>().write_bytes(graph.tensors[t].zero_byte(), raw.bytes as usize)
                };
            }
        }
    }

    /// Frees the arena, and what tensors of dynamic shape hold, which have no memory then; inputs of strings stay.
    pub fn release_arena(&mut self, graph: &Graph) {
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

    /// Lends memory to tensor `t`, whose size was checked. Where it lay in other lent memory it lies here at once, and what it had
    /// is not copied. Gives the memory from before.
    pub fn lend(&mut self, t: usize, lent: Lent) -> Option<Lent> {
        let data = lent.as_ptr();
        let before = self.lent.insert(t, lent);
        self.readdress(t, before.as_ref().map(|_| data));
        before
    }

    /// All memory that this subgraph took from the system for itself.
    pub fn own_blocks(&self) -> impl Iterator<Item = &Block> {
        let Memory { persistent, arena, variables, dynamic, constants, .. } = self;
        let blocks = persistent.blocks().iter().chain([arena]).chain(variables.values()).chain(dynamic);
        blocks.chain(constants.blocks())
    }

    /// Gives back what was lent to tensor `t`, which has no memory then.
    pub fn take_back(&mut self, t: usize) -> Option<Lent> {
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

    /// Copies results that are constants to where their readers look for them.
    pub fn fill_lent_constants(&self) {
        for (&t, lent) in &self.lent {
            let value = self.table.constant_bytes(t);
            if !value.is_empty() && value.len() <= lent.len() {
                // SAFETY: lent memory of at least that size, which is nobody else's.
                unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), lent.as_ptr(), value.len()) };
            }
        }
    }

    /// An input of strings, whose size the shape does not tell: takes its bytes.
    pub fn set_input_bytes(&mut self, t: usize, bytes: &[u8]) -> Result<()> {
        self.dynamic[t].grow(bytes.len(), &mut self.budget, "an input of strings")?;
        // SAFETY: the block has that many bytes; the caller's slice is another allocation.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.dynamic[t].as_ptr(), bytes.len()) };
        self.table.set_data(t, self.dynamic[t].as_ptr());
        self.table.set_bytes(t, bytes.len() as u64);
        Ok(())
    }

    /// Bytes that live as long as the plan: states, tables, computed constants, variables.
    pub fn persistent_bytes(&self) -> u64 {
        self.persistent.in_use() + self.constants.bytes() + blocks(self.variables.values())
    }

    /// Bytes of tensors whose shape only a run tells.
    pub fn dynamic_bytes(&self) -> u64 {
        blocks(self.dynamic.iter())
    }
}

fn blocks<'a>(blocks: impl Iterator<Item = &'a Block>) -> u64 {
    blocks.map(|block| block.len() as u64).sum()
}
