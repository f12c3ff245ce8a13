//! What a program sees of nodes while they run.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::interpreter::Tensor;
use crate::run::Run;
use crate::stages::memory::Memory;
use crate::stages::op_of;
use crate::stages::step::{Kernel, Step};

/// Called around each node. See [`Interpreter::set_observer`](crate::Interpreter::set_observer).
pub(crate) type Observer = Box<dyn FnMut(&Observed<'_>) + Send>;

/// When an observer is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The node is about to run.
    Before,
    /// The node ran.
    After,
}

/// A node, or a delegate's partition, that is about to run or ran.
pub struct Observed<'a> {
    /// Which of the two.
    pub moment: Moment,
    /// The subgraph that runs it.
    pub subgraph: usize,
    graph: &'a Graph,
    memory: &'a Memory,
    step: &'a Step,
}

impl Observed<'_> {
    /// The op's name; that of its delegate for a partition.
    pub fn op(&self) -> &str {
        op_of(self.graph, self.step)
    }

    /// The delegate, if it is a partition.
    pub fn delegate(&self) -> Option<&str> {
        match &self.step.kernel {
            Kernel::Partition(kernel) => Some(&kernel.owner.name),
            _ => None,
        }
    }

    /// The node, numbered as in [`served_by`](crate::Interpreter::served_by); those of a partition.
    pub fn nodes(&self) -> &[usize] {
        self.step.members()
    }

    /// Tensors that it reads; −1 for one that is absent.
    pub fn inputs(&self) -> &[i32] {
        self.step.inputs()
    }

    /// Tensors that it writes; −1 for one that is absent.
    pub fn outputs(&self) -> &[i32] {
        self.step.outputs()
    }

    /// A tensor of the subgraph as it is now.
    ///
    /// # Errors
    /// There is no such tensor.
    pub fn tensor(&self, index: usize) -> Result<Tensor<'_>> {
        Tensor::of(self.graph, self.memory, index, true)
    }
}

/// Shows a step to the observer, if there is one.
#[inline]
pub(crate) fn observe(
    run: &Run<'_>,
    moment: Moment,
    graph: &Graph,
    memory: &Memory,
    step: &Step,
) -> Result<()> {
    match run.observer {
        Some(observer) => show(observer, &Observed { moment, subgraph: graph.index, graph, memory, step }),
        None => Ok(()),
    }
}

#[inline(never)]
fn show(observer: &RefCell<Observer>, observed: &Observed<'_>) -> Result<()> {
    // Of a called subgraph it is called below a plugin, through which no panic may pass.
    let call = || observer.try_borrow_mut().map(|mut observer| observer(observed));
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::State(format!(
            "the observer panicked at {} (node {} of subgraph {})",
            observed.op(),
            observed.step.raw.index,
            observed.subgraph
        ))),
    }
}
