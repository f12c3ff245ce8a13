//! Delegated → Prepared: every step is ready to run, but for memory.

use arenite_abi::Status;

use super::Site;
use super::pending::Pending;
use super::step::{Kernel, Step};
use crate::error::{Error, Result};

pub(crate) struct Prepared {
    /// The last one may have results of dynamic shape.
    pub steps: Vec<Step>,
    /// The nodes behind them.
    pub after: Pending,
}

/// What ended a stage, or an invocation.
pub(crate) struct Stopped {
    pub error: Error,
    /// The delegate whose partition it was, by position in the settings, and how it failed.
    pub delegate: Option<(usize, Status)>,
    /// How many steps had begun.
    pub ran: usize,
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Stopped { error, delegate: None, ran: 0 }
    }
}

impl Stopped {
    /// Of this step.
    pub fn at(step: &Step, error: Error) -> Self {
        let delegate = match (&step.kernel, &error) {
            (Kernel::Partition(kernel), Error::Node { status, .. }) => Some((kernel.owner.index, *status)),
            _ => None,
        };
        Stopped { error, delegate, ran: 0 }
    }
}

/// Prepares the nodes of `pending` up to the first one of dynamic shape.
pub(crate) fn prepare_nodes(site: &mut Site<'_>, pending: &Pending) -> Result<Prepared, Stopped> {
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

/// Prepares these steps, behind which come the nodes of `after`. Where a partition's results have a shape that only its run tells,
/// the nodes of the steps behind it wait, too.
pub(crate) fn prepare_steps(
    site: &mut Site<'_>,
    mut steps: Vec<Step>,
    after: &Pending,
) -> Result<Prepared, Stopped> {
    for i in 0..steps.len() {
        prepare_step(site, &mut steps[i])?;
        if steps[i].dynamic && i + 1 < steps.len() {
            let left = steps.drain(i + 1..).flat_map(|step| step.members().to_vec()).collect();
            return Ok(Prepared { steps, after: after.after(0, left) });
        }
    }
    Ok(Prepared { steps, after: after.clone() })
}

fn prepare_step(site: &mut Site<'_>, step: &mut Step) -> Result<(), Stopped> {
    if site.run.is_over() {
        return Err(site.run.stopped().into());
    }
    match step.node {
        Some(node) => Ok(prepare_node(site, step, node)?),
        None => {
            site.memory.clear_outputs(step.outputs());
            let done = step.prepare_partition(site);
            done.map_err(|failure| Stopped::at(step, site.failed(step, failure)))
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
