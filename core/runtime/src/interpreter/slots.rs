//! The subgraphs of an interpreter, each of which is out of its slot while it is used.

use std::cell::Cell;

use crate::call::run::{Callee, Callees, Run};
use crate::error::{Error, Result};
use crate::graph::{BuildLimits, Graph};
use crate::model::Model;
use crate::plugins::registry::Registry;
use crate::stages::executor::Executor;

/// A subgraph's place in the interpreter.
#[derive(Default)]
pub(crate) enum Slot {
    /// Its executor is in use by a caller further up the stack.
    #[default]
    Busy,
    /// Not built yet.
    Unbuilt,
    Idle(Box<Executor>),
}

impl Slot {
    pub(super) fn executor(&self) -> Option<&Executor> {
        match self {
            Slot::Idle(executor) => Some(executor),
            _ => None,
        }
    }

    pub(super) fn executor_mut(&mut self) -> Option<&mut Executor> {
        match self {
            Slot::Idle(executor) => Some(executor),
            _ => None,
        }
    }
}

/// The slots during a call.
pub(crate) struct Slots<'a>(pub &'a [Cell<Slot>]);

impl Slots<'_> {
    /// Builds a subgraph's executor if necessary, and takes it out of its slot while `f` runs.
    ///
    /// # Errors
    /// The subgraph does not exist, cannot be built, or is in use.
    pub(super) fn with<R>(
        &self,
        subgraph: usize,
        run: &Run<'_>,
        f: impl FnOnce(&mut Executor) -> Result<R>,
    ) -> Result<R> {
        let Some(slot) = self.0.get(subgraph) else {
            return Err(Error::State(format!(
                "subgraph {subgraph} does not exist; the model has {}",
                self.0.len()
            )));
        };
        let mut executor = match slot.take() {
            Slot::Busy => {
                return Err(Error::State(format!(
                    "subgraph {subgraph} calls itself, directly or through another subgraph; recursion is not \
                     supported"
                )));
            }
            Slot::Idle(executor) => executor,
            Slot::Unbuilt => match build_for(run, subgraph) {
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
}

impl Callees for Slots<'_> {
    fn with(&self, subgraph: usize, run: &Run<'_>, f: &mut dyn FnMut(&mut dyn Callee)) -> Result<()> {
        self.with(subgraph, run, |executor| {
            f(executor);
            Ok(())
        })
    }

    fn for_each_idle(&self, f: &mut dyn FnMut(usize, &mut dyn Callee)) {
        for (subgraph, slot) in self.0.iter().enumerate() {
            let mut taken = slot.take();
            if let Some(executor) = taken.executor_mut() {
                f(subgraph, executor);
            }
            slot.set(taken);
        }
    }
}

fn build_for(run: &Run<'_>, subgraph: usize) -> Result<Box<Executor>> {
    let (quota, budget, nodes) = (&run.settings.quota, run.budget, run.node_budget);
    let check = || run.check();
    build(run.model, run.registry, subgraph, &BuildLimits { quota, budget, nodes, check: &check })
}

/// Builds the executor of a subgraph. After an error the budgets are as before.
pub(super) fn build(
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
