//! Access by subgraph and tensor index, for tensors of all kinds.

use std::cell::RefCell;

use super::slots::Slot;
use super::{Interpreter, Tensor, TensorMut};
use crate::error::{Error, Result};
use crate::observer::ObservedStep;
use crate::stages::executor::Executor;

impl Interpreter {
    /// The number of subgraphs.
    pub fn subgraph_count(&self) -> usize {
        self.slots.len()
    }

    /// The number of tensors of a subgraph, including tensors of composites.
    ///
    /// # Errors
    /// The index is out of range, or the subgraph cannot be built. This also applies to the functions below.
    pub fn tensor_count_of(&mut self, subgraph: usize) -> Result<usize> {
        Ok(self.executor_mut(subgraph)?.graph.tensors.len())
    }

    /// Tensor indices of a subgraph's inputs; −1 for an absent one.
    ///
    /// # Errors
    /// As [`tensor_count_of`](Self::tensor_count_of).
    pub fn inputs_of(&mut self, subgraph: usize) -> Result<&[i32]> {
        Ok(&self.executor_mut(subgraph)?.graph.inputs)
    }

    /// Tensor indices of a subgraph's outputs, see [`inputs_of`](Self::inputs_of).
    ///
    /// # Errors
    /// As [`tensor_count_of`](Self::tensor_count_of).
    pub fn outputs_of(&mut self, subgraph: usize) -> Result<&[i32]> {
        Ok(&self.executor_mut(subgraph)?.graph.outputs)
    }

    /// Tensor indices of a subgraph's variables, which keep their value between invocations.
    ///
    /// # Errors
    /// As [`tensor_count_of`](Self::tensor_count_of).
    pub fn variables_of(&mut self, subgraph: usize) -> Result<&[i32]> {
        Ok(&self.executor_mut(subgraph)?.graph.variables)
    }

    /// A tensor of a subgraph, as the last invocation left it. If its memory was reused, it shows the data of the other
    /// tensor, unless [`preserve_all`](crate::Lifetimes::preserve_all) is on. A tensor inside a delegate's partition
    /// has no data.
    ///
    /// # Errors
    /// An index is out of range, or the subgraph is not built yet.
    pub fn tensor_of(&self, subgraph: usize, tensor: usize) -> Result<Tensor<'_>> {
        self.tensor_at(subgraph, tensor)
    }

    /// A tensor of the main subgraph, see [`tensor_of`](Self::tensor_of).
    ///
    /// # Errors
    /// The index is out of range.
    pub fn tensor(&self, index: usize) -> Result<Tensor<'_>> {
        self.tensor_of(0, index)
    }

    /// A tensor of a subgraph for writing: an input, a variable, or a tensor that nodes read but do not write. A tensor
    /// that a node writes keeps the new value until that node runs, or until another tensor in the same memory is
    /// written.
    ///
    /// # Errors
    /// An index is out of range, or the tensor is constant.
    pub fn tensor_mut_of(&mut self, subgraph: usize, tensor: usize) -> Result<TensorMut<'_>> {
        self.check_tensor(subgraph, tensor)?;
        let tensor = self.tensor_at(subgraph, tensor)?;
        if tensor.is_constant() {
            let message = "it is constant, its value cannot be set".to_owned();
            return Err(Error::Tensor { name: tensor.name.to_owned(), message });
        }
        Ok(TensorMut { tensor })
    }

    /// Treats these tensors of the main subgraph like outputs.
    pub(super) fn expose(&mut self, tensors: &[usize]) -> Result<()> {
        for &t in tensors {
            self.check_tensor(0, t)?;
            self.executor_mut(0)?.graph.expose(t);
        }
        Ok(())
    }

    /// Sets the shape of an input of a subgraph, given by its tensor index.
    /// [`allocate_subgraph`](Self::allocate_subgraph) must follow.
    ///
    /// # Errors
    /// The tensor is not an input, or the shape is invalid.
    pub fn resize_of(&mut self, subgraph: usize, tensor: usize, shape: &[i32]) -> Result<()> {
        let limit = self.settings.quota.bytes;
        self.input_of(subgraph, tensor)?.resize_input(tensor, shape, limit)
    }

    /// Sets an input of strings, given by its tensor index. Its shape must have as many elements.
    ///
    /// # Errors
    /// The tensor is not an input, not of strings, or has another number of elements.
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
        Err(Error::Tensor { name, message: format!("it is not an input of subgraph {subgraph}") })
    }

    /// Changes whenever the address of a tensor of the subgraph may have changed: on allocation, resize, loans and
    /// release, and during `invoke` if memory grows. As long as it stays the same, pointers to tensor data stay valid.
    /// 0 if the subgraph is not built.
    pub fn generation(&self, subgraph: usize) -> u64 {
        self.slots.get(subgraph).and_then(Slot::executor).map_or(0, |executor| executor.memory().generation)
    }

    /// Calls `observer` before and after each node and each partition that an invocation runs, including those in
    /// called subgraphs. Replaces the previous observer. Nodes that run once during allocation, and nodes inside a
    /// partition, are not observed. If the observer panics, the invocation returns an error.
    pub fn set_observer(&mut self, observer: impl FnMut(&ObservedStep<'_>) + Send + 'static) {
        self.observer = Some(RefCell::new(Box::new(observer)));
    }

    /// Removes the observer.
    pub fn remove_observer(&mut self) {
        self.observer = None;
    }
}
