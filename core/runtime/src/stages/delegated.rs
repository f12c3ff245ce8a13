//! Inferred → Delegated: gives parts of the graph to delegates. Each part becomes one step.

use std::cmp::Reverse;
use std::rc::Rc;

use super::claims::Claiming;
use super::delegates::Delegates;
use super::inferred::Inferred;
use super::offer::{Offer, Refusal};
use super::partition::Subset;
use super::partition_kernel::{DelegateInstance, GraphForDelegate, PartitionKernel, macro_node};
use super::pending::PendingNodes;
use super::required;
use super::site::Site;
use super::step::{Kernel, Step};
use crate::config::{DelegateConfig, Require};
use crate::error::Result;
use crate::host::claim::{Answers, Decisions};

/// Steps in an order in which they can run.
pub(crate) struct Delegated {
    pub steps: Vec<Step>,
    pub refusals: Vec<Refusal>,
}

/// Offers the nodes of `inferred` to the delegates, in the order of the settings. `after` has the nodes that follow.
///
/// # Errors
/// A delegate cannot be created, or does not run the nodes that its settings require.
pub(crate) fn delegate(
    site: &mut Site<'_>,
    delegates: &mut Delegates,
    inferred: &Inferred,
    after: &PendingNodes,
) -> Result<Delegated> {
    let run = site.run;
    let mut offer = Offer::new(site, inferred, after);
    for (index, config) in run.settings.delegates.iter().enumerate() {
        let Some(instance) = delegates.instance(run.registry, index, config)? else { continue };
        if let Err(error) = offer.apply(site, delegates, &instance, config) {
            if config.require != Require::Nothing {
                return Err(error);
            }
            delegates.leave_out(index, config, &error);
            delegates.renew(index);
        }
    }
    for (index, config) in run.settings.delegates.iter().enumerate() {
        let left_out = delegates.why_left_out(index).map(|left_out| left_out.reason.as_str());
        let refusal =
            |node| offer.refusal(node, config).or(left_out).unwrap_or("it did not claim the node").into();
        required::check(site, offer.steps.iter().chain(&offer.last), (index, config), &refusal)?;
    }
    Ok(offer.finish())
}

fn log_claims(delegate: &str, subsets: &[Subset]) {
    let nodes: usize = subsets.iter().map(|subset| subset.nodes.len()).sum();
    let claimed = || subsets.iter().filter(|subset| subset.claimed);
    let (runs, partitions) = (claimed().map(|subset| subset.nodes.len()).sum::<usize>(), claimed().count());
    let s = if partitions == 1 { "" } else { "s" };
    tracing::info!("delegate {delegate} runs {runs} of {nodes} nodes in {partitions} partition{s}");
}

impl Offer {
    /// Gives a delegate the nodes that it claims. On an error the steps are unchanged.
    fn apply(
        &mut self,
        site: &mut Site<'_>,
        delegates: &mut Delegates,
        instance: &Rc<DelegateInstance>,
        config: &DelegateConfig,
    ) -> Result<()> {
        let _span = tracing::info_span!("delegate", name = %config.name).entered();
        let (view, refused, subsets) = self.divide(site, delegates, instance, config)?;
        let mut kernels = Vec::new();
        for subset in subsets.iter().filter(|s| s.claimed) {
            kernels.push(delegates.compile(instance, &view, subset, &self.steps, site)?);
        }
        self.note_refusals(config, refused);
        log_claims(&config.name, &subsets);
        self.replace(site, subsets, kernels);
        Ok(())
    }

    /// The delegate's view of the graph, its reasons for refusing steps, and the plan cut into subsets.
    pub(super) fn divide(
        &mut self,
        site: &mut Site<'_>,
        delegates: &mut Delegates,
        instance: &Rc<DelegateInstance>,
        config: &DelegateConfig,
    ) -> Result<(Rc<GraphForDelegate>, Answers, Vec<Subset>)> {
        loop {
            let view = Rc::new(self.view(site));
            let (refused, subsets) = self.claim(site, delegates, instance, &view, config)?;
            let exposed = self.exposed_weights(site, &subsets);
            // The delegate may claim more once these are constants.
            if exposed.is_empty() || !self.compute(site, &exposed)? {
                return Ok((view, refused, subsets));
            }
        }
    }

    /// Asks the delegate for its claims. Returns the reason for each step it does not get, and the plan cut into
    /// subsets.
    fn claim(
        &self,
        site: &Site<'_>,
        delegates: &mut Delegates,
        instance: &Rc<DelegateInstance>,
        view: &GraphForDelegate,
        config: &DelegateConfig,
    ) -> Result<(Answers, Vec<Subset>)> {
        let mut asked = vec![(config, Rc::clone(instance))];
        for (index, config) in site.run.settings.delegates.iter().enumerate().skip(instance.index + 1) {
            // If one cannot be created, its own turn reports it.
            if let Ok(Some(later)) = delegates.instance(site.run.registry, index, config) {
                asked.push((config, later));
            }
        }
        let claiming = Claiming::new(self, site, view, &asked);
        let vetoes = claiming.vetoes();
        if vetoes.iter().all(Option::is_some) {
            let subsets = self.cut(site, &vetoes, &[]);
            return Ok((vetoes, subsets));
        }
        let Decisions { refused, rounds } =
            delegates.claim(instance, &self.steps, site, || claiming.decisions())?;
        let mut refused: Answers =
            vetoes.into_iter().zip(refused).map(|(veto, answer)| veto.or(answer)).collect();
        let mut subsets = self.cut(site, &refused, &rounds);
        for refuse in [refuse_small, refuse_many] {
            if refuse(config, &subsets, &mut refused) {
                subsets = self.cut(site, &refused, &rounds);
            }
        }
        Ok((refused, subsets))
    }

    /// The plan cut into subsets, where each step that is not refused is claimed in its round.
    fn cut(&self, site: &Site<'_>, refused: &Answers, rounds: &[u32]) -> Vec<Subset> {
        let round = |(i, refused): (usize, &Option<String>)| match refused {
            Some(_) => None,
            None => rounds.get(i).copied(),
        };
        self.cut_in_rounds(site, &refused.iter().enumerate().map(round).collect::<Vec<_>>())
    }

    /// Turns each claimed subset into a step.
    fn replace(&mut self, site: &Site<'_>, subsets: Vec<Subset>, kernels: Vec<Rc<PartitionKernel>>) {
        let mut kernels = kernels.into_iter();
        let shapes_are_inferred = self.unchecked.is_empty();
        self.replace_with(subsets, |_, _| {
            let kernel = kernels.next()?;
            let index = kernel.members.first().copied().unwrap_or(0);
            let (inputs, outputs) = kernel.borders();
            let raw = macro_node(site.graph.index, index, &site.memory.table, inputs, outputs);
            let mut step = Step::new(raw, None);
            step.kernel = Kernel::Partition(kernel);
            step.shapes_are_inferred = shapes_are_inferred;
            Some(step)
        });
    }

    fn finish(self) -> Delegated {
        let steps = self.constant.into_iter().chain(self.steps).chain(self.last).collect();
        Delegated { steps, refusals: self.refusals }
    }
}

/// Refuses partitions that are too small. Returns whether there were any.
fn refuse_small(config: &DelegateConfig, subsets: &[Subset], refused: &mut Answers) -> bool {
    let small: Vec<&Subset> =
        subsets.iter().filter(|s| s.claimed && s.nodes.len() < config.min_nodes).collect();
    refuse(&small, refused, |nodes| {
        format!("its partition has {nodes} nodes, min_nodes is {}", config.min_nodes)
    })
}

/// Refuses all but the partitions with the most nodes. Returns whether there were any.
fn refuse_many(config: &DelegateConfig, subsets: &[Subset], refused: &mut Answers) -> bool {
    let Some(most) = config.max_partitions else { return false };
    let mut claimed: Vec<&Subset> = subsets.iter().filter(|subset| subset.claimed).collect();
    claimed.sort_by_key(|subset| Reverse(subset.nodes.len()));
    refuse(claimed.get(most.get()..).unwrap_or(&[]), refused, |nodes| {
        format!("its partition has {nodes} nodes, others have as many or more, and max_partitions is {most}")
    })
}

fn refuse(subsets: &[&Subset], refused: &mut Answers, reason: impl Fn(usize) -> String) -> bool {
    for subset in subsets {
        let reason = reason(subset.nodes.len());
        subset.nodes.iter().for_each(|&i| refused[i] = Some(reason.clone()));
    }
    !subsets.is_empty()
}
