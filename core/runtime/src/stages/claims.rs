//! A delegate's turn to claim: which steps it is offered, and the answers to its questions.

use std::cell::OnceCell;
use std::rc::Rc;

use super::offer::Offer;
use super::partition::Subset;
use super::partition_kernel::{DelegateInstance, GraphForDelegate};
use super::site::Site;
use super::step::{Kernel, Step};
use crate::config::DelegateConfig;
use crate::error::Result;
use crate::graph::Graph;
use crate::host::claim::{Answers, ClaimSide, Decisions, Server};

/// A delegate with its settings.
pub(super) type ConfiguredDelegate<'a> = (&'a DelegateConfig, Rc<DelegateInstance>);

/// The turn of the first delegate of `asked`; the others come later.
pub(super) struct Claiming<'a, 's> {
    offer: &'a Offer,
    site: &'a Site<'s>,
    view: &'a GraphForDelegate,
    asked: &'a [ConfiguredDelegate<'a>],
    /// The refusals of the delegates that come later, once they are asked.
    later: Vec<OnceCell<Answers>>,
}

impl<'a, 's> Claiming<'a, 's> {
    pub(super) fn new(
        offer: &'a Offer,
        site: &'a Site<'s>,
        view: &'a GraphForDelegate,
        asked: &'a [ConfiguredDelegate<'a>],
    ) -> Self {
        let later = asked.iter().skip(1).map(|_| OnceCell::new()).collect();
        Claiming { offer, site, view, asked, later }
    }

    /// The steps that the host does not offer to the delegate, and why.
    pub(super) fn vetoes(&self) -> Answers {
        let Some((config, instance)) = self.asked.first() else { return Vec::new() };
        let steps = self.offer.steps.iter();
        steps.map(|step| self.offer.veto(self.site.graph, step, (config, instance))).collect()
    }

    /// Asks the delegate.
    pub(super) fn decisions(&self) -> Result<Decisions> {
        match self.asked.first() {
            Some((_, instance)) => instance.claim(self.view, self.site.run, self),
            None => Ok(Decisions { refused: Vec::new(), rounds: Vec::new() }),
        }
    }

    /// Which steps the delegate does not run, and why. A delegate that fails runs none.
    fn refused(&self) -> Answers {
        let vetoes = self.vetoes();
        match self.decisions() {
            Ok(decisions) => {
                vetoes.into_iter().zip(decisions.refused).map(|(veto, answer)| veto.or(answer)).collect()
            }
            Err(error) => vetoes.iter().map(|_| Some(error.to_string())).collect(),
        }
    }
}

impl Offer {
    /// Why the host does not offer a step to this delegate.
    fn veto(
        &self,
        graph: &Graph,
        step: &Step,
        (config, instance): (&DelegateConfig, &DelegateInstance),
    ) -> Option<String> {
        veto(graph, step, config)
            .or_else(|| self.veto_unchecked(graph, step, instance))
            .or_else(|| self.veto_reshaped(graph, step))
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
}

impl ClaimSide for Claiming<'_, '_> {
    fn partitions(&self, rounds: &[Option<u32>]) -> Vec<Subset> {
        self.offer.cut_in_rounds(self.site, rounds)
    }

    fn server(&self, node: usize) -> Server {
        let step = &self.offer.steps[node];
        match &step.kernel {
            Kernel::Partition(kernel) => return Server::Delegate(kernel.owner.name.clone()),
            Kernel::Claimed(claimed) => return Server::Delegate(claimed.delegate.clone()),
            _ => {}
        }
        for (i, known) in self.later.iter().enumerate() {
            let later = &self.asked[i + 1..];
            let ask = || Claiming::new(self.offer, self.site, self.view, later).refused();
            if known.get_or_init(ask).get(node).is_some_and(Option::is_none) {
                return Server::Delegate(later[0].0.name.clone());
            }
        }
        let op = step.node.and_then(|node| self.site.graph.nodes[node].candidates.first());
        op.map_or(Server::Nothing, |candidate| Server::Op(candidate.op.plugin.to_string()))
    }
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
