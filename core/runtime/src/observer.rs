//! Observers: functions that see each node as it runs.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::interpreter::Tensor;
use crate::stages::table::TensorTable;

/// Called around each node. See [`Interpreter::set_observer`](crate::Interpreter::set_observer).
pub(crate) type Observer = Box<dyn FnMut(&ObservedStep<'_>) + Send>;

/// When an observer is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before the node runs.
    Before,
    /// After the node ran.
    After,
}

/// A node or a delegate's partition before or after it runs.
pub struct ObservedStep<'a> {
    /// Before or after.
    pub moment: Moment,
    /// The subgraph of the node.
    pub subgraph: usize,
    pub(crate) graph: &'a Graph,
    pub(crate) table: &'a TensorTable,
    pub(crate) op: &'a str,
    pub(crate) delegate: Option<&'a str>,
    pub(crate) nodes: &'a [usize],
    pub(crate) inputs: &'a [i32],
    pub(crate) outputs: &'a [i32],
    /// Position of the node in its subgraph of the model.
    pub(crate) index: u32,
}

impl ObservedStep<'_> {
    /// The op's name; for a partition, the delegate's.
    pub fn op(&self) -> &str {
        self.op
    }

    /// The delegate's name, for a partition.
    pub fn delegate(&self) -> Option<&str> {
        self.delegate
    }

    /// The node, numbered as in [`served_by`](crate::Interpreter::served_by); for a partition, all its nodes.
    pub fn nodes(&self) -> &[usize] {
        self.nodes
    }

    /// Indices of the tensors that it reads; −1 for an absent one.
    pub fn inputs(&self) -> &[i32] {
        self.inputs
    }

    /// Indices of the tensors that it writes; −1 for an absent one.
    pub fn outputs(&self) -> &[i32] {
        self.outputs
    }

    /// A tensor of the subgraph, with its current value.
    ///
    /// # Errors
    /// The index is out of range.
    pub fn tensor(&self, index: usize) -> Result<Tensor<'_>> {
        Tensor::of(self.graph, self.table, index, true)
    }
}

/// Calls the observer.
///
/// # Errors
/// The observer panicked.
#[inline(never)]
pub(crate) fn notify(observer: &RefCell<Observer>, observed: &ObservedStep<'_>) -> Result<()> {
    // In a called subgraph, a plugin is on the stack, and a panic must not unwind through it.
    let call = || observer.try_borrow_mut().map(|mut observer| observer(observed));
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::State(format!(
            "the observer panicked at {} (node {} of subgraph {})",
            observed.op(),
            observed.index,
            observed.subgraph
        ))),
    }
}
