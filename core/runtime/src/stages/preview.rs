//! Inferred → a preview of each delegate's partitions, made as in `delegated` but without compiling.

use std::rc::Rc;

use super::delegates::Delegates;
use super::inferred::Inferred;
use super::offer::Offer;
use super::partition::Subset;
use super::partition_kernel::macro_node;
use super::pending::PendingNodes;
use super::site::Site;
use super::step::{Claimed, Kernel, Step};
use crate::config::DelegateConfig;
use crate::error::Result;
use crate::host::claim::Answers;

/// The part of a subgraph that a delegate would run. Nodes are numbered as in
/// [`served_by`](crate::Interpreter::served_by).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DelegatePreview {
    /// The delegate's name.
    pub delegate: String,
    /// The nodes of each partition, ascending.
    pub partitions: Vec<Vec<usize>>,
    /// The nodes that it does not get, each with the reason, ascending.
    pub refusals: Vec<(usize, String)>,
    /// Why the delegate is disabled.
    pub left_out: Option<String>,
}

/// Asks the delegates in the settings' order, as [`delegate`](super::delegated::delegate) does.
pub(crate) fn preview(
    site: &mut Site<'_>,
    delegates: &mut Delegates,
    inferred: &Inferred,
    after: &PendingNodes,
) -> Result<Vec<DelegatePreview>> {
    let run = site.run;
    let mut offer = Offer::new(site, inferred, after);
    let mut previews = Vec::new();
    for (index, config) in run.settings.delegates.iter().enumerate() {
        let mut found = DelegatePreview { delegate: config.name.clone(), ..DelegatePreview::default() };
        if let Some(instance) = delegates.instance(run.registry, index, config)? {
            match offer.divide(site, delegates, &instance, config) {
                Ok((_, refused, subsets)) => take(site, &mut offer, config, refused, subsets, &mut found),
                Err(error) => {
                    delegates.leave_out(index, config, &error);
                    delegates.renew(index);
                }
            }
        }
        found.left_out = delegates.why_left_out(index).map(|left_out| left_out.reason.clone());
        previews.push(found);
    }
    Ok(previews)
}

/// Gives the delegate the nodes that it claimed.
fn take(
    site: &Site<'_>,
    offer: &mut Offer,
    config: &DelegateConfig,
    refused: Answers,
    subsets: Vec<Subset>,
    found: &mut DelegatePreview,
) {
    let known = offer.refusals.len();
    offer.note_refusals(config, refused);
    let new = offer.refusals[known..].iter();
    found.refusals = new.map(|refusal| (refusal.node, refusal.reason.clone())).collect();
    found.refusals.sort_by_key(|(node, _)| *node);
    offer.replace_with(subsets, |subset, steps| {
        let mut members: Vec<usize> = steps.iter().flat_map(|step| step.members()).copied().collect();
        members.sort_unstable();
        found.partitions.push(members.clone());
        let (inputs, outputs) = (subset.inputs.clone().into(), subset.outputs.clone().into());
        let delegate = config.name.clone();
        Some(step_of(site, Claimed { delegate, members, inputs, outputs }))
    });
}

fn step_of(site: &Site<'_>, claimed: Claimed) -> Step {
    let claimed = Rc::new(claimed);
    let index = claimed.members.first().copied().unwrap_or(0);
    let (inputs, outputs) = (&claimed.inputs, &claimed.outputs);
    let raw = macro_node(site.graph.index, index, &site.memory.table, inputs, outputs);
    let mut step = Step::new(raw, None);
    step.kernel = Kernel::Claimed(claimed);
    step
}
