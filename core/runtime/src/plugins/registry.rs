//! The registry: ops, planners and delegates of all plugins, and the choice of the op that serves a node.

mod hand_over;
mod listing;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arenite_abi::raw::{ArPluginV1, BUILTIN_CUSTOM};
use arenite_abi::{ElementType, ElementTypes, OutputType, Plugin, StaticPlugin, UsageRecord};

use crate::config::{OpConfig, PlannerConfig};
use crate::error::{DisabledDelegate, Error, ItemKind, LoadError, LoadFailure, MissingPlugins, Result};
use crate::host::devices::DelegateDevices;
use crate::host::op_schemas;
use crate::planning::plan::{ChosenPlanner, Plan, PlanLimits};
use crate::plugins::descriptor::{self, Offer};
use crate::plugins::library_file::FileIdentity;
use crate::plugins::op_key::OpKey;
use crate::plugins::registration::{
    DelegateRegistration, OpRegistration, PROGRAM, PlannerRegistration, Registration,
};

pub use listing::{AbiVersion, ContestedOp, OpInfo, Origin, PluginInfo};

/// An op registration for a node.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub op: OpRegistration,
    plugin: usize,
    /// Whether this is the program's or the configuration's choice for a builtin op. Delegates do not claim its nodes.
    pub is_chosen: bool,
}

/// A program's plugins, with their ops, planners and delegates. Ops are looked up here first, then in the fallback.
#[derive(Default)]
pub struct Registry {
    plugins: Vec<PluginInfo>,
    /// Sorted by key; the ops of one key in the order of registration.
    ops: Vec<(OpKey, Candidate)>,
    planners: Vec<(String, PlannerRegistration)>,
    delegates: Vec<(String, DelegateRegistration)>,
    pub(crate) files: Vec<FileIdentity>,
    pub(crate) failures: Vec<LoadFailure>,
    pub(crate) searched: Vec<String>,
    pub(super) preferences: BTreeMap<String, OpConfig>,
    fallback: Option<Arc<Registry>>,
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Registry::default()
    }

    /// The plugins that are linked into the program.
    ///
    /// # Errors
    /// As [`add_plugin`](Self::add_plugin).
    pub fn with_static_plugins() -> Result<Self> {
        let mut registry = Registry::new();
        registry.add_static_plugins()?;
        Ok(registry)
    }

    /// Looks up ops in `fallback` if they are not registered here.
    pub fn with_fallback(mut self, fallback: Arc<Registry>) -> Self {
        self.fallback = Some(fallback);
        self
    }

    /// Registers the plugins that `inventory` collected.
    ///
    /// # Errors
    /// As [`add_plugin`](Self::add_plugin).
    pub fn add_static_plugins(&mut self) -> Result<()> {
        let mut plugins: Vec<&'static Plugin> =
            inventory::iter::<StaticPlugin>.into_iter().map(|found| found.0).collect();
        // The linker determines the order of collection; sorting by id gives the same order everywhere.
        plugins.sort_by_key(|plugin| plugin.id());
        self.searched.push("plugins linked in".into());
        plugins.into_iter().try_for_each(|plugin| self.add_plugin(plugin))
    }

    /// The registered plugins, in the order of registration.
    pub fn plugins(&self) -> &[PluginInfo] {
        &self.plugins
    }

    /// The libraries that failed to load, and why.
    pub fn failures(&self) -> &[LoadFailure] {
        &self.failures
    }

    /// The places that were searched for plugins.
    pub fn searched(&self) -> &[String] {
        &self.searched
    }

    /// The names of all planners.
    pub fn planner_names(&self) -> Vec<String> {
        self.names(|r| r.planners.iter().map(|(name, _)| name.clone()).collect())
    }

    /// The names of all delegates.
    pub fn delegate_names(&self) -> Vec<String> {
        self.names(|r| r.delegates.iter().map(|(name, _)| name.clone()).collect())
    }

    /// The devices of all delegates that have any, by name. This asks drivers, which may take time.
    pub fn devices(&self) -> Vec<DelegateDevices> {
        let of = |name: String| {
            let devices = self.delegate(&name)?.devices()?;
            Some(DelegateDevices { delegate: name, devices })
        };
        self.delegate_names().into_iter().filter_map(of).collect()
    }

    /// The custom ops of all plugins, for another host of this process.
    pub fn custom_ops(&self) -> Vec<arenite_abi::op::Registration> {
        let mut ops = self.fallback.as_ref().map_or_else(Vec::new, |fallback| fallback.custom_ops());
        ops.extend(self.ops.iter().filter_map(|(_, candidate)| candidate.op.of_process()));
        ops.retain(|op| op.builtin_code == BUILTIN_CUSTOM);
        ops
    }

    /// Places `records` with the planner of this name, and checks the plan.
    ///
    /// # Errors
    /// There is no such planner, it refuses an option or the records, or its plan overlaps or exceeds the limits.
    pub fn plan(
        &self,
        planner: &PlannerConfig,
        records: &[UsageRecord],
        limits: &PlanLimits,
    ) -> Result<Plan> {
        self.choose_planner(planner)?.plan(records, limits)
    }

    pub(crate) fn choose_planner(&self, config: &PlannerConfig) -> Result<ChosenPlanner> {
        let raw = self
            .planner(&config.name)
            .ok_or_else(|| self.not_found(ItemKind::Planner, &config.name, self.planner_names()))?;
        let (name, options) = (config.name.clone(), config.options.clone());
        Ok(ChosenPlanner { name, raw, options, time: None, spent: Cell::default() })
    }

    pub(crate) fn choose_delegate(&self, name: &str) -> Result<DelegateRegistration> {
        self.delegate(name).ok_or_else(|| self.not_found(ItemKind::Delegate, name, self.delegate_names()))
    }

    fn not_found(&self, what: ItemKind, name: &str, known: Vec<String>) -> Error {
        Error::NotFound { what, name: name.to_owned(), known, failures: self.not_loaded() }
    }

    /// The plugins and folders that failed to load, including the fallback's. A duplicate plugin is not a failure.
    pub(crate) fn not_loaded(&self) -> Vec<LoadFailure> {
        let is_lost = |failure: &&LoadFailure| !matches!(failure.reason, LoadError::Duplicate(_));
        let mut lost: Vec<_> = self.failures.iter().filter(is_lost).cloned().collect();
        lost.extend(self.fallback.iter().flat_map(|fallback| fallback.not_loaded()));
        lost
    }

    /// The delegates and plugins that are missing, if these delegates are disabled.
    pub(crate) fn missing<'a>(&self, left_out: impl Iterator<Item = &'a DisabledDelegate>) -> MissingPlugins {
        let mut delegates: Vec<DisabledDelegate> = Vec::new();
        for left_out in left_out {
            if !delegates.contains(left_out) {
                delegates.push(left_out.clone());
            }
        }
        MissingPlugins { searched: self.searched.clone(), failures: self.not_loaded(), left_out: delegates }
    }

    /// Registers everything that a plugin offers, or nothing on an error.
    ///
    /// # Safety
    /// See [`descriptor::read`].
    pub(crate) unsafe fn register(
        &mut self,
        descriptor: *const ArPluginV1,
        origin: Origin,
        abi: AbiVersion,
    ) -> Result<(), LoadError> {
        // SAFETY: this function requires the same of the descriptor as `descriptor::read`.
        let offer = unsafe { descriptor::read(descriptor) }.map_err(LoadError::Descriptor)?;
        let Offer { id, version, description, ops, planners, delegates } = offer;
        if let Some(first) = self.plugins.iter().find(|plugin| plugin.id == id) {
            return Err(LoadError::Duplicate(format!(
                "plugin id '{id}' is taken by {} ({}); the first one stays",
                first.id, first.origin
            )));
        }
        let (plugin, name): (_, Arc<str>) = (self.plugins.len(), id.as_str().into());
        self.plugins.push(PluginInfo {
            id,
            version,
            description,
            origin,
            abi,
            planners: planners.iter().map(|(name, _)| name.clone()).collect(),
            delegates: delegates.iter().map(|(name, _)| name.clone()).collect(),
            ops: ops.iter().map(|(key, op)| OpInfo::of(key, op)).collect(),
        });
        for (key, op) in ops {
            op_schemas::note(&op);
            let op = Registration::of_plugin(op, &name);
            self.ops.push((key, Candidate { op, plugin, is_chosen: false }));
        }
        self.ops.sort_by(|(a, _), (b, _)| a.cmp(b));
        // If several planners or delegates have the same name, the first one is used.
        let planners = planners.into_iter().map(|(n, planner)| (n, Registration::of_plugin(planner, &name)));
        self.planners.extend(planners);
        let delegates =
            delegates.into_iter().map(|(n, delegate)| (n, Registration::of_plugin(delegate, &name)));
        self.delegates.extend(delegates);
        Ok(())
    }

    /// The registrations of an op.
    fn ops_of(&self, key: &OpKey) -> impl Iterator<Item = &Candidate> {
        let first = self.ops.partition_point(|(other, _)| other < key);
        self.ops[first..].iter().take_while(move |(other, _)| other == key).map(|(_, candidate)| candidate)
    }

    /// The ops that can serve this node, best first: by configured preference, priority, order of registration.
    pub(crate) fn candidates(&self, key: &OpKey, version: i32, types: &[ElementType]) -> Vec<Candidate> {
        let mut own: Vec<Candidate> = self
            .ops_of(key)
            .filter(|c| version >= c.op.min_version && version <= c.op.max_version)
            .filter(|c| types.iter().all(|&ty| ElementTypes::from_bits(c.op.element_types).contains(ty)))
            .cloned()
            .collect();
        self.rank(key, &mut own);
        if let (OpKey::Builtin(_), Some(best)) = (key, own.first_mut()) {
            best.is_chosen = self.is_chosen(key, best);
        }
        if own.is_empty()
            && let Some(fallback) = &self.fallback
        {
            return fallback.candidates(key, version, types);
        }
        own
    }

    /// Where the best op for this code and version takes the element type of its outputs from.
    pub(crate) fn output_type(&self, key: &OpKey, version: i32) -> OutputType {
        let candidates = self.candidates(key, version, &[]);
        candidates.first().map_or(OutputType::File, |best| OutputType::from_flags(best.op.flags))
    }

    /// Sorts candidates, best first.
    fn rank(&self, key: &OpKey, candidates: &mut [Candidate]) {
        let Some(config) = self.preferences.get(&key.name()) else { return };
        candidates.sort_by_key(|c| {
            let id = &self.plugins[c.plugin].id;
            let preferred = config.prefer.iter().position(|p| crate::config::matches_pattern(p, id));
            let priority = config.priority.get(id).copied().unwrap_or(0);
            (preferred.unwrap_or(usize::MAX), std::cmp::Reverse(priority), c.plugin)
        });
    }

    /// Whether the program added this op itself, or the configuration prefers its plugin.
    fn is_chosen(&self, key: &OpKey, candidate: &Candidate) -> bool {
        let id = &self.plugins[candidate.plugin].id;
        let is_preferred = |config: &OpConfig| {
            config.prefer.iter().any(|pattern| crate::config::matches_pattern(pattern, id))
                || config.priority.get(id).is_some_and(|&priority| priority > 0)
        };
        &*candidate.op.plugin == PROGRAM || self.preferences.get(&key.name()).is_some_and(is_preferred)
    }

    /// Ops that several plugins offer for at least some of the same nodes, by name.
    pub fn contested_ops(&self) -> Vec<ContestedOp> {
        let contested = |same: &[(OpKey, Candidate)]| {
            let key = &same[0].0;
            let mut ranked: Vec<Candidate> = same.iter().map(|(_, candidate)| candidate.clone()).collect();
            self.rank(key, &mut ranked);
            let meets = |a: &Candidate| {
                same.iter().any(|(_, b)| a.plugin != b.plugin && descriptor::clash(&a.op, &b.op))
            };
            let mut plugins: Vec<String> = Vec::new();
            for candidate in ranked.iter().filter(|candidate| meets(candidate)) {
                if !plugins.iter().any(|known| **known == *candidate.op.plugin) {
                    plugins.push(candidate.op.plugin.to_string());
                }
            }
            (!plugins.is_empty()).then(|| ContestedOp { key: key.clone(), plugins })
        };
        let mut ops: Vec<ContestedOp> =
            self.ops.chunk_by(|(a, _), (b, _)| a == b).filter_map(contested).collect();
        ops.sort_by_key(|op| op.key.name());
        ops
    }

    /// Why no registration of this op fits, one line for each.
    pub(crate) fn near_misses(&self, key: &OpKey, version: i32) -> Vec<String> {
        let mut lines: Vec<String> = self
            .ops_of(key)
            .map(|c| {
                let id = &self.plugins[c.plugin].id;
                let (low, high) = (c.op.min_version, c.op.max_version);
                if version < low || version > high {
                    format!("{id} has versions {low} to {high}")
                } else {
                    let types: Vec<_> =
                        ElementTypes::from_bits(c.op.element_types).iter().map(|ty| ty.name()).collect();
                    format!("{id} takes {}", types.join(", "))
                }
            })
            .collect();
        if let Some(fallback) = &self.fallback {
            lines.extend(fallback.near_misses(key, version));
        }
        lines
    }

    pub(crate) fn planner(&self, name: &str) -> Option<PlannerRegistration> {
        let own = self.planners.iter().find(|(n, _)| n == name).map(|(_, planner)| Arc::clone(planner));
        own.or_else(|| self.fallback.as_ref()?.planner(name))
    }

    pub(crate) fn delegate(&self, name: &str) -> Option<DelegateRegistration> {
        let own = self.delegates.iter().find(|(n, _)| n == name).map(|(_, delegate)| Arc::clone(delegate));
        own.or_else(|| self.fallback.as_ref()?.delegate(name))
    }

    fn names(&self, of: fn(&Registry) -> Vec<String>) -> Vec<String> {
        let mut names = of(self);
        if let Some(fallback) = &self.fallback {
            names.extend(fallback.names(of));
        }
        names.sort();
        names.dedup();
        names
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("plugins", &self.plugins).finish_non_exhaustive()
    }
}
