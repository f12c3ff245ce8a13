//! The builder of an interpreter.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use arenite_abi::Status;
use arenite_model::builtin_operator_code;

use crate::call::settings::Settings;
use crate::config::{Config, DelegateConfig, NO_DELEGATE, OnMissing, PlannerConfig, Require, misused_none};
use crate::error::{Error, Resource, Result};
use crate::interpreter::Interpreter;
use crate::model::Model;
use crate::planning::lifetime::Lifetimes;
use crate::plugins::registry::Registry;
use crate::quota::Quota;
use arenite_layout::Techniques;

/// The default planner: the best plan of several strategies, the same on every machine.
pub const DEFAULT_PLANNER: &str = "portfolio";

/// The default delegate, which gets the nodes that all other delegates leave. It is used without being named, if a
/// plugin has it.
pub const DEFAULT_DELEGATE: &str = "cpu";

/// Settings of an [`Interpreter`]. Explicit calls override [`config`](Self::config), in any order.
pub struct InterpreterBuilder {
    model: Model,
    registry: Option<Arc<Registry>>,
    config: Config,
    explicit: ExplicitSettings,
    planning_time: Option<Duration>,
    default_delegate: DefaultDelegate,
    exposed: Vec<usize>,
}

/// Settings made by explicit calls.
#[derive(Default)]
struct ExplicitSettings {
    planner: Option<PlannerConfig>,
    techniques: Option<Techniques>,
    lifetimes: Option<Lifetimes>,
    preserve_all: bool,
    delegates: Vec<DelegateConfig>,
    threads: Option<usize>,
    quota: Option<Quota>,
}

impl ExplicitSettings {
    /// Applies these settings to a configuration. Returns it, and the quota.
    fn over(self, mut config: Config) -> (Config, Quota) {
        config.planner = self.planner.or(config.planner);
        config.techniques = self.techniques.unwrap_or(config.techniques);
        config.lifetimes = self.lifetimes.unwrap_or(config.lifetimes);
        config.lifetimes.preserve_all |= self.preserve_all;
        config.delegates.extend(self.delegates);
        config.threads = self.threads.map_or(config.threads, NonZeroUsize::new);
        let quota = self.quota.unwrap_or_else(|| Quota::from_config(&config.quota));
        (config, quota)
    }
}

/// Whether [`DEFAULT_DELEGATE`] is added if it is not named.
#[derive(Clone, Copy, PartialEq)]
enum DefaultDelegate {
    Added,
    Absent,
}

impl Interpreter {
    /// Starts to build an interpreter for this model.
    pub fn builder(model: &Model) -> InterpreterBuilder {
        InterpreterBuilder::new(model)
    }
}

impl InterpreterBuilder {
    pub(crate) fn new(model: &Model) -> Self {
        InterpreterBuilder {
            model: model.clone(),
            registry: None,
            config: Config::default(),
            explicit: ExplicitSettings::default(),
            planning_time: None,
            default_delegate: DefaultDelegate::Added,
            exposed: Vec::new(),
        }
    }

    /// Uses these plugins. The default is [`Registry::discover`]: plugins linked into the program, and those in
    /// `[plugins]` of the configuration, in `ARENITE_PLUGIN_PATH` and below the install prefix. With this call,
    /// `[plugins]` and `[ops]` of the configuration are ignored; the registry has its own.
    pub fn registry(mut self, registry: Arc<Registry>) -> Self {
        self.registry = Some(registry);
        self
    }

    /// Uses a configuration for every setting without an explicit call. A second call replaces the first. Delegates of
    /// the configuration come before delegates from [`delegate`](Self::delegate).
    pub fn config(mut self, config: &Config) -> Self {
        self.config = config.clone();
        self
    }

    /// Selects the planner; the default is [`DEFAULT_PLANNER`].
    pub fn planner(mut self, name: &str) -> Self {
        self.explicit.planner = Some(PlannerConfig::new(name));
        self
    }

    /// Limits the time for one plan. Planners that search then return the best plan so far.
    pub fn planning_time(mut self, limit: Duration) -> Self {
        self.planning_time = Some(limit);
        self
    }

    /// Selects the techniques for sharing memory between tensors.
    pub fn techniques(mut self, techniques: Techniques) -> Self {
        self.explicit.techniques = Some(techniques);
        self
    }

    /// Extends the lifetimes of tensors beyond their last reader.
    pub fn lifetimes(mut self, lifetimes: Lifetimes) -> Self {
        self.explicit.lifetimes = Some(lifetimes);
        self.explicit.preserve_all = false;
        self
    }

    /// Overwrites no tensor, so that each can be read after an invocation; see [`Lifetimes::preserve_all`].
    pub fn preserve_all(mut self) -> Self {
        self.explicit.preserve_all = true;
        self
    }

    /// Makes tensors of the main subgraph readable after an invocation, by
    /// [`tensor`](Interpreter::tensor), as outputs are. A delegate's partition then returns them too, so the delegate
    /// does not fuse the nodes that write and read them. A second call adds tensors.
    pub fn expose(mut self, tensors: &[usize]) -> Self {
        self.exposed.extend(tensors);
        self
    }

    /// Adds a delegate. Delegates claim nodes in the order of these calls; [`DEFAULT_DELEGATE`] comes last.
    /// [`NO_DELEGATE`], which must be the only one, disables that.
    pub fn delegate(mut self, delegate: DelegateConfig) -> Self {
        self.explicit.delegates.push(delegate);
        self
    }

    /// Does not add [`DEFAULT_DELEGATE`]. Reference ops run the nodes that no other delegate claims.
    pub fn without_default_delegate(mut self) -> Self {
        self.default_delegate = DefaultDelegate::Absent;
        self
    }

    /// The number of threads for ops and delegates; 0 means one per processor.
    pub fn threads(mut self, threads: usize) -> Self {
        self.explicit.threads = Some(threads);
        self
    }

    /// Limits memory, nodes, nesting and time.
    pub fn quota(mut self, quota: Quota) -> Self {
        self.explicit.quota = Some(quota);
        self
    }

    /// Finds plugins, unless [`registry`](Self::registry) was called, and builds the main subgraph.
    /// [`Interpreter::allocate`] plans memory.
    ///
    /// # Errors
    /// An unknown planner or delegate, [`NO_DELEGATE`] together with another delegate, a wrong option of the planner, a
    /// tensor that cannot be represented, an exposed tensor that does not exist, or more nodes than the quota; under
    /// `strict`, a plugin that fails to load. Outputs that `[tie]` of the configuration ties have the errors of
    /// [`Interpreter::tie`].
    /// Unserved ops are an error of `allocate`, because a delegate may claim them; so are wrong options of a delegate.
    pub fn build(self) -> Result<Interpreter> {
        let InterpreterBuilder {
            model,
            registry,
            config,
            explicit,
            planning_time,
            default_delegate,
            exposed,
        } = self;
        let (config, quota) = explicit.over(config);
        let registry = match registry {
            Some(registry) => registry,
            None => Arc::new(Registry::discover(&config)?),
        };
        check_node_count(&model, &quota)?;
        let planner = config.planner.unwrap_or_else(|| PlannerConfig::new(DEFAULT_PLANNER));
        let mut planner = registry.choose_planner(&planner)?;
        planner.check_options()?;
        planner.time = planning_time;
        let threads = config.threads.map_or_else(crate::pool::threads, NonZeroUsize::get);
        // Sharing memory would overwrite tensors.
        let preserve_all = config.lifetimes.preserve_all || !planner.raw.shares_memory();
        let settings = Settings {
            planner,
            techniques: if preserve_all { Techniques::NONE } else { config.techniques },
            lifetimes: Lifetimes { preserve_all, ..config.lifetimes },
            delegates: delegates(config.delegates, default_delegate, &registry, &model)?,
            threads: threads.min(crate::pool::MAX_THREADS) as u32,
            quota,
        };
        let mut interpreter = Interpreter::new(model, registry, settings)?;
        interpreter.expose(&exposed)?;
        interpreter.apply_ties(&config.ties)?;
        Ok(interpreter)
    }
}

/// The delegates to use, including the default one if it is added and a plugin has it.
fn delegates(
    mut delegates: Vec<DelegateConfig>,
    default: DefaultDelegate,
    registry: &Registry,
    model: &Model,
) -> Result<Vec<DelegateConfig>> {
    if let Some((_, message)) = misused_none(&delegates) {
        let delegate = NO_DELEGATE.to_owned();
        return Err(Error::Delegate { delegate, status: Status::Invalid, message });
    }
    for delegate in &delegates {
        if let Some(message) = delegate.contradiction().or_else(|| unknown_requirement(delegate, model)) {
            return Err(Error::Delegate {
                delegate: delegate.name.clone(),
                status: Status::Invalid,
                message,
            });
        }
    }
    let named = |name: &str| delegates.iter().any(|delegate| delegate.name == name);
    if named(NO_DELEGATE) {
        return Ok(Vec::new());
    }
    let is_open = default == DefaultDelegate::Added && !named(DEFAULT_DELEGATE);
    if is_open && registry.delegate(DEFAULT_DELEGATE).is_some() {
        delegates.push(DelegateConfig::new(DEFAULT_DELEGATE));
    }
    for delegate in delegates.iter().filter(|delegate| delegate.on_missing == OnMissing::Error) {
        registry.choose_delegate(&delegate.name)?;
    }
    Ok(delegates)
}

/// If the delegate must run an op that is neither a builtin one nor in the model: the message of the error.
fn unknown_requirement(delegate: &DelegateConfig, model: &Model) -> Option<String> {
    let Require::Ops(names) = &delegate.require else { return None };
    let view = model.view();
    let codes = view.operator_codes();
    let is_known = |name: &str| {
        builtin_operator_code(name).is_some() || codes.iter().any(|code| code.custom_code() == Some(name))
    };
    let unknown = names.iter().find(|name| !is_known(name))?;
    Some(format!("`require` names '{unknown}', which is neither a builtin op nor an op of the model"))
}

fn check_node_count(model: &Model, quota: &Quota) -> Result<()> {
    let nodes: u64 = model.view().subgraphs().iter().map(|s| s.operators().len() as u64).sum();
    if nodes > quota.nodes {
        return Err(Error::quota(Resource::Nodes, "the model", nodes, quota.nodes));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "
        schema = 1
        planner.use = 'linear'
        planner.outputs = 'start'
        threads.count = 3
        quota.nodes = 5
        [[delegate]]
        use = 'a'
    ";

    fn settled(
        set: impl Fn(InterpreterBuilder) -> InterpreterBuilder,
        config_first: bool,
    ) -> (Config, Quota) {
        let config: Config = CONFIG.parse().expect("it is a configuration");
        let builder = Interpreter::builder(&model());
        let builder = if config_first { set(builder.config(&config)) } else { set(builder).config(&config) };
        builder.explicit.over(builder.config)
    }

    fn model() -> Model {
        let mut file = arenite_model::writer::ModelBuilder::new();
        file.subgraph(arenite_model::writer::SubGraph::new("main"));
        Model::from_bytes(file.finish()).expect("it is sound")
    }

    /// An explicit call wins whether it comes before or after the configuration; other settings come from the
    /// configuration.
    #[test]
    fn methods_win_over_the_configuration_in_any_order() {
        let nodes = |nodes| Quota { nodes, ..Quota::default() };
        for config_first in [true, false] {
            let (config, quota) = settled(|builder| builder, config_first);
            assert_eq!((config.threads, quota), (NonZeroUsize::new(3), nodes(5)));
            assert_eq!(config.planner.map(|planner| planner.name).as_deref(), Some("linear"));
            assert!(config.lifetimes != Lifetimes::default() && config.techniques == Techniques::default());

            let set = |builder: InterpreterBuilder| {
                let builder =
                    builder.threads(2).planner("exact").quota(nodes(7)).techniques(Techniques::NONE);
                builder.lifetimes(Lifetimes::default()).preserve_all().delegate(DelegateConfig::new("b"))
            };
            let (config, quota) = settled(set, config_first);
            assert_eq!((config.threads, quota), (NonZeroUsize::new(2), nodes(7)), "{config_first}");
            assert_eq!(config.planner.map(|planner| planner.name).as_deref(), Some("exact"));
            assert_eq!(config.techniques, Techniques::NONE);
            assert_eq!(config.lifetimes, Lifetimes { preserve_all: true, ..Lifetimes::default() });
            let delegates: Vec<&str> =
                config.delegates.iter().map(|delegate| delegate.name.as_str()).collect();
            assert_eq!(delegates, ["a", "b"]);

            let (config, _) = settled(|builder| builder.threads(0).preserve_all(), config_first);
            assert_eq!(config.threads, None, "one thread per processor was asked for");
            assert!(
                config.lifetimes.preserve_all
                    && config.lifetimes != Lifetimes { preserve_all: true, ..Lifetimes::default() }
            );
        }
    }

    #[test]
    fn the_planner_that_is_named_is_looked_up() {
        let config: Config = CONFIG.parse().expect("it is a configuration");
        let builder = Interpreter::builder(&model()).registry(Arc::new(Registry::new()));
        let error = builder.planner("mine").config(&config).build().map(drop).expect_err("there is none");
        assert!(matches!(&error, Error::NotFound { name, .. } if name == "mine"), "{error}");
    }
}
