//! Creates an interpreter from a model and options.

use std::env;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arenite::config::{DelegateConfig, OnMissing};
use arenite::model_file::Operator;
use arenite::{Config, DEFAULT_DELEGATE, Error, Interpreter, Model, NO_DELEGATE, OpKey, Registry};

use crate::builtin_data::{self, Parameters, Source};
use crate::delegate;
use crate::kernel::node::{Key, Node, NodeContents};
use crate::kernel::scene::Scene;
use crate::kernel::{Kernel, Stage};
use crate::options::{RegisteredOp, TfLiteInterpreterOptions};

/// Environment variable with the path of a file like `arenite.toml`: delegates, planner, plugins.
const CONFIG: &str = "ARENITE_TFLITE_CONFIG";

/// Everything an interpreter is built from. It is kept so that the interpreter can be built again.
#[derive(Clone)]
pub(crate) struct Recipe {
    pub model: Model,
    pub registry: Arc<Registry>,
    pub config: Config,
    /// Whether the CPU delegate runs after the configured delegates.
    pub has_default_delegate: bool,
    /// Whether a delegate of the program may claim nodes.
    pub has_own_delegates: bool,
    /// The program's ops.
    ops: Vec<RegisteredOp>,
}

impl Recipe {
    /// Builds an interpreter.
    ///
    /// # Errors
    /// If no kernel is registered for a builtin op of the model, or if the runtime cannot build the interpreter.
    pub(crate) fn build(&self) -> Result<Interpreter, String> {
        let builder =
            Interpreter::builder(&self.model).config(&self.config).registry(Arc::clone(&self.registry));
        let builder = if self.has_default_delegate { builder } else { builder.without_default_delegate() };
        let interpreter = builder.build().map_err(|error| error.to_string())?;
        let unresolved = interpreter.unresolved_ops().iter().find(|op| !op.custom);
        match unresolved {
            Some(op) => Err(format!("no kernel serves the builtin op {} of version {}", op.op, op.version)),
            None => Ok(interpreter),
        }
    }

    /// Creates the nodes of the program's ops, which calls `init` once for each.
    ///
    /// # Errors
    /// A message if the runtime cannot access a tensor, or `init` of an op fails.
    pub(crate) fn begin_nodes(&self, interpreter: &Interpreter, stage: &Stage) -> Result<(), String> {
        if self.ops.is_empty() {
            return Ok(());
        }
        for (s, subgraph) in self.model.view().subgraphs().iter().enumerate() {
            stage.with(s, |scene| scene.describe_built(interpreter, s)).map_err(|error| error.to_string())?;
            for (index, operator) in subgraph.operators().iter().enumerate() {
                stage.with(s, |scene| self.begin_node(scene, index, &operator))?;
            }
        }
        Ok(())
    }

    /// Creates the node at this position if its op is the program's.
    fn begin_node(&self, scene: &mut Scene, index: usize, operator: &Operator<'_>) -> Result<(), String> {
        let view = self.model.view();
        let Some(code) = view.operator_code(operator) else { return Ok(()) };
        let serves = |op: &&RegisteredOp| op.serves(code.builtin_code(), code.name(), code.version());
        let Some(op) = self.ops.iter().rev().find(serves) else { return Ok(()) };
        let list = |list: arenite::model_file::List<'_, i32>| list.iter().collect::<Vec<i32>>();
        let (inputs, outputs) = (list(operator.inputs()), list(operator.outputs()));
        let parameters = match &op.key {
            OpKey::Custom(_) => Parameters::None,
            OpKey::Builtin(code) => file_parameters(*code, operator).map_err(|error| error.to_string())?,
        };
        let parts = NodeContents {
            parameters,
            inputs: &inputs,
            outputs: &outputs,
            intermediates: &list(operator.intermediates()),
            custom_options: operator.custom_options(),
        };
        let node = Node::new(&parts, &op.functions.callbacks());
        if scene.begin(Key::new(index, &outputs), node) {
            return Ok(());
        }
        Err(format!("the init function of op {} failed for node {index}", op.key.name()))
    }

    /// The same recipe without delegates.
    pub(crate) fn without_delegates(&self) -> Recipe {
        let mut recipe = self.clone();
        recipe.config.delegates = vec![DelegateConfig::new(NO_DELEGATE)];
        recipe.has_own_delegates = false;
        recipe
    }
}

/// Combines options and environment into a recipe. With `selected`, only the program's ops are available.
///
/// # Errors
/// A message if the configuration cannot be read, an op is missing or cannot be registered, or a plugin fails to load.
pub(crate) fn recipe(
    model: &Model,
    options: &TfLiteInterpreterOptions,
    stage: &Arc<Stage>,
    selected: bool,
) -> Result<Recipe, String> {
    let is_closed = selected || !options.resolver.is_none();
    let ops = if options.resolver.is_none() { options.ops.clone() } else { options.resolver.find_all(model) };
    if is_closed {
        check_selected(model, &ops)?;
    }
    let mut config = match env::var_os(CONFIG) {
        Some(path) => Config::from_file(path).map_err(|error| format!("{CONFIG}: {error}"))?,
        None => Config::default(),
    };
    let threads = options.thread_count().max(delegate::threads(options));
    config.threads = config.threads.or(NonZeroUsize::new(threads));
    let mut registry = Registry::new();
    add_ops(&mut registry, &ops, stage).map_err(|error| error.to_string())?;
    let own = delegate::register(&mut registry, options, stage)?;
    let has_default_delegate = !is_closed;
    if has_default_delegate && config.delegates.is_empty() {
        config.delegates = vec![cpu()];
    }
    config.delegates.splice(0..0, own.iter().map(DelegateConfig::new));
    let found =
        arenite_builtin::register_builtins().iter().try_for_each(|plugin| registry.add_plugin(plugin));
    found.and_then(|()| registry.add_discovered(&config)).map_err(|error| error.to_string())?;
    let (model, registry, has_own_delegates) = (model.clone(), Arc::new(registry), !own.is_empty());
    Ok(Recipe { model, registry, config, has_default_delegate, has_own_delegates, ops })
}

/// The CPU delegate, the runtime's default. It is skipped in builds without it.
fn cpu() -> DelegateConfig {
    let mut delegate = DelegateConfig::new(DEFAULT_DELEGATE);
    delegate.on_missing = OnMissing::Skip;
    delegate
}

/// Registers `ops`. If several match a node, the one that was added last is used.
fn add_ops(registry: &mut Registry, ops: &[RegisteredOp], stage: &Arc<Stage>) -> Result<(), Error> {
    for (i, op) in ops.iter().enumerate() {
        let later: Vec<(i32, i32)> = ops[i + 1..]
            .iter()
            .filter(|other| other.key == op.key)
            .map(|other| (other.min_version, other.max_version))
            .collect();
        for (from, to) in left_over(op.min_version, op.max_version, &later) {
            let kernel = Kernel { stage: Arc::clone(stage), callbacks: op.functions.callbacks() };
            registry.add_op(op.key.clone(), from..=to, kernel)?;
        }
    }
    Ok(())
}

/// A builtin op's parameters from the model file.
fn file_parameters(code: i32, operator: &Operator<'_>) -> arenite::abi::Result<Parameters> {
    match operator.any_builtin_options() {
        Some(table) => builtin_data::parameters(code, Source::File(table.buffer, Some(table.position))),
        None => builtin_data::parameters(code, Source::File(&[], None)),
    }
}

/// The versions from `min` to `max` that are in no range of `taken`.
fn left_over(min: i32, max: i32, taken: &[(i32, i32)]) -> Vec<(i32, i32)> {
    let mut left = vec![(min, max)];
    for &(from, to) in taken {
        let parts = left.into_iter().flat_map(|(a, b)| {
            let below = (a, b.min(from.saturating_sub(1)));
            let above = (a.max(to.saturating_add(1)), b);
            let apart = to < a || b < from;
            if apart { vec![(a, b)] } else { vec![below, above] }
        });
        left = parts.filter(|(a, b)| a <= b).collect();
    }
    left
}

/// Checks that `ops` has every builtin op of the model. Missing custom ops are reported when memory is allocated.
fn check_selected(model: &Model, ops: &[RegisteredOp]) -> Result<(), String> {
    for code in model.view().operator_codes().iter() {
        let (number, version) = (code.builtin_code(), code.version());
        let is_served = ops.iter().any(|op| op.serves(number, code.name(), version));
        if number != crate::types::CUSTOM && !is_served {
            return Err(format!("the program has no op for builtin op {} of version {version}", code.name()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_ops_replace_earlier_ones() {
        type Ranges = &'static [(i32, i32)];
        let cases: [(Ranges, Ranges); 6] = [
            (&[], &[(2, 6)]),
            (&[(1, 9)], &[]),
            (&[(1, 3)], &[(4, 6)]),
            (&[(4, 4)], &[(2, 3), (5, 6)]),
            (&[(4, 4), (6, 8)], &[(2, 3), (5, 5)]),
            (&[(7, i32::MAX), (i32::MIN, 1)], &[(2, 6)]),
        ];
        for (taken, wanted) in cases {
            assert_eq!(left_over(2, 6, taken), wanted, "{taken:?}");
        }
    }
}
