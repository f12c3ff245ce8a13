//! Runs a graph on the reference ops or on a delegate.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arenite::config::DelegateConfig;
use arenite::{ElementType, Error, Interpreter, Model, NodeProvider, Quota, Registry, Status, Tensor};

use super::data::data;
use super::graph::{Feed, Graph, Setting, State};
use super::random::Random;

/// The contents of a tensor.
#[derive(Clone, Debug)]
pub struct Array {
    /// The element type.
    pub ty: ElementType,
    /// Its dimensions.
    pub shape: Vec<i32>,
    /// Its elements.
    pub bytes: Vec<u8>,
}

/// A failed call.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The call: build, resize, allocate, invoke.
    pub stage: &'static str,
    /// The kind of error.
    pub kind: String,
    /// The error message.
    pub text: String,
    /// The node of the main graph that failed, if it was one.
    pub node: Option<usize>,
}

/// The results of an invocation.
pub struct Answers {
    /// The outputs of the graph.
    pub outputs: Vec<Array>,
    /// All tensors; only on the reference ops.
    pub tensors: Vec<Option<Array>>,
    /// Whether variables were at their initial values, because an input was resized.
    pub restarted: bool,
}

/// The result of running a graph.
pub struct Run {
    /// The results of each invocation.
    pub steps: Vec<Result<Answers, Failure>>,
    /// For each node, whether the requested delegate ran it. (The CPU delegate runs nodes that others leave.)
    pub delegated: Vec<bool>,
}

impl Failure {
    /// Whether the failure is that a variable would change its size.
    pub fn is_of_size(&self) -> bool {
        self.kind == OTHER_SIZE
    }

    /// Whether the failure is that no op serves a node.
    pub fn is_unserved(&self) -> bool {
        [UNRESOLVED, UNSUPPORTED].contains(&&self.kind[..])
    }
}

/// The kinds of failure of an unserved node: no op has the version or the types, or the op that has them refuses the
/// options.
const UNRESOLVED: &str = "unresolved op";
const UNSUPPORTED: &str = "node Unsupported";

/// The kind of failure at a limit on memory or time.
pub const LIMIT: &str = "limit";

/// The kind of failure of an unrolled graph whose variable changes its size.
const OTHER_SIZE: &str = "variable";

/// Limits that no valid graph comes near.
const QUOTA: Quota = Quota {
    device_bytes: 64 << 20,
    bytes: 64 << 20,
    nodes: 1000,
    depth: 8,
    calls: 1000,
    time: Some(Duration::from_secs(5)),
};
/// Includes the time for which drivers compile programs.
const QUOTA_OF_GPU: Quota = Quota { time: Some(Duration::from_secs(50)), ..QUOTA };

/// Runs the graph on the delegate of the setting or, without a setting, on the reference ops. A panic is a separate
/// kind of failure.
pub fn run(graph: &Graph, setting: Option<&Setting>) -> Run {
    let mut run = Run { steps: Vec::new(), delegated: Vec::new() };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| steps(graph, setting, &mut run))) {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        let text = text.unwrap_or_default();
        run.steps.push(Err(Failure { stage: "run", kind: "panic".to_owned(), text, node: None }));
    }
    run
}

fn steps(graph: &Graph, setting: Option<&Setting>, run: &mut Run) {
    let mut interpreter = match build(graph, setting) {
        Ok(interpreter) => interpreter,
        Err(failure) => return run.steps.push(Err(failure)),
    };
    for step in 0..graph.invocations() {
        let before = run.steps.last().and_then(|step| step.as_ref().ok());
        let done = invoke(&mut interpreter, graph, step, setting.is_none(), before);
        let refused = done.is_err();
        run.steps.push(done);
        if step == 0 {
            let asked = setting.map(|setting| &setting.delegate);
            let is_asked = |served: &NodeProvider| matches!(served, NodeProvider::Delegate { name, .. } if Some(name) == asked);
            run.delegated = interpreter.served_by().iter().map(is_asked).collect();
        }
        if refused && step > 0 {
            break;
        }
    }
}

/// An interpreter of the graph.
pub(crate) fn build(graph: &Graph, setting: Option<&Setting>) -> Result<Interpreter, Failure> {
    let model = Model::from_bytes(graph.model.finish()).map_err(|e| failure("build", &e))?;
    let quota = if setting.is_some_and(Setting::is_of_gpu) { QUOTA_OF_GPU } else { QUOTA };
    let builder = Interpreter::builder(&model).registry(registry()).quota(quota);
    let builder = match setting {
        None => builder.without_default_delegate().threads(1).preserve_all(),
        Some(setting) => builder.delegate(delegate(setting)).threads(setting.threads),
    };
    builder.build().map_err(|e| failure("build", &e))
}

fn delegate(setting: &Setting) -> DelegateConfig {
    let mut delegate = DelegateConfig::new(&setting.delegate);
    if !setting.is_of_gpu() {
        delegate.options.push(("winograd".to_owned(), setting.winograd.to_string()));
        let isa = setting.isa.iter().map(|isa| ("isa".to_owned(), isa.clone()));
        delegate.options.extend(isa);
    }
    delegate
}

/// All linked-in plugins and the GPU delegates' plugins.
pub(crate) fn registry() -> Arc<Registry> {
    static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();
    let make = || {
        let mut registry = Registry::new();
        for plugin in crate::plugins().chain([&arenite_gpu::PLUGIN, &arenite_gpu::VULKAN]) {
            registry.add_plugin(plugin).expect("the plugins are well formed");
        }
        Arc::new(registry)
    };
    Arc::clone(REGISTRY.get_or_init(make))
}

fn failure(stage: &'static str, error: &Error) -> Failure {
    let kind = match error {
        Error::Node { status: Status::Panicked, .. } => "panic".to_owned(),
        // A limit that a called subgraph reached.
        Error::Node { status: Status::OutOfMemory, message, .. } if message.contains("in [quota]") => {
            LIMIT.to_owned()
        }
        Error::Node { status, .. } => format!("node {status:?}"),
        Error::Delegate { status, .. } => format!("delegate {status:?}"),
        Error::UnresolvedOps { .. } => UNRESOLVED.to_owned(),
        Error::Model(_) => "model".to_owned(),
        Error::Quota { .. } | Error::OutOfMemory { .. } => LIMIT.to_owned(),
        Error::Tensor { .. } => "tensor".to_owned(),
        Error::State(_) => "state".to_owned(),
        _ => "other".to_owned(),
    };
    let node = match error {
        Error::Node { subgraph: 0, node, .. } => Some(*node),
        _ => None,
    };
    Failure { stage, kind, text: error.to_string(), node }
}

/// Invocation `step`, 0 or 1; the second one uses the other shapes.
pub(crate) fn invoke(
    interpreter: &mut Interpreter,
    graph: &Graph,
    step: u64,
    reference: bool,
    before: Option<&Answers>,
) -> Result<Answers, Failure> {
    let inputs = &graph.model.subgraphs[0].inputs;
    let mut restarted = false;
    for (i, tensor) in inputs.iter().enumerate() {
        if step == 1
            && let Some(shape) = graph.resizes.get(tensor)
        {
            interpreter.resize_input(i, shape).map_err(|e| failure("resize", &e))?;
            restarted |= *shape != graph.model.subgraphs[0].tensors[*tensor as usize].shape;
        }
    }
    let before = before.filter(|_| !restarted);
    interpreter.allocate().map_err(|e| failure("allocate", &e))?;
    for (i, tensor) in inputs.iter().enumerate() {
        let input = interpreter.input_mut(i).map_err(|e| failure("invoke", &e))?;
        let (ty, count) =
            (input.tensor().ty, input.tensor().shape.iter().map(|&d| d.max(0) as usize).product());
        if let Some(state) = graph.states.iter().find(|state| state.before == *tensor) {
            let first = || vec![state.zero; ty.bytes_of(count).unwrap_or(0)];
            let bytes = before.map_or_else(first, |before| before.outputs[state.output].bytes.clone());
            input.copy_from_bytes(&bytes).map_err(|e| failure("invoke", &e))?;
            continue;
        }
        let feed = graph.feeds.get(tensor).unwrap_or(&Feed::Grid);
        // Each input is resized separately, so that an error keeps the others.
        let mut random = Random::new(graph.seed.rotate_left(32) ^ step << 16 ^ *tensor as u64);
        let bytes = data(feed, ty, count, &mut random);
        input.copy_from_bytes(&bytes).map_err(|e| failure("invoke", &e))?;
    }
    interpreter.invoke().map_err(|e| failure("invoke", &e))?;
    let outputs = (0..interpreter.output_count())
        .map(|i| interpreter.output(i).and_then(|tensor| array(&tensor)))
        .collect::<Result<Vec<Array>, Error>>()
        .map_err(|e| failure("read", &e))?;
    check_states(graph, &outputs)?;
    let count = if reference { interpreter.tensor_count() } else { 0 };
    let all = (0..count).map(|i| interpreter.tensor(i).and_then(|tensor| array(&tensor)).ok());
    Ok(Answers { outputs, tensors: all.collect(), restarted })
}

/// A variable that is read before it is written cannot change its size.
fn check_states(graph: &Graph, outputs: &[Array]) -> Result<(), Failure> {
    let tensors = &graph.model.subgraphs[0].tensors;
    let count = |shape: &[i32]| shape.iter().map(|&size| i64::from(size)).product::<i64>();
    let is_other =
        |state: &&State| count(&outputs[state.output].shape) != count(&tensors[state.before as usize].shape);
    match graph.states.iter().find(is_other) {
        Some(state) => {
            let text = format!("variable {} gets shape {:?}", state.before, outputs[state.output].shape);
            Err(Failure { stage: "allocate", kind: OTHER_SIZE.to_owned(), text, node: None })
        }
        None => Ok(()),
    }
}

fn array(tensor: &Tensor<'_>) -> Result<Array, Error> {
    Ok(Array { ty: tensor.ty, shape: tensor.shape.to_vec(), bytes: tensor.bytes()?.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_a_called_subgraph_reaches_is_a_limit() {
        let kind = |message: &str| {
            let error = Error::Node {
                op: "IF".to_owned(),
                subgraph: 0,
                node: 0,
                output: String::new(),
                status: Status::OutOfMemory,
                message: message.to_owned(),
            };
            failure("invoke", &error).kind
        };
        assert_eq!(kind("a tensor needs 2 bytes, the quota is 1; raise `bytes` in [quota]"), LIMIT);
        assert_eq!(kind("the op has no room for its table"), "node OutOfMemory");
    }
}
