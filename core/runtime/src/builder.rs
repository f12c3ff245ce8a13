//! What an interpreter is made with.

use std::sync::Arc;

use crate::config::{Config, DelegateConfig, OnMissing, PlannerConfig};
use crate::error::{Error, Result};
use crate::executor::Settings;
use crate::interpreter::Interpreter;
use crate::layout::Techniques;
use crate::model::Model;
use crate::quota::{Quota, Resource};
use crate::registry::Registry;

/// The planner that is used when none is named: the best plan of many strategies, the same on every machine.
pub const DEFAULT_PLANNER: &str = "portfolio";

/// The delegate that gets what all others leave, where a plugin has it. It needs not be named.
pub const DEFAULT_DELEGATE: &str = "cpu";

/// The name that stands for no delegate: where it is among the delegates, [`DEFAULT_DELEGATE`] is not added.
pub const NO_DELEGATE: &str = "none";

/// Collects what an [`Interpreter`] is to be made with.
pub struct InterpreterBuilder {
    model: Model,
    registry: Option<Arc<Registry>>,
    planner: Option<PlannerConfig>,
    techniques: Techniques,
    delegates: Vec<DelegateConfig>,
    threads: usize,
    quota: Quota,
}

impl InterpreterBuilder {
    pub(crate) fn new(model: &Model) -> Self {
        InterpreterBuilder {
            model: model.clone(),
            registry: None,
            planner: None,
            techniques: Techniques::default(),
            delegates: Vec::new(),
            threads: 0,
            quota: Quota::default(),
        }
    }

    /// Uses these plugins; without it, those that are linked into the program.
    pub fn registry(mut self, registry: Arc<Registry>) -> Self {
        self.registry = Some(registry);
        self
    }

    /// Takes planner, delegates, threads and quota from a configuration. Plugins come from
    /// [`Registry::discover`].
    pub fn config(mut self, config: &Config) -> Self {
        self.planner = config.planner.clone();
        self.techniques = config.techniques;
        self.delegates = config.delegates.clone();
        self.threads = config.threads.map_or(0, |threads| threads.get());
        self.quota = Quota::from_config(&config.quota);
        self
    }

    /// Plans memory with the planner of this name; [`DEFAULT_PLANNER`] without it.
    pub fn planner(mut self, name: &str) -> Self {
        self.planner = Some(PlannerConfig::new(name));
        self
    }

    /// Uses these techniques to lay tensors over one another before memory is planned.
    pub fn techniques(mut self, techniques: Techniques) -> Self {
        self.techniques = techniques;
        self
    }

    /// Adds a delegate, which claims nodes after those that were added before. [`DEFAULT_DELEGATE`] comes last by itself, unless
    /// [`NO_DELEGATE`] is added.
    pub fn delegate(mut self, delegate: DelegateConfig) -> Self {
        self.delegates.push(delegate);
        self
    }

    /// Threads that ops and delegates may use; 0: one per processor.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Limits on memory, nodes, nesting and time.
    pub fn quota(mut self, quota: Quota) -> Self {
        self.quota = quota;
        self
    }

    /// Builds the main subgraph. Memory is planned by [`Interpreter::allocate`].
    ///
    /// # Errors
    /// A planner or a delegate that no plugin has, a tensor that cannot be represented, or more nodes than the quota. Ops that
    /// nobody serves are an error of `allocate`, since a delegate may take them; so are wrong options of a delegate.
    pub fn build(self) -> Result<Interpreter> {
        let registry = match self.registry {
            Some(registry) => registry,
            None => Arc::new(Registry::with_static_plugins()?),
        };
        check_node_count(&self.model, &self.quota)?;
        let planner = self.planner.unwrap_or_else(|| PlannerConfig::new(DEFAULT_PLANNER));
        let planner = registry.choose_planner(&planner)?;
        let threads = if self.threads == 0 { crate::pool::threads() } else { self.threads };
        let settings = Settings {
            planner,
            techniques: self.techniques,
            delegates: delegates(self.delegates, &registry)?,
            threads: threads.min(crate::pool::MAX_THREADS) as u32,
            quota: self.quota,
        };
        Interpreter::new(self.model, registry, settings)
    }
}

/// The delegates to use: the default one is added, unless somebody says otherwise or no plugin has it.
fn delegates(mut delegates: Vec<DelegateConfig>, registry: &Registry) -> Result<Vec<DelegateConfig>> {
    let named = |name: &str| delegates.iter().any(|delegate| delegate.name == name);
    if named(NO_DELEGATE) {
        delegates.retain(|delegate| delegate.name != NO_DELEGATE);
    } else if !named(DEFAULT_DELEGATE) && registry.delegate(DEFAULT_DELEGATE).is_some() {
        delegates
            .push(DelegateConfig { on_missing: OnMissing::Skip, ..DelegateConfig::new(DEFAULT_DELEGATE) });
    }
    for delegate in delegates.iter().filter(|delegate| delegate.on_missing == OnMissing::Error) {
        registry.choose_delegate(&delegate.name)?;
    }
    Ok(delegates)
}

fn check_node_count(model: &Model, quota: &Quota) -> Result<()> {
    let nodes: u64 = model.view().subgraphs().iter().map(|s| s.operators().len() as u64).sum();
    if nodes > quota.nodes {
        return Err(Error::quota(Resource::Nodes, "the model", nodes, quota.nodes));
    }
    Ok(())
}
