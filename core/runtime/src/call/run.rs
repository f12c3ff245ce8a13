//! The context of one call of `allocate` or `invoke`, and how its nodes call subgraphs.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use arenite_abi::raw::{ArGraphV1, ArTensorV1};

use super::phase::Phase;
use super::settings::Settings;
use super::usage::Usage;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::observer::Observer;
use crate::plugins::registry::Registry;
use crate::quota::Budget;
use crate::resources::Resources;
use crate::stack;

/// The interface of a subgraph to nodes of other subgraphs that call it.
pub(crate) trait Callee {
    /// The subgraph's nodes and tensors. Their addresses do not change while the interpreter lives.
    fn describe(&mut self) -> *const ArGraphV1;

    /// The same for a delegate, which may rely on the shapes.
    ///
    /// # Errors
    /// The shape of a tensor is not known before the subgraph runs.
    fn describe_to_delegate(&mut self) -> Result<*const ArGraphV1>;

    /// Number of inputs.
    fn input_count(&self) -> usize;

    /// Number of outputs.
    fn output_count(&self) -> usize;

    /// Sets the shape of input `i`, and its data if `value` has data.
    ///
    /// # Safety
    /// The arrays of `value` are readable, and not memory of this subgraph.
    unsafe fn set_input(&mut self, i: usize, value: &ArTensorV1, run: &Run<'_>) -> Result<()>;

    /// Output `i` as the last run left it; `TENSOR_DYNAMIC` if its shape is known only after a run.
    fn output(&self, i: usize) -> Result<ArTensorV1>;

    /// Copies each output to the input at the same position.
    fn forward_to_itself(&mut self, run: &Run<'_>) -> Result<()>;

    /// Infers the shapes and constants that follow from the shapes of the inputs.
    fn infer(&mut self, run: &Run<'_>) -> Result<()>;

    /// Prepares nodes and plans memory if the shapes of inputs changed.
    fn make_ready(&mut self, run: &Run<'_>) -> Result<()>;

    /// Runs the subgraph.
    fn invoke(&mut self, run: &Run<'_>) -> Result<()>;

    /// Frees the results of [`infer`](Self::infer) if the subgraph was not made ready, because a delegate runs it.
    fn forget_inferred(&mut self, run: &Run<'_>);

    /// Allocates the arena again if it was released.
    fn take_released(&mut self, run: &Run<'_>) -> Result<()>;

    /// Changes whenever the value of a constant does.
    fn constants_version(&self) -> u64;

    /// Whether a node has effects besides its outputs.
    fn is_stateful(&self) -> bool;
}

/// The subgraphs of an interpreter. A subgraph in use further up the stack cannot be used again: recursion is an error.
pub(crate) trait Callees {
    /// Calls `f` with a subgraph, and builds it first if necessary.
    ///
    /// # Errors
    /// The subgraph does not exist, cannot be built, or is in use.
    fn with(&self, subgraph: usize, run: &Run<'_>, f: &mut dyn FnMut(&mut dyn Callee)) -> Result<()>;

    /// Calls `f` with the index of each subgraph that is built and not in use, and with the subgraph.
    fn for_each_idle(&self, f: &mut dyn FnMut(usize, &mut dyn Callee));
}

/// The resources of one call.
pub(crate) struct Run<'a> {
    pub settings: &'a Settings,
    pub registry: &'a Registry,
    pub resources: &'a RefCell<Resources>,
    pub budget: &'a Budget,
    pub device_budget: &'a Budget,
    pub node_budget: &'a Budget,
    /// Time per step is collected.
    pub profiles: bool,
    pub observer: Option<&'a RefCell<Observer>>,
    pub model: &'a Model,
    pub callees: &'a dyn Callees,
    pub cancelled: &'a AtomicBool,
    pub usage: Usage,
}

impl Run<'_> {
    /// Numbers that identify the model's file and the subgraph of this index; zeros if the model comes from no file.
    pub(crate) fn origin(&self, subgraph: usize) -> [u64; 4] {
        match self.model.origin() {
            [0, 0, 0, 0] => [0; 4],
            // The top bits of a file's size are zero.
            [device, number, size, time] => [device, number, size ^ (subgraph as u64).reverse_bits(), time],
        }
    }

    /// Lets the system drop the pages of a constant, if they are mapped from the model file.
    pub(crate) fn release(&self, bytes: &[u8]) {
        self.model.release(bytes);
    }

    /// Calls `f` with a subgraph. See [`Callees::with`] for errors.
    pub(crate) fn with<R>(
        &self,
        subgraph: usize,
        mut f: impl FnMut(&mut dyn Callee) -> Result<R>,
    ) -> Result<R> {
        let mut done = None;
        self.callees.with(subgraph, self, &mut |callee| done = Some(f(callee)))?;
        done.unwrap_or_else(|| Err(Error::State(format!("subgraph {subgraph} was not called"))))
    }

    /// As [`with`](Self::with), for a node that prepares or runs the subgraph: one level deeper.
    pub(crate) fn descend<R>(
        &self,
        subgraph: usize,
        f: impl FnMut(&mut dyn Callee) -> Result<R>,
    ) -> Result<R> {
        self.usage.enter(subgraph, &self.settings.quota)?;
        let done = stack::with_room(|| self.with(subgraph, f));
        self.usage.leave();
        done
    }

    /// For a node that prepares a subgraph: makes it ready, or finds its shapes.
    pub(crate) fn prepare_called(&self, subgraph: usize, phase: Phase) -> Result<()> {
        self.descend(subgraph, |callee| match phase {
            Phase::Infer => callee.infer(self),
            Phase::Prepare => callee.make_ready(self),
        })
    }

    /// Frees the memory of subgraphs that were inferred but not made ready, because a delegate runs them.
    pub(crate) fn forget_inferred(&self) {
        self.callees.for_each_idle(&mut |_, callee| callee.forget_inferred(self));
    }

    /// Allocates the released memory of subgraphs again.
    pub(crate) fn take_released(&self) -> Result<()> {
        let mut done = Ok(());
        self.callees.for_each_idle(&mut |_, callee| {
            if let (Ok(()), Err(error)) = (&done, callee.take_released(self)) {
                done = Err(error);
            }
        });
        done
    }

    /// Versions of the constants in all subgraphs that a node may call.
    pub(crate) fn constants_of_called(&self) -> Vec<(usize, u64)> {
        let mut versions = Vec::new();
        self.callees.for_each_idle(&mut |subgraph, callee| {
            versions.push((subgraph, callee.constants_version()));
        });
        versions
    }

    /// Whether a subgraph that a node may call has a node with a state.
    pub(crate) fn calls_states(&self) -> bool {
        let mut found = false;
        self.callees.for_each_idle(&mut |_, callee| found |= callee.is_stateful());
        found
    }

    /// Whether the call must stop: the caller cancelled it, or its time limit has passed.
    pub(crate) fn is_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.usage.is_out_of_time()
    }

    /// Why [`is_over`](Self::is_over).
    pub(crate) fn stopped(&self) -> Error {
        match self.cancelled.load(Ordering::Relaxed) {
            true => Error::Cancelled,
            false => self.settings.quota.exceeded_time(),
        }
    }

    /// An error if [`is_over`](Self::is_over).
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_over() { Err(self.stopped()) } else { Ok(()) }
    }
}
