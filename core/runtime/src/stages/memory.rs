//! The memory of one subgraph, and the table that says where each tensor lies.
//!
//! Every stage works on it, one after the other, and each names what it changes:
//!
//! | part         | written by                                    | valid until                     |
//! |--------------|-----------------------------------------------|---------------------------------|
//! | `table`      | all; its addresses are the same for ever      | –                               |
//! | `constants`  | `inferred`, `prepared`                        | their value changes             |
//! | `persistent` | `inferred` (gives it back), `prepared`        | its segment is prepared again   |
//! | `variables`  | `runner`, when nodes were prepared anew       | –                               |
//! | `arena`      | `placed`                                      | a larger or smaller plan        |
//! | `dynamic`    | steps while they run; inputs of strings       | the step runs again             |

use std::collections::BTreeMap;

use arenite_abi::raw::{ArTensorV1, TENSOR_VARIABLE};

use super::constants::Constants;
use super::table::TensorTable;
use crate::arena::{ALIGNMENT, Block, Persistent};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::quota::Budget;

pub(crate) struct Memory {
    pub table: TensorTable,
    pub constants: Constants,
    pub persistent: Persistent,
    pub arena: Block,
    pub variables: Block,
    /// Per tensor: that of results whose shape only a run tells, and of inputs of strings.
    pub dynamic: Vec<Block>,
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
            variables: Block::EMPTY,
            dynamic: (0..graph.tensors.len()).map(|_| Block::EMPTY).collect(),
            budget,
        }
    }

    /// Back to the model's shapes, with those that the caller gave. Constants that were computed and inputs of strings keep their
    /// memory; what steps asked for goes back.
    pub fn reset(&mut self, graph: &Graph, resized: &BTreeMap<usize, Vec<i32>>) {
        self.persistent.release(Persistent::BOTTOM, &mut self.budget);
        let strings: Vec<(usize, u64)> = Graph::present(&graph.inputs)
            .filter(|&t| graph.tensors[t].ty.bits() == 0)
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

    /// Before a node is prepared: its outputs as the model has them, without memory.
    pub fn reset_outputs(&mut self, graph: &Graph, outputs: &[i32]) {
        for t in Graph::present(outputs) {
            let (raw, info) = (self.table.get(t), &graph.tensors[t]);
            self.table.reset(t, info);
            self.keep_variable(t, &raw);
        }
    }

    /// Before a partition is prepared: its outputs without memory, in the shapes that inference found, which its delegate
    /// may rely on.
    pub fn clear_outputs(&mut self, outputs: &[i32]) {
        for t in Graph::present(outputs) {
            let raw = self.table.get(t);
            self.table.set_flags(t, raw.flags & TENSOR_VARIABLE);
            self.table.set_data(t, std::ptr::null_mut());
            self.keep_variable(t, &raw);
        }
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

    /// Lays the variables one after the other.
    pub fn place_variables(&mut self, graph: &Graph) -> Result<()> {
        let mut end = 0usize;
        let mut offsets = Vec::with_capacity(graph.variables.len());
        for &t in &graph.variables {
            let bytes = self.table.get(t as usize).bytes as usize;
            offsets.push(end);
            let next = end.checked_add(bytes).and_then(|e| e.checked_next_multiple_of(ALIGNMENT));
            end = next.ok_or_else(|| Error::State("the variables' sizes overflow".into()))?;
        }
        self.variables.grow(end, &mut self.budget, "its variables")?;
        for (&t, offset) in graph.variables.iter().zip(offsets) {
            self.table.set_data(t as usize, self.variables.as_ptr().wrapping_add(offset));
        }
        Ok(())
    }

    /// Gives the variables their first values: those that stand for zero if they are i8, else zero bytes.
    pub fn reset_variables(&mut self, graph: &Graph) {
        self.variables.fill(0, self.variables.len(), 0);
        for &t in &graph.variables {
            let tensor = self.table.get(t as usize);
            // Before memory is planned there is nothing to set.
            if tensor.data.is_null() {
                continue;
            }
            let first = tensor.data as usize - self.variables.as_ptr() as usize;
            self.variables.fill(first, tensor.bytes as usize, graph.tensors[t as usize].zero_byte());
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
        self.persistent.in_use() + self.constants.bytes() + self.variables.len() as u64
    }

    /// Bytes of tensors whose shape only a run tells.
    pub fn dynamic_bytes(&self) -> u64 {
        self.dynamic.iter().map(|block| block.len() as u64).sum()
    }
}
