//! Delegated → Prepared: every step is ready to run, except that it has no memory yet.

use arenite_abi::Status;

use super::pending::PendingNodes;
use super::site::Site;
use super::step::{Kernel, Step};
use crate::error::{Error, Result};

pub(crate) struct Prepared {
    /// The last one may have results of dynamic shape.
    pub steps: Vec<Step>,
    /// The nodes after these steps.
    pub after: PendingNodes,
}

/// The error that ended a stage or an invocation.
pub(crate) struct StageError {
    pub error: Error,
    /// The delegate whose partition it was, by position in the settings, and how it failed.
    pub delegate: Option<(usize, Status)>,
    /// How many steps had begun.
    pub ran: usize,
}

impl From<Error> for StageError {
    fn from(error: Error) -> Self {
        StageError { error, delegate: None, ran: 0 }
    }
}

impl StageError {
    /// The error of this step.
    pub(crate) fn at(step: &Step, error: Error) -> Self {
        let delegate = match (&step.kernel, &error) {
            (Kernel::Partition(kernel), Error::Node { status, .. }) => Some((kernel.owner.index, *status)),
            _ => None,
        };
        StageError { error, delegate, ran: 0 }
    }
}

/// Prepares the nodes of `pending` up to the first one of dynamic shape.
pub(crate) fn prepare_nodes(site: &mut Site<'_>, pending: &PendingNodes) -> Result<Prepared, StageError> {
    let mut steps = Vec::new();
    for node in pending.nodes(site.graph) {
        let mut step = site.node_step(node);
        prepare_step(site, &mut step)?;
        let ends = step.dynamic;
        steps.push(step);
        if ends {
            break;
        }
    }
    let after = pending.after(steps.len(), Vec::new());
    Ok(Prepared { steps, after })
}

/// Prepares these steps; the nodes of `after` follow them. If a partition's output shapes are known only once it has
/// run, the nodes of all later steps are left for the next segment.
pub(crate) fn prepare_steps(
    site: &mut Site<'_>,
    mut steps: Vec<Step>,
    after: &PendingNodes,
) -> Result<Prepared, StageError> {
    for i in 0..steps.len() {
        prepare_step(site, &mut steps[i])?;
        if steps[i].dynamic && i + 1 < steps.len() {
            let left = steps.drain(i + 1..).flat_map(|step| step.members().to_vec()).collect();
            return Ok(Prepared { steps, after: after.after(0, left) });
        }
    }
    Ok(Prepared { steps, after: after.clone() })
}

fn prepare_step(site: &mut Site<'_>, step: &mut Step) -> Result<(), StageError> {
    if site.run.is_over() {
        return Err(site.run.stopped().into());
    }
    match step.node {
        Some(node) => Ok(prepare_node(site, step, node)?),
        None => {
            site.memory.clear_outputs(step.outputs());
            let done = step.prepare_partition(site);
            done.map_err(|failure| StageError::at(step, site.failed(step, failure)))
        }
    }
}

fn prepare_node(site: &mut Site<'_>, step: &mut Step, node: usize) -> Result<()> {
    if let Some(op) = site.reuse_constant(node) {
        step.kernel = Kernel::Constant(op);
        return Ok(());
    }
    site.prepare_node(step, node)?;
    site.fold(step, u64::MAX)
}
