//! One call of `allocate` or `invoke`: what it may use, when it must end, and how subgraphs call one another.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::executor::{Executor, Settings};
use crate::graph::Graph;
use crate::model::Model;
use crate::quota::{Budget, Quota, Resource};
use crate::registry::Registry;
use crate::resources::Resources;

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
    pub budget: Budget,
    model: &'a Model,
    slots: &'a [Cell<Slot>],
    cancelled: &'a AtomicBool,
    deadline: Option<Instant>,
    /// How many subgraphs are being run or prepared, each by a node of the one before.
    depth: Cell<u32>,
    /// How often a subgraph was run by a node of another.
    calls: Cell<u64>,
    /// A nested subgraph has an op that nobody serves.
    unresolved: Cell<bool>,
    /// Nodes are prepared to find shapes alone: called subgraphs are [shown](Executor::infer), and not made ready.
    inferring: Cell<bool>,
    /// A node had a subgraph shown so since this was last taken.
    shown: Cell<bool>,
}

/// The parts of a [`Run`].
pub(crate) struct Lent<'a> {
    pub settings: &'a Settings,
    pub registry: &'a Registry,
    pub resources: &'a RefCell<Resources>,
    pub budget: Budget,
    pub model: &'a Model,
    pub slots: &'a [Cell<Slot>],
    pub cancelled: &'a AtomicBool,
}

impl<'a> Run<'a> {
    /// Numbers that change when the model's file does; zeros if it is none.
    pub fn origin(&self) -> [u64; 4] {
        self.model.origin()
    }

    /// Takes the pages of a constant out of memory, if they are the model file's.
    pub fn release(&self, bytes: &[u8]) {
        self.model.release(bytes);
    }

    pub fn new(lent: Lent<'a>) -> Self {
        let Lent { settings, registry, resources, budget, model, slots, cancelled } = lent;
        Run {
            settings,
            registry,
            resources,
            budget,
            model,
            slots,
            cancelled,
            deadline: settings.quota.time.and_then(|limit| Instant::now().checked_add(limit)),
            depth: Cell::new(0),
            calls: Cell::new(0),
            unresolved: Cell::new(false),
            inferring: Cell::new(false),
            shown: Cell::new(false),
        }
    }

    /// Calls `f`, in which nodes are prepared to find shapes alone, or are made ready.
    pub fn infer<R>(&self, inferring: bool, f: impl FnOnce() -> R) -> R {
        let before = self.inferring.replace(inferring);
        let done = f();
        self.inferring.set(before);
        done
    }

    /// For a node that prepares a subgraph: makes it ready, or has it shown while shapes are found.
    pub fn prepare_called(&self, subgraph: usize) -> Result<()> {
        let inferring = self.inferring.get();
        self.descend(subgraph, |executor| match inferring {
            true => executor.infer(self),
            false => executor.make_ready(self),
        })?;
        self.shown.set(self.shown.get() | inferring);
        Ok(())
    }

    /// Whether a node had a subgraph shown since the last call.
    pub fn take_shown(&self) -> bool {
        self.shown.take()
    }

    /// Takes back what executors hold that were shown and that nobody made ready: a delegate runs what they show.
    pub fn forget_shown(&self) {
        for slot in self.slots {
            let mut taken = slot.take();
            if let Some(executor) = taken.executor_mut() {
                executor.forget_inferred(self);
            }
            slot.set(taken);
        }
    }

    /// Whether the caller cancelled, or the time is over.
    pub fn is_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Why [`is_over`](Self::is_over).
    pub fn stopped(&self) -> Error {
        if self.cancelled.load(Ordering::Relaxed) {
            return Error::Cancelled;
        }
        let limit = self.settings.quota.time.unwrap_or(Duration::ZERO).as_millis() as u64;
        Error::quota(Resource::Time, "this call", limit + 1, limit)
    }

    /// Whether a nested subgraph has an op that nobody serves.
    pub fn found_unresolved(&self) -> bool {
        self.unresolved.get()
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
            Slot::Unbuilt => {
                match build(self.model, self.registry, subgraph, &self.settings.quota, &self.budget) {
                    Ok(executor) => executor,
                    Err(error) => {
                        slot.set(Slot::Unbuilt);
                        return Err(error);
                    }
                }
            }
        };
        let done = f(&mut executor);
        slot.set(Slot::Idle(executor));
        done
    }

    /// As [`with`](Self::with), for a node that prepares or runs the subgraph: one level deeper.
    pub fn descend<R>(&self, subgraph: usize, f: impl FnOnce(&mut Executor) -> Result<R>) -> Result<R> {
        let (depth, limit) = (self.depth.get() + 1, self.settings.quota.depth);
        if depth > limit {
            let purpose = format!("calling subgraph {subgraph} within others");
            return Err(Error::quota(Resource::Depth, purpose, depth, limit));
        }
        self.depth.set(depth);
        let done = self.with(subgraph, f);
        self.depth.set(depth - 1);
        if let Err(Error::UnresolvedOps { .. }) = done {
            self.unresolved.set(true);
        }
        done
    }

    /// Counts a call of a subgraph: loops that do not end use up the quota.
    pub fn count_call(&self, subgraph: usize) -> Result<()> {
        let (calls, limit) = (self.calls.get() + 1, self.settings.quota.calls);
        if calls > limit {
            let purpose = format!("running subgraph {subgraph} again, in a loop that may not end,");
            return Err(Error::quota(Resource::Calls, purpose, calls, limit));
        }
        self.calls.set(calls);
        Ok(())
    }
}

/// The executor of a subgraph. After an error nothing of the budget is taken.
pub(crate) fn build(
    model: &Model,
    registry: &Registry,
    subgraph: usize,
    quota: &Quota,
    budget: &Budget,
) -> Result<Box<Executor>> {
    let mut budget = budget.clone();
    let before = budget.used();
    match Graph::build(model, registry, subgraph, quota, &mut budget) {
        Ok(graph) => Ok(Box::new(Executor::new(graph, budget))),
        Err(error) => {
            budget.give(budget.used() - before);
            Err(error)
        }
    }
}
