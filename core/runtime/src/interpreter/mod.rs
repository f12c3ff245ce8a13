//! The interpreter: a model, ready to be run.

pub(crate) mod builder;
mod by_index;
mod inspect;
mod lending;
pub(crate) mod signature;
pub mod strings;
mod tensor;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Missing, Named, Result, UnresolvedOp};
use crate::graph::{BuildLimits, Graph};
use crate::interpreter::builder::InterpreterBuilder;
use crate::interpreter::signature::SignatureRunner;
use crate::model::Model;
use crate::observer::Observer;
use crate::plugins::registry::Registry;
use crate::profile::Profile;
use crate::quota::Budget;
use crate::resources::Resources;
use crate::run::{self, Run, Slot, Used};
use crate::stages::executor::{Executor, Settings};

pub use inspect::MemoryUse;
pub(crate) use tensor::Port;
pub use tensor::{Tensor, TensorMut};

/// A model, ready to be run: `build` → [`allocate`](Self::allocate) → fill inputs → [`invoke`](Self::invoke) → read
/// outputs.
///
/// ```no_run
/// # fn main() -> arenite::Result<()> {
/// let model = arenite::Model::from_file("model.tflite")?;
/// let mut interpreter = arenite::Interpreter::builder(&model).build()?;
/// interpreter.allocate()?;
/// interpreter.input_mut(0)?.copy_from_slice(&[0.0f32; 10])?;
/// interpreter.invoke()?;
/// let scores: &[f32] = interpreter.output(0)?.as_slice()?;
/// # let _ = scores; Ok(()) }
/// ```
///
/// It can be sent to another thread. Several interpreters may share one [`Model`] and run at the same time.
pub struct Interpreter {
    slots: Vec<Slot>,
    resources: RefCell<Resources>,
    cancelled: Arc<AtomicBool>,
    /// Time per step is collected.
    profiles: bool,
    observer: Option<RefCell<Observer>>,
    budget: Budget,
    device_budget: Budget,
    node_budget: Budget,
    settings: Settings,
    registry: Arc<Registry>,
    model: Model,
}

// SAFETY: what is not `Send` by itself are pointers into memory that the interpreter owns, and delegates' instances,
// which are `Send` by the contract; both move as a whole.
unsafe impl Send for Interpreter {}

/// Stops an invocation from another thread.
#[derive(Clone, Debug)]
pub struct CancelHandle {
    cancelled: Arc<AtomicBool>,
}

impl CancelHandle {
    /// Makes the invocation in progress end with [`Error::Cancelled`] at the next node, or inside a long one. Without
    /// one in progress it does nothing.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl Interpreter {
    /// Starts to make an interpreter of this model.
    pub fn builder(model: &Model) -> InterpreterBuilder {
        InterpreterBuilder::new(model)
    }

    /// Builds the main subgraph.
    pub(crate) fn new(model: Model, registry: Arc<Registry>, settings: Settings) -> Result<Self> {
        let count = model.view().subgraphs().len();
        let mut interpreter = Interpreter {
            slots: (0..count).map(|_| Slot::Unbuilt).collect(),
            resources: RefCell::default(),
            cancelled: Arc::new(AtomicBool::new(false)),
            profiles: false,
            observer: None,
            budget: Budget::new(settings.quota.bytes),
            device_budget: Budget::of_devices(settings.quota.device_bytes),
            node_budget: Budget::of_nodes(settings.quota.nodes),
            model,
            registry,
            settings,
        };
        interpreter.executor_mut(0)?;
        Ok(interpreter)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The plugins.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Applies delegates, prepares every node, plans memory and resets variables: after building, and after each
    /// resize to another shape; else it does nothing. What delegates compiled is kept where they run the same nodes. After
    /// [`lend`](Self::lend), [`take_back`](Self::take_back) or [`release_memory`](Self::release_memory) it places tensors, and no more.
    ///
    /// # Errors
    /// All ops that nobody serves; the first node that is refused; the quota.
    pub fn allocate(&mut self) -> Result<()> {
        self.allocate_subgraph(0)
    }

    /// Runs the main subgraph once.
    ///
    /// # Errors
    /// The first node that fails; [`Error::Cancelled`]; the quota of time. The interpreter stays usable.
    pub fn invoke(&mut self) -> Result<()> {
        self.invoke_subgraph(0)
    }

    /// Number of inputs.
    pub fn input_count(&self) -> usize {
        self.main().graph.inputs.len()
    }

    /// Number of outputs.
    pub fn output_count(&self) -> usize {
        self.main().graph.outputs.len()
    }

    /// Input `i`.
    pub fn input(&self, i: usize) -> Result<Tensor<'_>> {
        self.tensor_in(0, Port::Input, i)
    }

    /// Input `i`, to be filled.
    pub fn input_mut(&mut self, i: usize) -> Result<TensorMut<'_>> {
        self.tensor_in_mut(0, i)
    }

    /// Output `i`; its shape and data are those of the last invocation.
    pub fn output(&self, i: usize) -> Result<Tensor<'_>> {
        self.tensor_in(0, Port::Output, i)
    }

    /// Position of the input with this name.
    pub fn input_index(&self, name: &str) -> Result<usize> {
        self.named(Port::Input, name)
    }

    /// Position of the output with this name.
    pub fn output_index(&self, name: &str) -> Result<usize> {
        self.named(Port::Output, name)
    }

    /// Any tensor of the main subgraph, as [`tensor_of`](Self::tensor_of).
    pub fn tensor(&self, index: usize) -> Result<Tensor<'_>> {
        self.tensor_at(0, index)
    }

    /// Number of tensors of the main subgraph.
    pub fn tensor_count(&self) -> usize {
        self.main().graph.tensors.len()
    }

    /// Gives input `i` another shape. [`allocate`](Self::allocate) must follow.
    pub fn resize_input(&mut self, i: usize, shape: &[i32]) -> Result<()> {
        self.resize_in(0, i, shape)
    }

    /// Sets input `i`, a tensor of strings, to `strings`; its shape must have as many elements.
    pub fn set_input_strings(&mut self, i: usize, strings: &[&[u8]]) -> Result<()> {
        self.set_strings_in(0, i, strings)
    }

    /// Gives the variables of all subgraphs their first values: zero, which for i8 is the zero point. What ops keep between
    /// calls in states of their own begins anew too.
    pub fn reset_variables(&mut self) {
        for executor in self.slots.iter_mut().filter_map(Slot::executor_mut) {
            executor.reset_variables();
        }
    }

    /// What can stop an invocation from another thread.
    pub fn cancel_handle(&self) -> CancelHandle {
        CancelHandle { cancelled: Arc::clone(&self.cancelled) }
    }

    /// A runner for the signature with this key.
    pub fn signature(&mut self, key: &str) -> Result<SignatureRunner<'_>> {
        SignatureRunner::new(self, key)
    }

    /// Starts to collect time per node; earlier results are lost.
    pub fn start_profile(&mut self) {
        self.profiles = true;
        self.slots.iter_mut().filter_map(Slot::executor_mut).for_each(Executor::start_profile);
    }

    /// Time per node of the main subgraph since [`start_profile`](Self::start_profile).
    pub fn profile(&self) -> Option<&Profile> {
        self.profile_of(0)
    }

    /// As [`profile`](Self::profile), of a subgraph that nodes call; none if it did not run.
    pub fn profile_of(&self, subgraph: usize) -> Option<&Profile> {
        self.executor_of(subgraph)?.profile.as_ref()
    }
}

/// By subgraph.
impl Interpreter {
    /// As [`allocate`](Self::allocate), of a subgraph, which then runs by itself.
    pub fn allocate_subgraph(&mut self, subgraph: usize) -> Result<()> {
        let done = self.run(subgraph, |executor, run| {
            let done = executor.allocate(run).and_then(|()| run.take_released());
            run.forget_inferred();
            done
        });
        match done {
            Err(Error::UnresolvedOps { ops, .. }) => Err(self.all_unresolved(ops)),
            Err(_) if self.calls_unresolved(subgraph) => Err(self.all_unresolved(Vec::new())),
            done => done,
        }
        .map_err(|error| error.explained_by(|| self.missing()))
    }

    /// Whether a subgraph that was asked for by another has an op that nobody serves, and so cannot be ready.
    fn calls_unresolved(&self, caller: usize) -> bool {
        let executors = self.slots.iter().enumerate().filter(|&(i, _)| i != caller);
        let mut executors = executors.filter_map(|(_, slot)| slot.executor());
        executors.any(|executor| !executor.is_ready() && !executor.graph.unresolved.is_empty())
    }

    /// As [`invoke`](Self::invoke), of a subgraph that was allocated.
    pub fn invoke_subgraph(&mut self, subgraph: usize) -> Result<()> {
        if self.slots.get(subgraph).is_none_or(|slot| slot.executor().is_none()) {
            return Err(Error::State("the subgraph is not allocated: call allocate() first".into()));
        }
        let _span = tracing::debug_span!("invoke", subgraph).entered();
        match self.run(subgraph, |executor, run| executor.invoke(run)) {
            Ok(()) => Ok(()),
            Err(error) => Err(error.explained_by(|| self.missing())),
        }
    }

    /// Calls `f` with a subgraph's executor and all that it may use.
    fn run(&mut self, subgraph: usize, f: impl FnOnce(&mut Executor, &Run<'_>) -> Result<()>) -> Result<()> {
        self.cancelled.store(false, Ordering::Relaxed);
        let run = Run {
            settings: &self.settings,
            registry: &self.registry,
            resources: &self.resources,
            budget: &self.budget,
            device_budget: &self.device_budget,
            node_budget: &self.node_budget,
            profiles: self.profiles,
            observer: self.observer.as_ref(),
            model: &self.model,
            slots: Cell::from_mut(&mut self.slots[..]).as_slice_of_cells(),
            cancelled: &self.cancelled,
            used: Used::nothing(&self.settings.quota),
        };
        run.with(subgraph, |executor| f(executor, &run))
    }

    /// What is not there of plugins and delegates.
    fn missing(&self) -> Missing {
        let executors = self.slots.iter().filter_map(Slot::executor);
        self.registry.missing(executors.flat_map(|executor| executor.delegates().left_out()))
    }

    /// The error that lists, after those of `first`, what nobody serves in all other subgraphs too.
    fn all_unresolved(&mut self, first: Vec<UnresolvedOp>) -> Error {
        let mut all = first;
        for subgraph in 0..self.slots.len() {
            if let Ok(executor) = self.executor_mut(subgraph) {
                // A composite's ops are listed with its subgraph, wherever it stands.
                let known: BTreeSet<usize> = all.iter().map(|op| op.subgraph).collect();
                let unknown = executor.graph.unresolved.iter().filter(|op| !known.contains(&op.subgraph));
                all.extend(unknown.cloned());
            }
        }
        Error::unresolved(all)
    }

    pub(crate) fn resize_in(&mut self, subgraph: usize, i: usize, shape: &[i32]) -> Result<()> {
        let limit = self.settings.quota.bytes;
        let t = self.port(subgraph, Port::Input, i)?;
        self.executor_mut(subgraph)?.resize_input(t, shape, limit)
    }

    pub(crate) fn tensor_in(&self, subgraph: usize, port: Port, i: usize) -> Result<Tensor<'_>> {
        self.tensor_at(subgraph, self.port(subgraph, port, i)?)
    }

    pub(crate) fn tensor_in_mut(&mut self, subgraph: usize, i: usize) -> Result<TensorMut<'_>> {
        let t = self.port(subgraph, Port::Input, i)?;
        self.tensor_mut_of(subgraph, t)
    }

    pub(crate) fn set_strings_in(&mut self, subgraph: usize, i: usize, list: &[&[u8]]) -> Result<()> {
        let t = self.port(subgraph, Port::Input, i)?;
        self.executor_mut(subgraph)?.set_strings(t, list)
    }

    pub(crate) fn executor_mut(&mut self, subgraph: usize) -> Result<&mut Executor> {
        let known = self.slots.len();
        let unknown = || Error::not_found(Named::Subgraph, subgraph, 0..known);
        let slot = self.slots.get_mut(subgraph).ok_or_else(unknown)?;
        if let Slot::Unbuilt = slot {
            let (quota, budget, nodes) = (&self.settings.quota, &self.budget, &self.node_budget);
            let used = Used::nothing(quota);
            let check = || if used.is_over() { Err(quota.exceeded_time()) } else { Ok(()) };
            let limits = BuildLimits { quota, budget, nodes, check: &check };
            *slot = Slot::Idle(run::build(&self.model, &self.registry, subgraph, &limits)?);
        }
        slot.executor_mut().ok_or_else(|| Error::State("the subgraph is in use".into()))
    }

    pub(crate) fn port_tensors(&self, subgraph: usize, port: Port) -> &[i32] {
        match (self.slots.get(subgraph).and_then(Slot::executor), port) {
            (Some(executor), Port::Input) => &executor.graph.inputs,
            (Some(executor), Port::Output) => &executor.graph.outputs,
            _ => &[],
        }
    }

    fn main(&self) -> &Executor {
        match self.slots[0].executor() {
            Some(executor) => executor,
            // `build` makes it, and it is back in its place when a call has ended.
            None => unreachable!("subgraph 0 was built"),
        }
    }

    fn port(&self, subgraph: usize, port: Port, i: usize) -> Result<usize> {
        let tensors = self.port_tensors(subgraph, port);
        tensors.get(i).and_then(|&t| usize::try_from(t).ok()).ok_or_else(|| {
            Error::State(format!("there is no {} {i}; the model has {}", port.named(), tensors.len()))
        })
    }

    fn named(&self, port: Port, name: &str) -> Result<usize> {
        let main = self.main();
        let names: Vec<&str> =
            Graph::present(self.port_tensors(0, port)).map(|t| &*main.graph.tensors[t].name).collect();
        names.iter().position(|n| *n == name).ok_or_else(|| Error::not_found(port.named(), name, names))
    }

    fn tensor_at(&self, subgraph: usize, index: usize) -> Result<Tensor<'_>> {
        let Some(executor) = self.slots.get(subgraph).and_then(Slot::executor) else {
            return Err(Error::State(format!(
                "subgraph {subgraph} is not built: run the model, or call plan_subgraph({subgraph})"
            )));
        };
        let mut tensor = Tensor::of(&executor.graph, executor.memory(), index, executor.is_ready())?;
        if tensor.lacks_memory() {
            tensor.inside = executor.delegate_around(index);
        }
        Ok(tensor)
    }
}
