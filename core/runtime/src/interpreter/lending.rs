//! Memory that others own, and memory that is given back for a while.

use std::ops::Range;
use std::ptr::NonNull;

use super::Interpreter;
use crate::arena::Block;
use crate::error::{Error, Result};
use crate::run::Slot;
use crate::stages::executor::Executor;
use crate::stages::lent::{Lent, LentMemory};

impl Interpreter {
    /// Puts an input, an output or a variable of a subgraph into memory of the caller's, which the interpreter keeps until
    /// [`take_back`](Self::take_back): nodes read and write it there, and nothing else lies in it. It begins at a multiple of 64, as
    /// [`AlignedBytes`](crate::AlignedBytes) does, and has as many bytes as the tensor, or more. It does not count against the quota.
    /// Gives the memory that was lent to the tensor before.
    ///
    /// Memory in the place of other lent memory is used at once, and costs nothing. Otherwise [`allocate`](Self::allocate) must
    /// follow, which plans the rest of memory anew and prepares nothing again; inputs must be filled then.
    ///
    /// What is in the memory is the tensor's value: `allocate` does not reset a variable that lies in it. A result that is constant is
    /// copied into it by each invocation. A tensor that a delegate computes in a called subgraph by itself does not lie in it.
    ///
    /// # Errors
    /// Alignment or size, with both values; a tensor that is none of these, a constant, a tensor of strings; memory that overlaps other
    /// lent memory, or the interpreter's own. The memory is dropped then.
    pub fn lend(
        &mut self,
        subgraph: usize,
        tensor: usize,
        memory: Box<dyn LentMemory>,
    ) -> Result<Option<Box<dyn LentMemory>>> {
        self.lend_memory(subgraph, tensor, Lent::owned(memory))
    }

    /// As [`lend`](Self::lend), for `bytes` bytes at `data` that the caller keeps.
    ///
    /// # Safety
    /// Until they are taken back, other memory is lent in their place, or the interpreter is dropped, the bytes are initialised, and
    /// readable and writable from any thread; nobody else reads or writes them while a method of the interpreter runs, or while a
    /// [`Tensor`](crate::Tensor) of it or what one gave is in use.
    ///
    /// # Errors
    /// As [`lend`](Self::lend); null.
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
        // SAFETY: not null; `lend_raw` requires `bytes` bytes there, which nobody else uses while they are lent.
        self.lend_memory(subgraph, tensor, unsafe { Lent::borrowed(data, bytes) })
    }

    fn lend_memory(
        &mut self,
        subgraph: usize,
        tensor: usize,
        lent: Lent,
    ) -> Result<Option<Box<dyn LentMemory>>> {
        self.check_tensor(subgraph, tensor)?;
        self.check_apart(subgraph, tensor, &lent)?;
        let before = self.executor_mut(subgraph)?.lend(tensor, lent)?;
        Ok(before.and_then(Lent::into_owner))
    }

    /// Ends a loan and gives the memory back; `None` where nothing was lent, or bare bytes were. Unless the tensor's shape is dynamic,
    /// [`allocate`](Self::allocate) must follow. A variable has its first value then.
    ///
    /// # Errors
    /// There is no such tensor.
    pub fn take_back(&mut self, subgraph: usize, tensor: usize) -> Result<Option<Box<dyn LentMemory>>> {
        self.check_tensor(subgraph, tensor)?;
        let lent = self.executor_mut(subgraph)?.take_back(tensor);
        Ok(lent.and_then(Lent::into_owner))
    }

    /// Gives back the memory of activations, of all subgraphs: arenas, and results of dynamic shape. States, variables, constants and
    /// what delegates hold stay. [`allocate`](Self::allocate) takes it again, at the cost of that alone; inputs must be filled then.
    pub fn release_memory(&mut self) {
        self.slots.iter_mut().filter_map(Slot::executor_mut).for_each(Executor::release_memory);
    }

    /// Builds the subgraph, if need be, and checks that it has this tensor.
    pub(super) fn check_tensor(&mut self, subgraph: usize, tensor: usize) -> Result<()> {
        let count = self.executor_mut(subgraph)?.graph.tensors.len();
        if tensor < count {
            return Ok(());
        }
        Err(Error::State(format!("there is no tensor {tensor}; subgraph {subgraph} has {count}")))
    }

    /// Two tensors in the same memory would overwrite one another, and so would one in the memory of an arena.
    fn check_apart(&self, subgraph: usize, tensor: usize, lent: &Lent) -> Result<()> {
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
