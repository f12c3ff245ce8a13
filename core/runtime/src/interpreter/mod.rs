//! The interpreter: a model, ready to run.

pub(crate) mod builder;
mod by_index;
mod device_memory;
mod inspect;
mod lending;
mod limits;
pub(crate) mod signature;
mod slots;
pub mod strings;
mod tensor;
mod tying;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::call::run::Run;
use crate::call::settings::Settings;
use crate::call::usage::Usage;
use crate::error::{Error, ItemKind, MissingPlugins, Result, UnresolvedOp};
use crate::graph::{BuildLimits, Graph};
use crate::model::Model;
use crate::observer::Observer;
use crate::plugins::registry::Registry;
use crate::profile::Profile;
use crate::quota::Budget;
use crate::resources::Resources;
use crate::stages::{executor::Executor, lent::Ties};

pub use device_memory::DeviceMemory;
pub use inspect::MemoryUse;
use slots::{Slot, Slots};
pub(crate) use tensor::Port;
pub use tensor::{Tensor, TensorMut};

/// A model, ready to run: `build` → [`allocate`](Self::allocate) → set inputs → [`invoke`](Self::invoke) → read
/// outputs.
///
/// ```no_run
/// # use arenite_runtime as arenite;
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
/// It can be sent to another thread. Several interpreters can share one [`Model`] and run at the same time.
pub struct Interpreter {
    slots: Vec<Slot>,
    tied: Ties,
    resources: RefCell<Resources>,
    cancelled: Arc<AtomicBool>,
    /// Whether time per step is collected.
    profiles: bool,
    observer: Option<RefCell<Observer>>,
    budget: Budget,
    device_budget: Budget,
    node_budget: Budget,
    settings: Settings,
    registry: Arc<Registry>,
    model: Model,
}

// SAFETY: the fields that are not `Send` are pointers into memory that the interpreter owns, which moves with it, and
// delegate instances, which the plugin contract requires to be `Send`.
unsafe impl Send for Interpreter {}

/// Stops an invocation from another thread.
#[derive(Clone, Debug)]
pub struct CancelHandle {
    cancelled: Arc<AtomicBool>,
}

impl CancelHandle {
    /// Makes the current invocation end with [`Error::Cancelled`], at the next node or inside a long one. Has no
    /// effect if nothing is running.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl Interpreter {
    /// Builds the main subgraph.
    pub(crate) fn new(model: Model, registry: Arc<Registry>, settings: Settings) -> Result<Self> {
        let count = model.view().subgraphs().len();
        let mut interpreter = Interpreter {
            slots: (0..count).map(|_| Slot::Unbuilt).collect(),
            tied: Ties::default(),
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

    /// The registry of plugins, which other interpreters can share.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Applies delegates, prepares every node, plans memory and resets variables. Must be called after building and
    /// after each resize to another shape; otherwise it does nothing. Compiled partitions are kept if they run the same
    /// nodes. After [`lend`](Self::lend), [`take_back`](Self::take_back) or [`release_memory`](Self::release_memory) it
    /// only places tensors.
    ///
    /// # Errors
    /// All ops that no plugin serves; the first node that its op rejects; the quota.
    pub fn allocate(&mut self) -> Result<()> {
        self.allocate_subgraph(0)
    }

    /// Runs the main subgraph once.
    ///
    /// # Errors
    /// The first node that fails; [`Error::Cancelled`]; the time limit. The interpreter stays usable.
    pub fn invoke(&mut self) -> Result<()> {
        self.invoke_subgraph(0)
    }

    /// The number of inputs.
    pub fn input_count(&self) -> usize {
        self.main().graph.inputs.len()
    }

    /// The number of outputs.
    pub fn output_count(&self) -> usize {
        self.main().graph.outputs.len()
    }

    /// Input `i`.
    ///
    /// # Errors
    /// `i` is out of range, or the input is absent.
    pub fn input(&self, i: usize) -> Result<Tensor<'_>> {
        self.tensor_in(0, Port::Input, i)
    }

    /// Input `i`, for writing.
    ///
    /// # Errors
    /// `i` is out of range, or the input is absent or constant.
    pub fn input_mut(&mut self, i: usize) -> Result<TensorMut<'_>> {
        self.tensor_in_mut(0, i)
    }

    /// Output `i`, with the shape and data of the last invocation.
    ///
    /// # Errors
    /// `i` is out of range, or the output is absent.
    pub fn output(&self, i: usize) -> Result<Tensor<'_>> {
        self.tensor_in(0, Port::Output, i)
    }

    /// The position of the input with this name.
    ///
    /// # Errors
    /// No input has the name; the error lists the inputs' names.
    pub fn input_index(&self, name: &str) -> Result<usize> {
        self.named(Port::Input, name)
    }

    /// The position of the output with this name.
    ///
    /// # Errors
    /// No output has the name; the error lists the outputs' names.
    pub fn output_index(&self, name: &str) -> Result<usize> {
        self.named(Port::Output, name)
    }

    /// The number of tensors of the main subgraph.
    pub fn tensor_count(&self) -> usize {
        self.main().graph.tensors.len()
    }

    /// Sets the shape of input `i`. [`allocate`](Self::allocate) must follow.
    ///
    /// # Errors
    /// `i` is out of range, or the shape is invalid or larger than the quota.
    pub fn resize_input(&mut self, i: usize, shape: &[i32]) -> Result<()> {
        self.resize_in(0, i, shape)
    }

    /// Sets input `i`, a tensor of strings. Its shape must have as many elements as `strings`.
    ///
    /// # Errors
    /// `i` is out of range, or the input is not of strings, or has another number of elements.
    pub fn set_input_strings(&mut self, i: usize, strings: &[&[u8]]) -> Result<()> {
        self.set_strings_in(0, i, strings)
    }

    /// Resets the variables of all subgraphs to zero, which for i8 is the zero point, and the internal states of ops.
    pub fn reset_variables(&mut self) {
        for executor in self.slots.iter_mut().filter_map(Slot::executor_mut) {
            executor.reset_variables();
        }
    }

    /// A handle that stops an invocation from another thread.
    pub fn cancel_handle(&self) -> CancelHandle {
        CancelHandle { cancelled: Arc::clone(&self.cancelled) }
    }

    /// Starts to collect time per node, and drops earlier results.
    pub fn start_profile(&mut self) {
        self.profiles = true;
        self.slots.iter_mut().filter_map(Slot::executor_mut).for_each(Executor::start_profile);
    }

    /// The time per node of the main subgraph since [`start_profile`](Self::start_profile).
    pub fn profile(&self) -> Option<&Profile> {
        self.profile_of(0)
    }

    /// The time per node of a called subgraph, see [`profile`](Self::profile); `None` if it did not run.
    pub fn profile_of(&self, subgraph: usize) -> Option<&Profile> {
        self.executor_of(subgraph)?.profile.as_ref()
    }
}

/// Access by subgraph.
impl Interpreter {
    /// As [`allocate`](Self::allocate), for a subgraph that is run directly instead of from a node.
    ///
    /// # Errors
    /// The index is out of range; also the errors of [`allocate`](Self::allocate).
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

    /// Whether another subgraph, which this one calls, cannot be prepared because no plugin serves one of its ops.
    fn calls_unresolved(&self, caller: usize) -> bool {
        let executors = self.slots.iter().enumerate().filter(|&(i, _)| i != caller);
        let mut executors = executors.filter_map(|(_, slot)| slot.executor());
        executors.any(|executor| !executor.is_ready() && !executor.graph.unresolved.is_empty())
    }

    /// As [`invoke`](Self::invoke), for a subgraph that was allocated.
    ///
    /// # Errors
    /// The subgraph is not allocated; also the errors of [`invoke`](Self::invoke).
    pub fn invoke_subgraph(&mut self, subgraph: usize) -> Result<()> {
        if self.slots.get(subgraph).is_none_or(|slot| slot.executor().is_none()) {
            return Err(Error::State("the subgraph is not allocated: call allocate() first".into()));
        }
        let _span = crate::spans::of_invocation(subgraph);
        match self.run(subgraph, |executor, run| executor.invoke(run)) {
            Ok(()) => Ok(()),
            Err(error) => Err(error.explained_by(|| self.missing())),
        }
    }

    /// Calls `f` with a subgraph's executor and a new [`Run`].
    fn run(&mut self, subgraph: usize, f: impl FnOnce(&mut Executor, &Run<'_>) -> Result<()>) -> Result<()> {
        self.cancelled.store(false, Ordering::Relaxed);
        let slots = Slots(Cell::from_mut(&mut self.slots[..]).as_slice_of_cells());
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
            callees: &slots,
            cancelled: &self.cancelled,
            usage: Usage::new(&self.settings.quota),
        };
        slots.with(subgraph, &run, |executor| f(executor, &run))
    }

    /// Plugins and delegates that are missing.
    fn missing(&self) -> MissingPlugins {
        let executors = self.slots.iter().filter_map(Slot::executor);
        self.registry.missing(executors.flat_map(|executor| executor.delegates().left_out()))
    }

    /// An error that lists the unserved ops of all subgraphs, beginning with `first`.
    fn all_unresolved(&mut self, first: Vec<UnresolvedOp>) -> Error {
        let mut all = first;
        for subgraph in 0..self.slots.len() {
            if let Ok(executor) = self.executor_mut(subgraph) {
                // The ops of a composite are listed with its own subgraph, wherever it is used.
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
        let unknown = || Error::not_found(ItemKind::Subgraph, subgraph, 0..known);
        let slot = self.slots.get_mut(subgraph).ok_or_else(unknown)?;
        if let Slot::Unbuilt = slot {
            let (quota, budget, nodes) = (&self.settings.quota, &self.budget, &self.node_budget);
            let usage = Usage::new(quota);
            let check = || if usage.is_out_of_time() { Err(quota.exceeded_time()) } else { Ok(()) };
            let limits = BuildLimits { quota, budget, nodes, check: &check };
            *slot = Slot::Idle(slots::build(&self.model, &self.registry, subgraph, &limits)?);
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
            // `build` creates it, and each call puts it back.
            None => unreachable!("subgraph 0 was built"),
        }
    }

    fn port(&self, subgraph: usize, port: Port, i: usize) -> Result<usize> {
        let tensors = self.port_tensors(subgraph, port);
        tensors.get(i).and_then(|&t| usize::try_from(t).ok()).ok_or_else(|| {
            Error::State(format!("{} {i} does not exist; the model has {}", port.named(), tensors.len()))
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
        let mut tensor = Tensor::of(&executor.graph, &executor.memory().table, index, executor.is_ready())?;
        if tensor.lacks_memory() {
            tensor.inside = executor.delegate_around(index);
        }
        tensor.bound = executor.memory().bound.contains_key(&index);
        Ok(tensor)
    }
}
