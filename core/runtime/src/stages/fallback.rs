//! If a delegate fails while the plan runs, runs the same invocation again without it.
//!
//! This is possible only if the invocation changed nothing that it needs: its inputs are unchanged, and no node with a
//! state has run. States of ops and values of variables are kept.

use arenite_abi::Status;

use super::executor::{Executor, Stage};
use super::prepared::StageError;
use super::step::{Kernel, Step};
use crate::call::run::Run;
use crate::config::OnFailure;
use crate::error::{Error, Result};

/// The states of ops, by node.
type States = Vec<(usize, Vec<Vec<u8>>)>;

impl Executor {
    /// Builds the plan again without the delegate that failed.
    ///
    /// # Errors
    /// The failure itself, if the settings do not permit a fallback or it is not possible; then the text says why.
    pub(super) fn fall_back(&mut self, run: &Run<'_>, stopped: StageError) -> Result<()> {
        let StageError { error, delegate, .. } = stopped;
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

    /// Why the invocation, of which `ran` steps have started, cannot be repeated without a delegate.
    fn obstacle(&self, run: &Run<'_>, delegate: usize, ran: usize) -> Option<String> {
        if run.settings.techniques.overwrite_inputs {
            return Some("overwrite_inputs is on, so its inputs may be gone".into());
        }
        let steps = || self.runner().into_iter().flat_map(|runner| runner.steps());
        let has_state = |step: &&Step| {
            let mut members = step.members().iter();
            members.any(|&node| {
                self.graph.is_stateful(node)
                    || (self.graph.nodes[node].calls_subgraphs() && run.calls_states())
            })
        };
        if let Some(step) = steps().take(ran).find(has_state) {
            let (op, output) = step.names(&self.graph);
            return Some(format!("{op} (output '{output}'), which keeps a state, has run already"));
        }
        if let Some(step) = steps().take(ran).find(|step| self.overwrites_input(step)) {
            let (op, output) = step.names(&self.graph);
            return Some(format!(
                "{op} (output '{output}') has overwritten the input that its output is tied to"
            ));
        }
        let of_delegate = |step: &&Step| match &step.kernel {
            Kernel::Partition(kernel) => kernel.owner.index == delegate,
            _ => false,
        };
        let mut nodes = steps().filter(of_delegate).flat_map(|step| step.members());
        let node = nodes.find(|&&node| self.graph.has_state(node))?;
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
