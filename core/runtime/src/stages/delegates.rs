//! The state of a subgraph's delegates between allocations: instances, compiled partitions, answers.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use arenite_abi::Status;

use super::memory::Memory;
use super::site::Site;
use super::step::Step;
use crate::config::{DelegateConfig, OnMissing};
use crate::error::{DisabledDelegate, Error, Result};
use crate::graph::Graph;
use crate::host::claim::Decisions;
use crate::plugins::registry::Registry;
use crate::quota::Holding;
use crate::stages::partition::Subset;
use crate::stages::partition_kernel::{ConstantSource, DelegateInstance, GraphForDelegate, PartitionKernel};

/// The number of decisions that are cached.
const MOST_REMEMBERED: usize = 16;

#[derive(Default)]
pub(crate) struct Delegates {
    /// Compiled partitions, possibly in use, by delegate and first node.
    kernels: BTreeMap<(usize, usize), Rc<PartitionKernel>>,
    /// Instances, by position in the settings.
    instances: BTreeMap<usize, Rc<DelegateInstance>>,
    /// Delegates that are disabled until the next allocation, and why, by position in the settings.
    left_out: BTreeMap<usize, DisabledDelegate>,
    remembered: VecDeque<CachedDecisions>,
}

/// A delegate's decisions about steps of this form.
struct CachedDecisions {
    delegate: usize,
    form: Vec<FormItem>,
    decisions: Decisions,
}

/// Everything that a decision depends on, step by step: its nodes, then for each tensor its shape, or the version of a
/// constant, which determines the shape.
#[derive(PartialEq)]
enum FormItem {
    /// A step: its first node, if it has one, and the number of its nodes.
    Step(Option<usize>, usize),
    /// A constant, by version.
    Constant(u64),
    /// The rank of a tensor that is not constant; its dimensions follow.
    Rank(usize),
    /// A dimension.
    Dimension(i32),
}

impl Delegates {
    /// Enables all delegates again.
    pub(crate) fn begin(&mut self) {
        self.left_out.clear();
    }

    /// Disables a delegate that failed.
    pub(crate) fn leave_out(&mut self, index: usize, config: &DelegateConfig, error: &Error) {
        tracing::warn!("left out: {error}");
        self.left_out
            .entry(index)
            .or_insert_with(|| DisabledDelegate::failed(&config.name, error.to_string()));
    }

    /// Discards the instance, which the failure may have corrupted. The next allocation creates another one.
    pub(crate) fn renew(&mut self, index: usize) {
        self.instances.remove(&index);
        self.kernels.retain(|key, _| key.0 != index);
        self.remembered.retain(|answer| answer.delegate != index);
    }

    /// The instance of the first delegate with this name, if it is in use.
    pub(crate) fn named(&self, name: &str) -> Option<Rc<DelegateInstance>> {
        let mut used = self.instances.iter().filter(|(index, _)| !self.left_out.contains_key(index));
        used.find(|(_, instance)| instance.name == name).map(|(_, instance)| Rc::clone(instance))
    }

    /// Why a delegate is disabled.
    pub(crate) fn why_left_out(&self, index: usize) -> Option<&DisabledDelegate> {
        self.left_out.get(&index)
    }

    /// The disabled delegates, in the order of the settings.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = &DisabledDelegate> {
        self.left_out.values()
    }

    /// The instance of a delegate. `None` if it is disabled, or if it or its device is missing and the settings say
    /// `skip`.
    pub(crate) fn instance(
        &mut self,
        registry: &Registry,
        index: usize,
        config: &DelegateConfig,
    ) -> Result<Option<Rc<DelegateInstance>>> {
        if self.left_out.contains_key(&index) {
            return Ok(None);
        }
        if let Some(instance) = self.instances.get(&index) {
            return Ok(Some(Rc::clone(instance)));
        }
        let skips = config.on_missing == OnMissing::Skip;
        let raw = match registry.choose_delegate(&config.name) {
            Err(absent) if skips => {
                tracing::info!("left out: {absent}");
                self.left_out.insert(index, DisabledDelegate::absent(&config.name, absent.to_string()));
                return Ok(None);
            }
            found => found?,
        };
        match DelegateInstance::create(index, &config.name, &raw, &config.options) {
            Err(error @ Error::Delegate { status: Status::Unavailable, .. }) if skips => {
                self.leave_out(index, config, &error);
                Ok(None)
            }
            made => {
                let instance = Rc::new(made?);
                self.instances.insert(index, Rc::clone(&instance));
                Ok(Some(instance))
            }
        }
    }

    /// The delegate's decisions about these steps: those it made earlier for steps of the same form, otherwise what
    /// `ask` returns.
    pub(crate) fn claim(
        &mut self,
        instance: &DelegateInstance,
        steps: &[Step],
        site: &Site<'_>,
        ask: impl FnOnce() -> Result<Decisions>,
    ) -> Result<Decisions> {
        let form = form_of(steps, site);
        let known = |known: &&CachedDecisions| known.delegate == instance.index && known.form == form;
        if let Some(known) = self.remembered.iter().find(known) {
            return Ok(known.decisions.clone());
        }
        let decisions = ask()?;
        if self.remembered.len() == MOST_REMEMBERED {
            self.remembered.pop_front();
        }
        let remembered = CachedDecisions { delegate: instance.index, form, decisions: decisions.clone() };
        self.remembered.push_back(remembered);
        Ok(decisions)
    }

    /// The partition for these steps: the one compiled earlier if it reads the same constants, otherwise a new one.
    pub(crate) fn compile(
        &mut self,
        instance: &Rc<DelegateInstance>,
        view: &Rc<GraphForDelegate>,
        subset: &Subset,
        steps: &[Step],
        site: &Site<'_>,
    ) -> Result<Rc<PartitionKernel>> {
        let members: Vec<usize> = subset.nodes.iter().filter_map(|&i| steps[i].node).collect();
        let constants = constants_of(&members, site);
        let key = (instance.index, members.first().copied().unwrap_or(usize::MAX));
        let same = |kernel: &&Rc<PartitionKernel>| {
            !kernel.poisoned.get()
                && kernel.members == members
                && kernel.borders() == (&subset.inputs[..], &subset.outputs[..])
                && kernel.constants == constants
        };
        if let Some(kernel) = self.kernels.get(&key).filter(same) {
            return Ok(Rc::clone(kernel));
        }
        let mut kernel = instance.compile(view, subset, (site.run, site.graph.index))?;
        kernel.members = members;
        kernel.constants = constants;
        let kernel = Rc::new(kernel);
        self.kernels.insert(key, Rc::clone(&kernel));
        Ok(kernel)
    }

    /// Bytes that compiled partitions hold, in host and device memory.
    pub(crate) fn held(&self) -> [u64; 2] {
        let sum = |of: fn(&PartitionKernel) -> &Holding| self.kernels.values().map(|k| of(k).bytes()).sum();
        [sum(|kernel| &kernel.held), sum(|kernel| &kernel.on_device)]
    }

    /// Drops unused partitions that begin with one of these nodes.
    pub(crate) fn prune(&mut self, nodes: impl Iterator<Item = usize>) {
        for node in nodes {
            for &delegate in self.instances.keys() {
                let key = (delegate, node);
                if self.kernels.get(&key).is_some_and(|kernel| Rc::strong_count(kernel) == 1) {
                    self.kernels.remove(&key);
                }
            }
        }
    }
}

/// The form of these steps.
fn form_of(steps: &[Step], site: &Site<'_>) -> Vec<FormItem> {
    let Memory { table, constants, .. } = &*site.memory;
    let mut form = Vec::new();
    for step in steps {
        form.push(FormItem::Step(step.members().first().copied(), step.members().len()));
        for t in Graph::present(step.inputs()).chain(Graph::present(step.outputs())) {
            if table.is_constant(t) {
                form.push(FormItem::Constant(constants.version(t)));
            } else {
                let shape = table.shape(t);
                form.push(FormItem::Rank(shape.len()));
                form.extend(shape.iter().map(|&dimension| FormItem::Dimension(dimension)));
            }
        }
    }
    form
}

/// The versions of the constants that these nodes read, including constants in subgraphs that they may call.
fn constants_of(members: &[usize], site: &Site<'_>) -> Vec<(ConstantSource, u64)> {
    let inputs = members.iter().flat_map(|&node| Graph::present(&site.graph.nodes[node].inputs));
    let mut constants: Vec<(ConstantSource, u64)> = inputs
        .filter(|&t| site.memory.table.is_constant(t))
        .map(|t| (ConstantSource::Tensor(t), site.memory.constants.version(t)))
        .collect();
    constants.sort_unstable();
    constants.dedup();
    if members.iter().any(|&node| site.graph.nodes[node].calls_subgraphs()) {
        let called = site.run.constants_of_called().into_iter();
        constants.extend(called.map(|(subgraph, version)| (ConstantSource::Subgraph(subgraph), version)));
    }
    constants
}
