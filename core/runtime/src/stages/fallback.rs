//! A delegate failed while the plan ran: the same invocation once more, without it.
//!
//! That is possible as long as nothing that the invocation changed is needed again: its inputs are there still, and no node
//! with a state has run. States of ops and values of variables stay what they were.

use arenite_abi::Status;
use arenite_abi::raw::OP_STATEFUL;

use super::executor::{Executor, Stage};
use super::prepared::Stopped;
use super::step::{Kernel, Step};
use super::{is_stateful, name_of};
use crate::config::OnFailure;
use crate::error::{Error, Result};
use crate::run::Run;

/// What an op keeps between calls, by node.
type States = Vec<(usize, Vec<Vec<u8>>)>;

impl Executor {
    /// Makes the plan anew without the delegate that failed.
    ///
    /// # Errors
    /// The failure itself, where the settings do not want that, or it cannot be done; then the text says why.
    pub(super) fn fall_back(&mut self, run: &Run<'_>, stopped: Stopped) -> Result<()> {
        let Stopped { error, delegate, .. } = stopped;
        let Some((index, status)) = delegate else { return Err(error) };
        let config = &run.settings.delegates[index];
        if config.on_failure == OnFailure::Error || status == Status::Cancelled {
            return Err(error);
        }
        if let Some(obstacle) = self.obstacle(run, index, stopped.ran) {
            return Err(explained(error, &config.name, &obstacle));
        }
        let states = self.take_states();
        self.stage_inputs()?;
        self.begin();
        self.delegates.leave_out(index, config, &error);
        self.delegates.renew(index);
        let done = self.prepare(run);
        self.put_states(states);
        self.unstage_inputs(done)
    }

    /// Why the invocation, in which `ran` steps have begun, cannot be run again without a delegate.
    fn obstacle(&self, run: &Run<'_>, delegate: usize, ran: usize) -> Option<String> {
        if run.settings.techniques.overwrite_inputs {
            return Some("overwrite_inputs is on, so its inputs may be gone".into());
        }
        let steps = || self.runner().into_iter().flat_map(|runner| runner.steps());
        let has_state = |step: &&Step| {
            let mut members = step.members().iter();
            members.any(|&node| {
                is_stateful(&self.graph, node)
                    || (self.graph.nodes[node].calls_subgraphs() && run.calls_states())
            })
        };
        if let Some(step) = steps().take(ran).find(has_state) {
            let (op, output) = name_of(&self.graph, step);
            return Some(format!("{op} (output '{output}'), which keeps a state, has run already"));
        }
        let of_delegate = |step: &&Step| match &step.kernel {
            Kernel::Partition(kernel) => kernel.owner.index == delegate,
            _ => false,
        };
        let mut nodes = steps().filter(of_delegate).flat_map(|step| step.members());
        let keeps = |&&node: &&usize| {
            self.graph.nodes[node].candidates.first().is_some_and(|c| c.op.flags & OP_STATEFUL != 0)
        };
        let node = nodes.find(keeps)?;
        Some(format!("it holds the state of {} (node {node})", self.graph.op_name(*node)))
    }

    fn take_states(&self) -> States {
        let steps = self.runner().into_iter().flat_map(|runner| runner.steps());
        steps
            .filter_map(|step| Some((step.node?, step.state())))
            .filter(|(_, state)| !state.is_empty())
            .collect()
    }

    fn put_states(&mut self, states: States) {
        let Stage::Ready(runner) = &mut self.stage else { return };
        for (node, state) in states {
            runner.steps_mut().filter(|step| step.node == Some(node)).for_each(|step| step.set_state(&state));
        }
    }
}

fn explained(mut error: Error, delegate: &str, obstacle: &str) -> Error {
    if let Error::Node { message, .. } = &mut error {
        message.push_str(&format!(
            "; the invocation cannot be run again without delegate '{delegate}': {obstacle}"
        ));
    }
    error
}
