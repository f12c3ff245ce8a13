//! Inferred → Delegated: gives parts of the graph to delegates. Each part becomes one step.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::delegates::{Answers, Delegates};
use arenite_abi::schema::op::DEQUANTIZE;

use super::inferred::{Inferred, InferredNode};
use super::pending::PendingNodes;
use super::required;
use super::site::Site;
use super::step::{Kernel, Step};
use crate::config::{DelegateConfig, Require};
use crate::error::Result;
use crate::graph::Graph;
use crate::stages::partition::{PartitionInput, Subset, partition};
use crate::stages::partition_kernel::{DelegateInstance, GraphForDelegate, PartitionKernel, macro_node};

/// Steps in an order in which they can run.
pub(crate) struct Delegated {
    pub steps: Vec<Step>,
    pub refusals: Vec<Refusal>,
}

/// Why a delegate does not run a node.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub node: usize,
    pub delegate: String,
    pub reason: String,
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

/// The steps that are offered to delegates.
pub(super) struct Offer {
    /// Nodes whose results are already known, so they need not run.
    constant: Vec<Step>,
    /// All other nodes, and the partitions of delegates that were asked earlier.
    steps: Vec<Step>,
    /// A node of dynamic shape, which runs last.
    last: Option<Step>,
    /// Nodes that no op prepared.
    unchecked: BTreeSet<usize>,
    /// Variables that have more than one shape.
    reshaped: BTreeSet<usize>,
    /// Tensors that have a value before the first step.
    given: Vec<i32>,
    /// Tensors that are read after the last step.
    wanted: Vec<i32>,
    pub(super) refusals: Vec<Refusal>,
}

impl Offer {
    pub(super) fn new(site: &Site<'_>, inferred: &Inferred, after: &PendingNodes) -> Self {
        let mut known = inferred.nodes.as_slice();
        let mut last = None;
        if let (true, Some((node, before))) = (inferred.ends_dynamic, known.split_last()) {
            last = Some(site.node_step(node.node));
            known = before;
        }
        let (constant, others): (Vec<_>, Vec<_>) = known.iter().partition(|known| known.constant);
        let steps_of = |list: Vec<_>| -> Vec<Step> {
            list.into_iter().map(|known: &InferredNode| site.node_step(known.node)).collect()
        };
        let unchecked = known.iter().filter(|known| !known.checked).map(|known| known.node).collect();
        let (constant, steps) = (steps_of(constant), steps_of(others));
        let (given, wanted) = borders(site.graph, &steps, last.as_ref(), after);
        let reshaped = inferred.reshaped.clone();
        Offer { constant, steps, last, unchecked, reshaped, given, wanted, refusals: Vec::new() }
    }

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
        instance: &DelegateInstance,
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

    fn view(&self, site: &Site<'_>) -> GraphForDelegate {
        let nodes = self.steps.iter().map(|step| step.raw).collect();
        let partitions = self.steps.iter().filter_map(|step| match &step.kernel {
            Kernel::Partition(kernel) => Some(Rc::clone(kernel)),
            _ => None,
        });
        GraphForDelegate::new(&site.memory.table, nodes, partitions.collect(), &self.given, &self.wanted)
    }

    /// Asks the delegate for its claims. Returns the reason for each step it does not get, and the plan cut into
    /// subsets.
    fn claim(
        &self,
        site: &Site<'_>,
        delegates: &mut Delegates,
        instance: &DelegateInstance,
        view: &GraphForDelegate,
        config: &DelegateConfig,
    ) -> Result<(Answers, Vec<Subset>)> {
        let veto = |step: &Step| {
            veto(site.graph, step, config)
                .or_else(|| self.veto_unchecked(site.graph, step, instance))
                .or_else(|| self.veto_reshaped(site.graph, step))
        };
        let vetoes: Answers = self.steps.iter().map(veto).collect();
        if vetoes.iter().all(Option::is_some) {
            let subsets = self.cut(site, &vetoes);
            return Ok((vetoes, subsets));
        }
        let answers = delegates.claim(instance, view, &self.steps, site)?;
        let mut refused: Answers =
            vetoes.into_iter().zip(answers).map(|(veto, answer)| veto.or(answer)).collect();
        let mut subsets = self.cut(site, &refused);
        for refuse in [refuse_small, refuse_many] {
            if refuse(config, &subsets, &mut refused) {
                subsets = self.cut(site, &refused);
            }
        }
        Ok((refused, subsets))
    }

    /// Refuses a node whose output shapes no op computed, unless the delegate vouches for it.
    fn veto_unchecked(&self, graph: &Graph, step: &Step, instance: &DelegateInstance) -> Option<String> {
        let node = step.node.filter(|node| self.unchecked.contains(node))?;
        let (op, version) = (graph.op_name(node), step.raw.version);
        (!instance.vouches(&step.raw)).then(|| {
            format!("no op serves {op} version {version} as it is here: the shape of its result is unknown")
        })
    }

    /// Refuses a node that uses a variable of several shapes, because the delegate would see only the last shape.
    fn veto_reshaped(&self, graph: &Graph, step: &Step) -> Option<String> {
        let mut used = Graph::present(step.inputs()).chain(Graph::present(step.outputs()));
        let t = used.find(|t| self.reshaped.contains(t))?;
        Some(format!("variable '{}' is written in several shapes", graph.tensors[t].name))
    }

    fn cut(&self, site: &Site<'_>, refused: &Answers) -> Vec<Subset> {
        let nodes: Vec<(&[i32], &[i32])> = self.steps.iter().map(|s| (s.inputs(), s.outputs())).collect();
        let claimed: Vec<bool> = refused.iter().map(Option::is_none).collect();
        let is_stateful = |step: &Step| step.members().iter().any(|&node| site.graph.is_stateful(node));
        let stateful: Vec<bool> = self.steps.iter().map(is_stateful).collect();
        let updates: Vec<bool> =
            self.steps.iter().map(|step| step.node.is_some_and(|node| site.graph.has_state(node))).collect();
        let weights: Vec<bool> = self.steps.iter().map(|step| holds_weights(site, step)).collect();
        partition(&PartitionInput {
            tensor_count: site.memory.table.len(),
            nodes: &nodes,
            outputs: &self.wanted,
            claimed: &claimed,
            stateful: &stateful,
            updates: &updates,
            is_variable: &|t| site.graph.tensors[t].variable,
            weights: &weights,
        })
    }

    /// The steps that dequantize weights, except those inside one claimed subset together with all their readers. The
    /// host runs them once.
    fn exposed_weights(&self, site: &Site<'_>, subsets: &[Subset]) -> Vec<usize> {
        let is_exposed = |subset: &Subset, i: usize| {
            let crosses = |&t: &i32| subset.outputs.binary_search(&t).is_ok();
            !subset.claimed || self.steps[i].outputs().iter().any(crosses)
        };
        let pairs = subsets.iter().flat_map(|subset| subset.nodes.iter().map(move |&i| (subset, i)));
        let exposed =
            pairs.filter(|&(subset, i)| holds_weights(site, &self.steps[i]) && is_exposed(subset, i));
        exposed.map(|(_, i)| i).collect()
    }

    /// Computes the constants of some steps and removes these steps from the offer. Returns whether there were any.
    fn compute(&mut self, site: &mut Site<'_>, steps: &[usize]) -> Result<bool> {
        for node in steps.iter().filter_map(|&i| self.steps[i].node) {
            site.compute(node)?;
        }
        let table = &site.memory.table;
        let is_known = |step: &Step| Graph::present(step.outputs()).all(|t| table.is_constant(t));
        let (known, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.steps).into_iter().partition(is_known);
        let any = !known.is_empty();
        self.steps = others;
        self.constant.extend(known);
        Ok(any)
    }

    pub(super) fn note_refusals(&mut self, config: &DelegateConfig, refused: Answers) {
        let mut note = |step: &Step, reason: String| {
            if let Some(node) = step.node {
                self.refusals.push(Refusal { node, delegate: config.name.clone(), reason });
            }
        };
        for (step, reason) in self.steps.iter().zip(refused) {
            reason.into_iter().for_each(|reason| note(step, reason));
        }
        self.constant.iter().for_each(|step| note(step, "its result is constant".into()));
        self.last
            .iter()
            .for_each(|step| note(step, "the shape of its result is unknown before it runs".into()));
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

    /// As `replace`; `make` returns the step for a claimed subset and its former steps.
    pub(super) fn replace_with(
        &mut self,
        subsets: Vec<Subset>,
        mut make: impl FnMut(&Subset, Vec<Step>) -> Option<Step>,
    ) {
        let mut old: Vec<Option<Step>> = std::mem::take(&mut self.steps).into_iter().map(Some).collect();
        for subset in subsets {
            let steps = subset.nodes.iter().filter_map(|&i| old[i].take()).collect();
            match subset.claimed {
                false => self.steps.extend(steps),
                true => self.steps.extend(make(&subset, steps)),
            }
        }
    }

    /// Why a delegate does not run a node.
    fn refusal(&self, node: usize, config: &DelegateConfig) -> Option<&str> {
        let is_same = |refusal: &&Refusal| refusal.node == node && refusal.delegate == config.name;
        self.refusals.iter().find(is_same).map(|refusal| refusal.reason.as_str())
    }

    fn finish(self) -> Delegated {
        let steps = self.constant.into_iter().chain(self.steps).chain(self.last).collect();
        Delegated { steps, refusals: self.refusals }
    }
}

/// Tensors that have a value before these steps run, and tensors that the steps write and that are read later: by
/// `last`, by the nodes of `after`, by the caller or, for a variable, by the next invocation.
fn borders(graph: &Graph, steps: &[Step], last: Option<&Step>, after: &PendingNodes) -> (Vec<i32>, Vec<i32>) {
    let written: BTreeSet<usize> = steps.iter().flat_map(|step| Graph::present(step.outputs())).collect();
    let read: BTreeSet<usize> = steps.iter().flat_map(|step| Graph::present(step.inputs())).collect();
    let is_wanted = |&t: &usize| {
        graph.is_output(t)
            || graph.tensors[t].variable
            || after.reads(graph, t)
            || last.is_some_and(|last| last.inputs().contains(&(t as i32)))
    };
    let is_given = |&t: &usize| {
        graph.tensors[t].variable || (!written.contains(&t) && (graph.is_written(t) || graph.is_input(t)))
    };
    (
        read.iter().copied().filter(is_given).map(|t| t as i32).collect(),
        written.iter().copied().filter(is_wanted).map(|t| t as i32).collect(),
    )
}

/// Whether a step dequantizes constant weights and has not run yet.
fn holds_weights(site: &Site<'_>, step: &Step) -> bool {
    let served = |node: usize| !site.graph.nodes[node].candidates.is_empty();
    step.raw.builtin_code == DEQUANTIZE
        && step.node.is_some_and(served)
        && site.reads_constants(step.inputs())
}

/// The host's own reasons for not offering a step.
fn veto(graph: &Graph, step: &Step, config: &DelegateConfig) -> Option<String> {
    let Some(node) = step.node else { return Some("another delegate has it".into()) };
    let op = graph.op_name(node);
    let mut outputs = Graph::present(step.outputs());
    if let Some(t) = outputs.find(|&t| step.inputs().contains(&(t as i32))) {
        return Some(format!("it changes variable '{}' in place", graph.tensors[t].name));
    }
    if let Some(chosen) = graph.nodes[node].candidates.first().filter(|candidate| candidate.is_chosen) {
        return Some(format!("the {op} of plugin '{}' was chosen for it", chosen.op.plugin));
    }
    config.exclude_ops.contains(&op).then(|| format!("{op} is in exclude_ops"))
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
