//! The registry: what plugins offer, and who serves a node.

mod hand_over;
mod listing;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use arenite_abi::raw::{ArDelegateV1, ArOpV1, ArPlannerV1, ArPluginV1, BUILTIN_CUSTOM};
use arenite_abi::{ElementType, ElementTypes, Plugin, StaticPlugin, UsageRecord};

use crate::config::{Config, OpConfig, PlannerConfig};
use crate::error::{Error, LeftOut, LoadError, LoadFailure, Missing, Named, Result};
use crate::host::op_schemas;
use crate::planning::plan::{ChosenPlanner, Plan, PlanLimits};
use crate::plugins::descriptor::{self, Offer};
use crate::plugins::library_file::FileIdentity;
use crate::plugins::registration::Registration;

pub use hand_over::PROGRAM;
pub use listing::{ContestedOp, OpInfo, Origin, PluginInfo};

/// Which op a node asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OpKey {
    /// A builtin op, by the schema's number.
    Builtin(i32),
    /// A custom op, by name.
    Custom(String),
}

impl OpKey {
    /// The schema's name, or the custom op's; `builtin op` if the schema has no name for the number.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            OpKey::Builtin(code) => arenite_model::builtin_operator_name(*code).unwrap_or("builtin op"),
            OpKey::Custom(name) => name,
        }
    }

    /// The schema's name, or the custom op's.
    pub fn name(&self) -> String {
        match self {
            OpKey::Builtin(code) => match arenite_model::builtin_operator_name(*code) {
                Some(name) => name.to_owned(),
                None => format!("builtin op {code}"),
            },
            OpKey::Custom(name) => name.clone(),
        }
    }
}

impl fmt::Display for OpKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// An op registration that the registry found for a node.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub op: OpRegistration,
    plugin: usize,
}

pub(crate) type OpRegistration = Arc<Registration<ArOpV1>>;
pub(crate) type PlannerRegistration = Arc<Registration<ArPlannerV1>>;
pub(crate) type DelegateRegistration = Arc<Registration<ArDelegateV1>>;

/// The plugins of a program and what they offer. Ops are looked up here first, then in the fallback.
#[derive(Default)]
pub struct Registry {
    plugins: Vec<PluginInfo>,
    ops: HashMap<OpKey, Vec<Candidate>>,
    planners: Vec<(String, PlannerRegistration)>,
    delegates: Vec<(String, DelegateRegistration)>,
    pub(crate) files: Vec<FileIdentity>,
    pub(crate) failures: Vec<LoadFailure>,
    pub(crate) searched: Vec<String>,
    preferences: BTreeMap<String, OpConfig>,
    fallback: Option<Arc<Registry>>,
}

impl Registry {
    /// Nothing is registered.
    pub fn new() -> Self {
        Registry::default()
    }

    /// The plugins that are linked into the program.
    pub fn with_static_plugins() -> Result<Self> {
        let mut registry = Registry::new();
        registry.add_static_plugins()?;
        Ok(registry)
    }

    /// Everything that the configuration and the environment name, in this order: linked-in plugins, `paths`, `dirs`,
    /// `ARENITE_PLUGIN_PATH`, the install prefix.
    ///
    /// # Errors
    /// Under `strict`, the first plugin that cannot be loaded; else it is listed in [`failures`](Self::failures).
    pub fn discover(config: &Config) -> Result<Self> {
        let mut registry = Registry::new();
        registry.add_discovered(config)?;
        Ok(registry)
    }

    /// Adds what [`discover`](Self::discover) finds after what is registered here already.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn add_discovered(&mut self, config: &Config) -> Result<()> {
        crate::plugins::loader::discover(self, config)?;
        self.preferences = config.ops.clone();
        Ok(())
    }

    /// Ops that are not found here are looked up in `fallback`.
    pub fn with_fallback(mut self, fallback: Arc<Registry>) -> Self {
        self.fallback = Some(fallback);
        self
    }

    /// Registers a plugin that is linked in. A plugin whose id is registered already is left out.
    pub fn add_plugin(&mut self, plugin: &'static Plugin) -> Result<()> {
        let failure = |reason| Error::Plugin(LoadFailure { path: PathBuf::from("(linked in)"), reason });
        let descriptor = crate::plugins::loader::introduce(plugin).map_err(failure)?;
        // SAFETY: `Plugin::new` took a descriptor of static parts.
        match unsafe { self.register(descriptor, Origin::Static, (1, 0)) } {
            Ok(()) | Err(LoadError::Duplicate(_)) => Ok(()),
            Err(reason) => Err(failure(reason)),
        }
    }

    /// Registers what `inventory` collected.
    pub fn add_static_plugins(&mut self) -> Result<()> {
        let mut plugins: Vec<&'static Plugin> =
            inventory::iter::<StaticPlugin>.into_iter().map(|found| found.0).collect();
        // Collection order is the linker's; the id gives one that is the same everywhere.
        plugins.sort_by_key(|plugin| plugin.id());
        self.searched.push("plugins linked in".into());
        plugins.into_iter().try_for_each(|plugin| self.add_plugin(plugin))
    }

    /// Loads one library.
    pub fn load_file(&mut self, path: impl Into<PathBuf>) -> Result<()> {
        let path = path.into();
        match crate::plugins::loader::load(self, &path, &[]) {
            Ok(()) => Ok(()),
            Err(reason) => Err(Error::Plugin(LoadFailure { path, reason })),
        }
    }

    /// Loads all libraries of a folder, in the order of their names, not recursively. Those that cannot be loaded are
    /// listed in [`failures`](Self::failures).
    pub fn load_dir(&mut self, dir: impl Into<PathBuf>) -> Result<()> {
        crate::plugins::loader::load_dir(self, &dir.into(), &[])
    }

    /// The registered plugins, in the order in which they were found.
    pub fn plugins(&self) -> &[PluginInfo] {
        &self.plugins
    }

    /// The libraries that were not loaded, and why.
    pub fn failures(&self) -> &[LoadFailure] {
        &self.failures
    }

    /// Where plugins were looked for.
    pub fn searched(&self) -> &[String] {
        &self.searched
    }

    /// Names of all planners.
    pub fn planner_names(&self) -> Vec<String> {
        self.names(|r| r.planners.iter().map(|(name, _)| name.clone()).collect())
    }

    /// Names of all delegates.
    pub fn delegate_names(&self) -> Vec<String> {
        self.names(|r| r.delegates.iter().map(|(name, _)| name.clone()).collect())
    }

    /// Has the planner of this name place `records`, and checks what it answers.
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
            .ok_or_else(|| self.not_found(Named::Planner, &config.name, self.planner_names()))?;
        let (name, options) = (config.name.clone(), config.options.clone());
        Ok(ChosenPlanner { name, raw, options, time: None, spent: Cell::default() })
    }

    pub(crate) fn choose_delegate(&self, name: &str) -> Result<DelegateRegistration> {
        self.delegate(name).ok_or_else(|| self.not_found(Named::Delegate, name, self.delegate_names()))
    }

    fn not_found(&self, what: Named, name: &str, known: Vec<String>) -> Error {
        Error::NotFound { what, name: name.to_owned(), known, failures: self.not_loaded() }
    }

    /// The plugins and folders that could not be loaded, those of the fallback too. A plugin that is there already is none.
    pub(crate) fn not_loaded(&self) -> Vec<LoadFailure> {
        let is_lost = |failure: &&LoadFailure| !matches!(failure.reason, LoadError::Duplicate(_));
        let mut lost: Vec<_> = self.failures.iter().filter(is_lost).cloned().collect();
        lost.extend(self.fallback.iter().flat_map(|fallback| fallback.not_loaded()));
        lost
    }

    /// What is not there, where these delegates were left out.
    pub(crate) fn missing<'a>(&self, left_out: impl Iterator<Item = &'a LeftOut>) -> Missing {
        let mut delegates: Vec<LeftOut> = Vec::new();
        for left_out in left_out {
            if !delegates.contains(left_out) {
                delegates.push(left_out.clone());
            }
        }
        Missing { searched: self.searched.clone(), failures: self.not_loaded(), left_out: delegates }
    }

    /// Registers what a plugin offers: all of it, or on an error nothing.
    ///
    /// # Safety
    /// As [`descriptor::read`].
    pub(crate) unsafe fn register(
        &mut self,
        descriptor: *const ArPluginV1,
        origin: Origin,
        abi: (u16, u16),
    ) -> Result<(), LoadError> {
        // SAFETY: the descriptor is as the caller got it from the handshake.
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
            self.ops.entry(key).or_default().push(Candidate { op, plugin });
        }
        // Of planners and delegates with one name the first registered serves.
        let planners = planners.into_iter().map(|(n, planner)| (n, Registration::of_plugin(planner, &name)));
        self.planners.extend(planners);
        let delegates =
            delegates.into_iter().map(|(n, delegate)| (n, Registration::of_plugin(delegate, &name)));
        self.delegates.extend(delegates);
        Ok(())
    }

    /// Who can serve this node, best first: configured preference, priority, order of discovery.
    pub(crate) fn candidates(&self, key: &OpKey, version: i32, types: &[ElementType]) -> Vec<Candidate> {
        let mut own: Vec<Candidate> = self
            .ops
            .get(key)
            .into_iter()
            .flatten()
            .filter(|c| version >= c.op.min_version && version <= c.op.max_version)
            .filter(|c| types.iter().all(|&ty| ElementTypes::from_bits(c.op.element_types).contains(ty)))
            .cloned()
            .collect();
        self.rank(key, &mut own);
        if own.is_empty()
            && let Some(fallback) = &self.fallback
        {
            return fallback.candidates(key, version, types);
        }
        own
    }

    /// Best first.
    fn rank(&self, key: &OpKey, candidates: &mut [Candidate]) {
        let Some(config) = self.preferences.get(&key.name()) else { return };
        candidates.sort_by_key(|c| {
            let id = &self.plugins[c.plugin].id;
            let preferred = config.prefer.iter().position(|p| crate::config::matches_pattern(p, id));
            let priority = config.priority.get(id).copied().unwrap_or(0);
            (preferred.unwrap_or(usize::MAX), std::cmp::Reverse(priority), c.plugin)
        });
    }

    /// The ops that several plugins offer for the same nodes, some at least, by name.
    pub fn contested_ops(&self) -> Vec<ContestedOp> {
        let contested = |(key, candidates): (&OpKey, &Vec<Candidate>)| {
            let mut ranked = candidates.clone();
            self.rank(key, &mut ranked);
            let meets = |a: &Candidate| {
                candidates.iter().any(|b| a.plugin != b.plugin && descriptor::clash(&a.op, &b.op))
            };
            let mut plugins: Vec<String> = Vec::new();
            for candidate in ranked.iter().filter(|candidate| meets(candidate)) {
                if !plugins.iter().any(|known| **known == *candidate.op.plugin) {
                    plugins.push(candidate.op.plugin.to_string());
                }
            }
            (!plugins.is_empty()).then(|| ContestedOp { key: key.clone(), plugins })
        };
        let mut ops: Vec<ContestedOp> = self.ops.iter().filter_map(contested).collect();
        ops.sort_by_key(|op| op.key.name());
        ops
    }

    /// Why no registration of this op fits, one line for each.
    pub(crate) fn near_misses(&self, key: &OpKey, version: i32) -> Vec<String> {
        let mut lines: Vec<String> = self
            .ops
            .get(key)
            .into_iter()
            .flatten()
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

/// The key of an op registration.
pub(crate) fn key_of(op: &ArOpV1) -> OpKey {
    if op.builtin_code == BUILTIN_CUSTOM {
        // SAFETY: the name is readable: `Descriptor::read` checks that of a plugin, whose structs are static; `add_raw_op` requires it of
        // a struct, and `Registration` keeps a copy of that name with the struct.
        OpKey::Custom(unsafe { op.custom_name.as_str() }.to_owned())
    } else {
        OpKey::Builtin(op.builtin_code)
    }
}
