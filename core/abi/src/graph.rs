//! A subgraph, as delegates and control flow see it.

use crate::op::NodeView;
use crate::raw::{self, ArGraphV1, ArTensorV1};
use crate::tensor::TensorView;
use crate::{Result, ensure};

/// A subgraph.
#[derive(Clone, Copy)]
pub struct GraphView<'a> {
    raw: &'a ArGraphV1,
}

impl<'a> GraphView<'a> {
    /// # Safety
    /// The struct and everything it points to is valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &'a ArGraphV1) -> Self {
        GraphView { raw }
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.raw.node_count
    }

    /// Node at position `i` of the execution plan. Panics past the end.
    pub fn node(&self, i: usize) -> NodeView<'a> {
        assert!(i < self.node_count(), "node {i} of {}", self.node_count());
        // SAFETY: in range, as checked; valid, as promised to `from_raw`.
        unsafe { NodeView::from_raw(raw::strided(self.raw.nodes, self.raw.node_stride, i)) }
    }

    /// The nodes, in execution order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeView<'a>> + use<'a> {
        let graph = *self;
        (0..self.node_count()).map(move |i| graph.node(i))
    }

    /// Number of tensors.
    pub fn tensor_count(&self) -> usize {
        self.raw.tensor_count
    }

    /// Description of the tensor with this index. It has data if it is constant; other data comes from an
    /// [`EvalContext`](crate::EvalContext).
    pub fn tensor(&self, index: usize) -> Result<TensorView<'a>> {
        ensure!(index < self.tensor_count(), "tensor {index} of {}", self.tensor_count());
        // SAFETY: in range, as checked; the struct is copied.
        let tensor: ArTensorV1 = unsafe { *raw::strided(self.raw.tensors, self.raw.tensor_stride, index) };
        // SAFETY: valid, as promised to `from_raw`; nobody writes to constants.
        unsafe { TensorView::from_raw(&tensor.described()) }
    }

    /// Tensor indices of the subgraph's inputs.
    pub fn inputs(&self) -> &'a [i32] {
        // SAFETY: valid, as promised to `from_raw`.
        unsafe { raw::slice(self.raw.inputs, self.raw.input_count) }
    }

    /// Tensor indices of the subgraph's outputs.
    pub fn outputs(&self) -> &'a [i32] {
        // SAFETY: valid, as promised to `from_raw`.
        unsafe { raw::slice(self.raw.outputs, self.raw.output_count) }
    }
}
