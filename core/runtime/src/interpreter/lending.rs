//! Lends memory to tensors, and releases memory between invocations.

use std::ops::Range;
use std::ptr::NonNull;

use super::Interpreter;
use super::slots::Slot;
use crate::arena::Block;
use crate::error::{Error, Result};
use crate::stages::executor::Executor;
use crate::stages::lent::{LentMemory, Loan};

impl Interpreter {
    /// Puts an input, an output or a variable of a subgraph into the caller's memory until
    /// [`take_back`](Self::take_back). Nodes read and write it there, and nothing else is placed in it. The memory must
    /// start at a multiple of 64, as [`AlignedBytes`](crate::AlignedBytes) does, and be at least as large as the
    /// tensor. It does not count against the quota. Returns the memory that was lent to the tensor before.
    ///
    /// Memory that replaces other lent memory is used immediately, at no cost. Otherwise [`allocate`](Self::allocate)
    /// must follow; it plans the rest of the memory again but prepares no node, and inputs must be set again.
    ///
    /// The content of the memory is the tensor's value: `allocate` does not reset a variable in it. Each invocation
    /// copies a constant result into it. In a called subgraph that a delegate computes itself, a tensor does not use
    /// the lent memory.
    ///
    /// # Errors
    /// Wrong alignment or size, with both values; a tensor of another kind, a constant, a tensor of strings, a tied
    /// tensor; memory that overlaps other lent memory or the interpreter's own. The memory is dropped then.
    pub fn lend(
        &mut self,
        subgraph: usize,
        tensor: usize,
        memory: Box<dyn LentMemory>,
    ) -> Result<Option<Box<dyn LentMemory>>> {
        self.lend_memory(subgraph, tensor, Loan::owned(memory))
    }

    /// As [`lend`](Self::lend), for `bytes` bytes at `data` that the caller keeps.
    ///
    /// # Safety
    /// Until the loan ends, another loan replaces it, or the interpreter is dropped, the bytes are initialised and can
    /// be read and written from any thread. Nothing else accesses them while a method of the interpreter runs, or while
    /// a [`Tensor`](crate::Tensor) of it or a slice from one is in use.
    ///
    /// # Errors
    /// See [`lend`](Self::lend); also if `data` is null.
    pub unsafe fn lend_raw(
        &mut self,
        subgraph: usize,
        tensor: usize,
        data: *mut u8,
        bytes: usize,
    ) -> Result<Option<Box<dyn LentMemory>>> {
        let Some(data) = NonNull::new(data) else {
            return Err(Error::State(format!("the memory of {bytes} bytes lent to tensor {tensor} is null")));
        };
        // SAFETY: not null; `lend_raw` requires `bytes` bytes there, which nothing else uses while they are lent.
        self.lend_memory(subgraph, tensor, unsafe { Loan::borrowed(data, bytes) })
    }

    fn lend_memory(
        &mut self,
        subgraph: usize,
        tensor: usize,
        lent: Loan,
    ) -> Result<Option<Box<dyn LentMemory>>> {
        self.check_tensor(subgraph, tensor)?;
        self.check_untied(subgraph, tensor)?;
        self.check_apart(subgraph, tensor, &lent)?;
        let before = self.executor_mut(subgraph)?.lend(tensor, lent)?;
        Ok(before.and_then(Loan::into_owner))
    }

    /// Ends a loan and returns the memory; `None` if nothing was lent, or if the caller kept the memory. Unless the
    /// tensor's shape is dynamic, [`allocate`](Self::allocate) must follow, which resets a variable.
    ///
    /// # Errors
    /// An index is out of range; the tensor is tied.
    pub fn take_back(&mut self, subgraph: usize, tensor: usize) -> Result<Option<Box<dyn LentMemory>>> {
        self.check_tensor(subgraph, tensor)?;
        self.check_untied(subgraph, tensor)?;
        let lent = self.executor_mut(subgraph)?.take_back(tensor);
        Ok(lent.and_then(Loan::into_owner))
    }

    /// Releases the activations of all subgraphs: the arenas, and results of dynamic shape. States, variables,
    /// constants and the memory of delegates stay. [`allocate`](Self::allocate) only allocates the arenas again; inputs
    /// must be set again.
    pub fn release_memory(&mut self) {
        self.slots.iter_mut().filter_map(Slot::executor_mut).for_each(Executor::release_memory);
    }

    /// Builds the subgraph if necessary, and checks that it has this tensor.
    pub(super) fn check_tensor(&mut self, subgraph: usize, tensor: usize) -> Result<()> {
        let count = self.executor_mut(subgraph)?.graph.tensors.len();
        if tensor < count {
            return Ok(());
        }
        Err(Error::State(format!("tensor {tensor} does not exist; subgraph {subgraph} has {count}")))
    }

    /// Checks that the memory overlaps neither other lent memory nor an arena, since tensors would overwrite one
    /// another.
    fn check_apart(&self, subgraph: usize, tensor: usize, lent: &Loan) -> Result<()> {
        let new = lent.addresses();
        let overlaps = |old: &Range<usize>| new.start < old.end && old.start < new.end;
        let executors = self.slots.iter().enumerate().filter_map(|(s, slot)| Some((s, slot.executor()?)));
        for (s, executor) in executors {
            if let Some(own) = executor.memory().own_blocks().map(Block::addresses).find(overlaps) {
                let name = self.slots[subgraph].executor().map_or("", |e| &e.graph.tensors[tensor].name);
                let message = format!(
                    "the memory lent to it at {:#x}..{:#x} overlaps the interpreter's own at {:#x}..{:#x}: lend memory \
                     that the program allocated",
                    new.start, new.end, own.start, own.end
                );
                return Err(Error::Tensor { name: name.to_owned(), message });
            }
            for (&t, other) in &executor.memory().lent {
                let old = other.addresses();
                if (s, t) != (subgraph, tensor) && overlaps(&old) {
                    let name = executor.graph.tensors[t].name.to_string();
                    let message = format!(
                        "the memory at {:#x}..{:#x} is lent to it; {:#x}..{:#x} for tensor {tensor} of subgraph {subgraph} overlaps it",
                        old.start, old.end, new.start, new.end
                    );
                    return Err(Error::Tensor { name, message });
                }
            }
        }
        Ok(())
    }
}

/// Lends a block of the interpreter to a tensor of it.
pub(super) fn lent_block(block: &Block) -> Loan {
    // SAFETY: a block is initialised. The interpreter keeps it at its address, and drops it after the executors, which
    // own the loans. Only nodes and tensors that borrow the interpreter access it, and one subgraph runs at a time:
    // `check_callable` refuses calls of subgraphs with tied tensors.
    unsafe { Loan::borrowed(block.data(), block.len()) }
}
