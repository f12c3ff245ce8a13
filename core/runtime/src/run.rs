//! One call of `allocate` or `invoke`: what it may use, when it must end, and how subgraphs call one another.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::error::{Error, Result};
use crate::graph::{BuildLimits, Graph};
use crate::model::Model;
use crate::observer::Observer;
use crate::plugins::registry::Registry;
use crate::quota::{Budget, MAX_DEPTH, Quota, Resource};
use crate::resources::Resources;
use crate::stack;
use crate::stages::executor::{Executor, Settings};
use crate::stages::is_stateful;
use crate::stages::step::Phase;

/// A subgraph's place in the interpreter.
#[derive(Default)]
pub(crate) enum Slot {
    /// Its executor is in use, further up the stack.
    #[default]
    Busy,
    /// Nobody asked for it yet.
    Unbuilt,
    Idle(Box<Executor>),
}

impl Slot {
    pub fn executor(&self) -> Option<&Executor> {
        match self {
            Slot::Idle(executor) => Some(executor),
            _ => None,
        }
    }

    pub fn executor_mut(&mut self) -> Option<&mut Executor> {
        match self {
            Slot::Idle(executor) => Some(executor),
            _ => None,
        }
    }
}

/// What an interpreter lends to one call.
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
    pub slots: &'a [Cell<Slot>],
    pub cancelled: &'a AtomicBool,
    pub used: Used,
}

/// What a call has used of the quota, and when its time is over.
pub(crate) struct Used {
    deadline: Option<Instant>,
    /// How many subgraphs are being run or prepared, each by a node of the one before.
    depth: Cell<u32>,
    /// How often a subgraph was run by a node of another.
    calls: Cell<u64>,
}

impl Used {
    /// Of a call that begins now.
    pub fn nothing(quota: &Quota) -> Used {
        let deadline = quota.time.and_then(|limit| Instant::now().checked_add(limit));
        Used { deadline, depth: Cell::new(0), calls: Cell::new(0) }
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Run<'_> {
    /// Numbers that tell the model's file and the subgraph of this index; zeros if it is no file.
    pub fn origin(&self, subgraph: usize) -> [u64; 4] {
        match self.model.origin() {
            [0, 0, 0, 0] => [0; 4],
            // No file is so large that its size reaches there.
            [device, number, size, time] => [device, number, size ^ (subgraph as u64).reverse_bits(), time],
        }
    }

    /// Takes the pages of a constant out of memory, if they are the model file's.
    pub fn release(&self, bytes: &[u8]) {
        self.model.release(bytes);
    }

    /// For a node that prepares a subgraph: makes it ready, or finds its shapes.
    pub fn prepare_called(&self, subgraph: usize, phase: Phase) -> Result<()> {
        self.descend(subgraph, |executor| match phase {
            Phase::Infer => executor.infer(self),
            Phase::Prepare => executor.make_ready(self),
        })
    }

    /// Takes back what executors hold whose shapes were found and that nobody made ready: a delegate runs them.
    pub fn forget_inferred(&self) {
        for slot in self.slots {
            let mut taken = slot.take();
            if let Some(executor) = taken.executor_mut() {
                executor.forget_inferred(self);
            }
            slot.set(taken);
        }
    }

    /// Takes the memory of subgraphs again that was released.
    pub fn take_released(&self) -> Result<()> {
        let mut done = Ok(());
        for slot in self.slots {
            let mut taken = slot.take();
            if let Some(executor) = taken.executor_mut().filter(|executor| executor.is_released()) {
                done = done.and(executor.allocate(self));
            }
            slot.set(taken);
        }
        done
    }

    /// Versions of the constants in all subgraphs that are not in use further up the stack: those that a node may call.
    pub fn constants_of_called(&self) -> Vec<(usize, u64)> {
        let version = |(i, slot): (usize, &Cell<Slot>)| {
            let taken = slot.take();
            let version = taken.executor().map(|executor| (i, executor.memory().constants.latest()));
            slot.set(taken);
            version
        };
        self.slots.iter().enumerate().filter_map(version).collect()
    }

    /// Whether a subgraph that is not in use further up the stack has a node with a state.
    pub fn calls_states(&self) -> bool {
        self.slots.iter().any(|slot| {
            let taken = slot.take();
            let found = taken.executor().is_some_and(|executor| {
                let graph = &executor.graph;
                (0..graph.nodes.len()).any(|node| is_stateful(graph, node))
            });
            slot.set(taken);
            found
        })
    }

    /// Whether the caller cancelled, or the time is over.
    pub fn is_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.used.is_over()
    }

    /// Why [`is_over`](Self::is_over).
    pub fn stopped(&self) -> Error {
        match self.cancelled.load(Ordering::Relaxed) {
            true => Error::Cancelled,
            false => self.settings.quota.exceeded_time(),
        }
    }

    /// An error if [`is_over`](Self::is_over).
    pub fn check(&self) -> Result<()> {
        if self.is_over() { Err(self.stopped()) } else { Ok(()) }
    }

    fn build(&self, subgraph: usize) -> Result<Box<Executor>> {
        let (quota, budget, nodes) = (&self.settings.quota, self.budget, self.node_budget);
        let check = || self.check();
        build(self.model, self.registry, subgraph, &BuildLimits { quota, budget, nodes, check: &check })
    }

    /// Takes a subgraph's executor, built if it was not, for the length of `f`.
    ///
    /// # Errors
    /// There is no such subgraph, it cannot be built, or it is in use.
    pub fn with<R>(&self, subgraph: usize, f: impl FnOnce(&mut Executor) -> Result<R>) -> Result<R> {
        let Some(slot) = self.slots.get(subgraph) else {
            return Err(Error::State(format!(
                "there is no subgraph {subgraph}, the model has {}",
                self.slots.len()
            )));
        };
        let mut executor = match slot.take() {
            Slot::Busy => {
                return Err(Error::State(format!(
                    "subgraph {subgraph} is called while it runs, by itself or by a subgraph that it calls; \
                     recursion is refused"
                )));
            }
            Slot::Idle(executor) => executor,
            Slot::Unbuilt => match self.build(subgraph) {
                Ok(executor) => executor,
                Err(error) => {
                    slot.set(Slot::Unbuilt);
                    return Err(error);
                }
            },
        };
        let done = f(&mut executor);
        slot.set(Slot::Idle(executor));
        done
    }

    /// As [`with`](Self::with), for a node that prepares or runs the subgraph: one level deeper.
    pub fn descend<R>(&self, subgraph: usize, f: impl FnOnce(&mut Executor) -> Result<R>) -> Result<R> {
        let (depth, limit) = (self.used.depth.get() + 1, self.settings.quota.depth.min(MAX_DEPTH));
        if depth > limit {
            let purpose = format!("calling subgraph {subgraph} within others");
            return Err(Error::quota(Resource::Depth, purpose, depth, limit));
        }
        self.used.depth.set(depth);
        let done = stack::with_room(|| self.with(subgraph, f));
        self.used.depth.set(depth - 1);
        done
    }

    /// Counts a call of a subgraph: loops that do not end use up the quota.
    pub fn count_call(&self, subgraph: usize) -> Result<()> {
        let (calls, limit) = (self.used.calls.get() + 1, self.settings.quota.calls);
        if calls > limit {
            let purpose = format!("running subgraph {subgraph} again, in a loop that may not end,");
            return Err(Error::quota(Resource::Calls, purpose, calls, limit));
        }
        self.used.calls.set(calls);
        Ok(())
    }
}

/// The executor of a subgraph. After an error nothing of the budgets is taken.
pub(crate) fn build(
    model: &Model,
    registry: &Registry,
    subgraph: usize,
    limits: &BuildLimits<'_>,
) -> Result<Box<Executor>> {
    let (mut bytes, mut nodes) = (limits.budget.clone(), limits.nodes.clone());
    let before = (bytes.mark(), nodes.mark());
    match Graph::build(model, registry, subgraph, limits) {
        Ok(graph) => Ok(Box::new(Executor::new(graph, bytes))),
        Err(error) => {
            bytes.give_since(before.0);
            nodes.give_since(before.1);
            Err(error)
        }
    }
}
