//! Everything by subgraph and tensor index: what a signature or a position among the inputs names elsewhere.

use std::cell::RefCell;

use super::{Interpreter, Tensor, TensorMut};
use crate::error::{Error, Result};
use crate::observer::Observed;
use crate::run::Slot;
use crate::stages::executor::Executor;

impl Interpreter {
    /// Number of subgraphs.
    pub fn subgraph_count(&self) -> usize {
        self.slots.len()
    }

    /// Number of tensors of a subgraph, those of composites included.
    ///
    /// # Errors
    /// There is no such subgraph, or it cannot be built; so in the functions below.
    pub fn tensor_count_of(&mut self, subgraph: usize) -> Result<usize> {
        Ok(self.executor_mut(subgraph)?.graph.tensors.len())
    }

    /// Indices of the tensors that are a subgraph's inputs; −1 for one that is absent.
    pub fn inputs_of(&mut self, subgraph: usize) -> Result<&[i32]> {
        Ok(&self.executor_mut(subgraph)?.graph.inputs)
    }

    /// As [`inputs_of`](Self::inputs_of), its outputs.
    pub fn outputs_of(&mut self, subgraph: usize) -> Result<&[i32]> {
        Ok(&self.executor_mut(subgraph)?.graph.outputs)
    }

    /// As [`inputs_of`](Self::inputs_of), its variables: tensors that keep their value from one invocation to the next.
    pub fn variables_of(&mut self, subgraph: usize) -> Result<&[i32]> {
        Ok(&self.executor_mut(subgraph)?.graph.variables)
    }

    /// A tensor of a subgraph, as the last invocation left it. One that the plan has given to another tensor since has that one's
    /// data, unless [`preserve_all`](crate::Lifetimes::preserve_all) is on; one inside a delegate's partition has none.
    ///
    /// # Errors
    /// There is no such tensor; or nobody used the subgraph yet.
    pub fn tensor_of(&self, subgraph: usize, tensor: usize) -> Result<Tensor<'_>> {
        self.tensor_at(subgraph, tensor)
    }

    /// A tensor of a subgraph, to be written: an input, a variable, or what a node reads that none writes. What a node writes has the
    /// written value until that node, or another tensor's in the same memory, runs.
    ///
    /// # Errors
    /// There is no such tensor, or it is constant.
    pub fn tensor_mut_of(&mut self, subgraph: usize, tensor: usize) -> Result<TensorMut<'_>> {
        self.check_tensor(subgraph, tensor)?;
        let tensor = self.tensor_at(subgraph, tensor)?;
        if tensor.is_constant() {
            let message = "it is constant, its value cannot be set".to_owned();
            return Err(Error::Tensor { name: tensor.name.to_owned(), message });
        }
        Ok(TensorMut { tensor })
    }

    /// Gives an input of a subgraph, named by its tensor, another shape. [`allocate_subgraph`](Self::allocate_subgraph) must follow.
    ///
    /// # Errors
    /// It is no input; a shape that cannot be.
    pub fn resize_of(&mut self, subgraph: usize, tensor: usize, shape: &[i32]) -> Result<()> {
        let limit = self.settings.quota.bytes;
        self.input_of(subgraph, tensor)?.resize_input(tensor, shape, limit)
    }

    /// Sets an input of strings, named by its tensor; its shape must have as many elements.
    ///
    /// # Errors
    /// It is no input, or of another type or count.
    pub fn set_strings_of(&mut self, subgraph: usize, tensor: usize, strings: &[&[u8]]) -> Result<()> {
        self.input_of(subgraph, tensor)?.set_strings(tensor, strings)
    }

    fn input_of(&mut self, subgraph: usize, tensor: usize) -> Result<&mut Executor> {
        self.check_tensor(subgraph, tensor)?;
        let executor = self.executor_mut(subgraph)?;
        if executor.graph.is_input(tensor) {
            return Ok(executor);
        }
        let name = executor.graph.tensors[tensor].name.to_string();
        Err(Error::Tensor { name, message: format!("it is no input of subgraph {subgraph}") })
    }

    /// A number that changes when addresses of a subgraph's tensors may have: on allocation, resize, loans and release, and within
    /// `invoke` where memory grows. As long as it is the same, what pointed to a tensor's data does. 0 where nobody used the subgraph.
    pub fn generation(&self, subgraph: usize) -> u64 {
        self.slots.get(subgraph).and_then(Slot::executor).map_or(0, |executor| executor.memory().generation)
    }

    /// Calls `observer` before and after each node, and each partition of a delegate, that an invocation runs, in called subgraphs
    /// too. It replaces the one from before. What runs once, while memory is allocated, is not seen; nor is what a delegate runs
    /// within a partition. Where it panics, the invocation ends with an error.
    pub fn set_observer(&mut self, observer: impl FnMut(&Observed<'_>) + Send + 'static) {
        self.observer = Some(RefCell::new(Box::new(observer)));
    }

    /// Calls the observer no more.
    pub fn remove_observer(&mut self) {
        self.observer = None;
    }
}
