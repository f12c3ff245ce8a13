//! A subgraph, as shown to delegates and control flow ops.

use crate::op::NodeView;
use crate::raw::{self, ArGraphV1, ArTensorV1};
use crate::tensor::TensorView;
use crate::{Result, ensure};

/// A subgraph of the model.
#[derive(Clone, Copy)]
pub struct GraphView<'a> {
    raw: &'a ArGraphV1,
}

impl<'a> GraphView<'a> {
    /// Wraps the host's struct.
    ///
    /// # Safety
    /// The struct and everything it points to must be valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &'a ArGraphV1) -> Self {
        GraphView { raw }
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.raw.node_count
    }

    /// The node at position `i` of the execution plan. Panics if `i` is out of range.
    pub fn node(&self, i: usize) -> NodeView<'a> {
        assert!(i < self.node_count(), "node {i} of {}", self.node_count());
        // SAFETY: `i` is in range, checked above, and `from_raw` requires that the array is valid for `'a`.
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

    /// The tensor with this index. It has data only if it is constant; other data is available from an
    /// [`EvalContext`](crate::EvalContext).
    ///
    /// # Errors
    /// The index is out of range, or the element type is unknown.
    pub fn tensor(&self, index: usize) -> Result<TensorView<'a>> {
        ensure!(index < self.tensor_count(), "tensor {index} of {}", self.tensor_count());
        // SAFETY: the index was checked against the number of tensors, and the view does not keep the reference.
        let tensor: &ArTensorV1 = unsafe { raw::strided(self.raw.tensors, self.raw.tensor_stride, index) };
        // SAFETY: shape, name and quantization are valid for `'a`, as `from_raw` requires here. `described` removes the
        // data before any slice of it is made, unless it is constant: then it is valid for `'a` and never written.
        unsafe { TensorView::from_raw(tensor) }.map(TensorView::described)
    }

    /// Indices of the subgraph's input tensors.
    pub fn inputs(&self) -> &'a [i32] {
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { raw::slice(self.raw.inputs, self.raw.input_count) }
    }

    /// Indices of the subgraph's output tensors.
    pub fn outputs(&self) -> &'a [i32] {
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { raw::slice(self.raw.outputs, self.raw.output_count) }
    }
}
