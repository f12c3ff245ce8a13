//! The interpreter: a model, ready to be run.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arenite_abi::raw::{ArTensorV1, TENSOR_CONSTANT};
use arenite_abi::{Element, ElementType};

use crate::builder::InterpreterBuilder;
use crate::error::{Error, LeftOut, Missing, Named, Result, UnresolvedOp};
use crate::executor::{Executor, SegmentPlan, Served, Settings};
use crate::graph::Graph;
use crate::model::Model;
use crate::profile::Profile;
use crate::quota::Budget;
use crate::registry::Registry;
use crate::resources::Resources;
use crate::run::{self, Lent, Run, Slot};
use crate::signature::SignatureRunner;

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
    /// Per subgraph, while profiling.
    profiles: Vec<Option<Profile>>,
    budget: Budget,
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

/// How much memory an interpreter holds, and what the plan says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Bytes of the arena for activations and scratch buffers.
    pub arena: u64,
    /// Bytes of states, tables, folded constants, variables and resources.
    pub persistent: u64,
    /// Bytes of tensors whose shape only the run tells.
    pub dynamic: u64,
    /// The largest sum of sizes that the arena must hold at one node.
    pub lower_bound: u64,
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
            profiles: Vec::new(),
            budget: Budget::new(settings.quota.bytes),
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

    /// Applies delegates, prepares every node, plans memory and resets variables. After building, and after each
    /// resize.
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

    /// Any tensor of the main subgraph. One that the plan has given to another tensor since has that one's data.
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
        self.profiles = self
            .slots
            .iter()
            .map(|slot| slot.executor().map(|e| Profile::new((0..e.step_count()).map(|i| e.step_name(i)))))
            .collect();
    }

    /// Time per node of the main subgraph since [`start_profile`](Self::start_profile).
    pub fn profile(&self) -> Option<&Profile> {
        self.profiles.first()?.as_ref()
    }

    /// Memory held by all subgraphs.
    pub fn memory_use(&self) -> MemoryUse {
        let mut sum = MemoryUse::default();
        for executor in self.slots.iter().filter_map(Slot::executor) {
            sum.arena += executor.arena_bytes();
            sum.persistent += executor.persistent_bytes();
            sum.dynamic += executor.dynamic_bytes();
            sum.lower_bound +=
                executor.report.plans.iter().map(|segment| segment.plan.lower_bound).max().unwrap_or(0);
        }
        sum.persistent += self.resources.borrow().bytes();
        sum
    }

    /// The memory of the main subgraph, by segment of the execution plan.
    pub fn memory_plan(&self) -> &[SegmentPlan] {
        &self.main().report.plans
    }

    /// Prepares subgraph `subgraph` and plans its memory, with the shapes that the model gives its inputs; nothing runs. What
    /// lies behind a node of dynamic shape is planned when the model runs.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate).
    pub fn plan_subgraph(&mut self, subgraph: usize) -> Result<&[SegmentPlan]> {
        self.executor_mut(subgraph)?;
        self.allocate_subgraph(subgraph)?;
        Ok(&self.executor_mut(subgraph)?.report.plans)
    }

    /// The ops and delegates of a subgraph in the order in which they run; none before it was allocated or planned.
    pub fn steps_of(&self, subgraph: usize) -> Vec<String> {
        self.executor_of(subgraph).map_or_else(Vec::new, Executor::step_names)
    }

    /// How many of its steps have a plan: those up to the first one of dynamic shape, until it has run.
    pub fn planned_steps(&self, subgraph: usize) -> Option<usize> {
        self.executor_of(subgraph)?.planned_steps()
    }

    /// The names of its tensors, those of composites included.
    pub fn tensor_names(&self, subgraph: usize) -> Vec<String> {
        let graph = self.executor_of(subgraph).map(|executor| &executor.graph);
        graph.map_or_else(Vec::new, |graph| graph.tensors.iter().map(|tensor| tensor.name.clone()).collect())
    }

    /// The tensors that a step reads, and those that it writes, each as often as it is named.
    pub fn step_tensors(&self, subgraph: usize, step: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        self.executor_of(subgraph)?.step_tensors(step)
    }

    /// Element type of a tensor, and its shape, unless only a run tells it.
    pub fn tensor_form(&self, subgraph: usize, tensor: usize) -> Option<(ElementType, Option<&[i32]>)> {
        self.executor_of(subgraph)?.tensor_form(tensor)
    }

    fn executor_of(&self, subgraph: usize) -> Option<&Executor> {
        self.slots.get(subgraph).and_then(Slot::executor)
    }

    /// The nodes that operator `operator` of the main subgraph became: one, those of the composite that it is, or none if another
    /// node does its work. Numbers of nodes count these.
    pub fn nodes_of(&self, operator: usize) -> Range<usize> {
        self.main().graph.operators.get(operator).cloned().unwrap_or(0..0)
    }

    /// Whether other nodes do an operator's work: those that a composite stands for, or one that was put in the place of several.
    pub fn is_inlined(&self, operator: usize) -> bool {
        let graph = &self.main().graph;
        self.nodes_of(operator).is_empty()
            || self.nodes_of(operator).any(|node| graph.nodes[node].origin != (graph.index, operator))
    }

    /// Per node of the main subgraph, who runs it.
    pub fn served_by(&self) -> &[Served] {
        &self.main().report.served_by
    }

    /// Ids of the plugins whose ops can run a node of the main subgraph, best first.
    pub fn candidates(&self, node: usize) -> Vec<&str> {
        let candidates = self.main().graph.nodes.get(node).map_or(&[][..], |node| &node.candidates);
        candidates.iter().filter_map(|candidate| self.registry.plugin_of(candidate.op)).collect()
    }

    /// Per node of the main subgraph, the delegates that refused it and their reasons.
    pub fn refusals(&self) -> &[Vec<(String, String)>] {
        &self.main().report.refusals
    }

    /// Delegates that were left out as a whole, and why.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.main().report.left_out
    }

    /// Ops of the main subgraph that no plugin serves.
    pub fn unresolved_ops(&self) -> &[UnresolvedOp] {
        &self.main().graph.unresolved
    }

    /// The shape that a tensor has in the interpreter now; it may differ from the model's.
    pub fn shape_of(&self, index: usize) -> Option<&[i32]> {
        (index < self.tensor_count()).then(|| self.main().shape(index))
    }

    // ── By subgraph ────────────────────────────────────────────────────────────────────────────────────────────────

    pub(crate) fn allocate_subgraph(&mut self, subgraph: usize) -> Result<()> {
        let mut nested = false;
        let done = self.run(subgraph, |executor, run, _| {
            let done = executor.allocate(run);
            run.forget_shown();
            nested = run.found_unresolved();
            done
        });
        match done {
            Err(Error::UnresolvedOps { ops, .. }) => Err(self.all_unresolved(ops)),
            Err(_) if nested => Err(self.all_unresolved(Vec::new())),
            done => done,
        }
        .map_err(|error| error.explained_by(|| self.missing()))
    }

    pub(crate) fn invoke_subgraph(&mut self, subgraph: usize) -> Result<()> {
        if self.slots.get(subgraph).is_none_or(|slot| slot.executor().is_none()) {
            return Err(Error::State("the subgraph is not allocated: call allocate() first".into()));
        }
        let _span = tracing::debug_span!("invoke", subgraph).entered();
        self.run(subgraph, |executor, run, profile| executor.invoke(run, profile))
            .map_err(|error| error.explained_by(|| self.missing()))
    }

    /// Calls `f` with a subgraph's executor and all that it may use.
    fn run(
        &mut self,
        subgraph: usize,
        f: impl FnOnce(&mut Executor, &Run<'_>, Option<&mut Profile>) -> Result<()>,
    ) -> Result<()> {
        self.cancelled.store(false, Ordering::Relaxed);
        let profile = self.profiles.get_mut(subgraph).and_then(Option::as_mut);
        let run = Run::new(Lent {
            settings: &self.settings,
            registry: &self.registry,
            resources: &self.resources,
            budget: self.budget.clone(),
            model: &self.model,
            slots: Cell::from_mut(&mut self.slots[..]).as_slice_of_cells(),
            cancelled: &self.cancelled,
        });
        run.with(subgraph, |executor| f(executor, &run, profile))
    }

    /// What is not there of plugins and delegates.
    fn missing(&self) -> Missing {
        let executors = self.slots.iter().filter_map(Slot::executor);
        self.registry.missing(executors.flat_map(|executor| &executor.report.left_out))
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
        let tensor = self.tensor_at(subgraph, t)?;
        if tensor.raw.flags & TENSOR_CONSTANT != 0 {
            let message = "it is constant, its value cannot be set".to_owned();
            return Err(Error::Tensor { name: tensor.name.to_owned(), message });
        }
        Ok(TensorMut { tensor })
    }

    pub(crate) fn set_strings_in(&mut self, subgraph: usize, i: usize, strings: &[&[u8]]) -> Result<()> {
        let t = self.port(subgraph, Port::Input, i)?;
        let executor = self.executor_mut(subgraph)?;
        let (info, shape) = (&executor.graph.tensors[t], executor.shape(t));
        let refuse = |message| Err(Error::Tensor { name: info.name.clone(), message });
        if info.ty != ElementType::String {
            return refuse(format!("it is {}, not STRING", info.ty));
        }
        let count = arenite_abi::tensor::element_count(shape);
        if count != strings.len() {
            return refuse(format!(
                "its shape {shape:?} has {count} elements, {} strings are given",
                strings.len()
            ));
        }
        match pack_strings(strings) {
            Some(bytes) => executor.set_input_bytes(t, &bytes),
            None => refuse("the strings have more than 2 GiB".into()),
        }
    }

    pub(crate) fn executor_mut(&mut self, subgraph: usize) -> Result<&mut Executor> {
        let known = self.slots.len();
        let unknown = || Error::not_found(Named::Subgraph, subgraph, 0..known);
        let slot = self.slots.get_mut(subgraph).ok_or_else(unknown)?;
        if let Slot::Unbuilt = slot {
            let (quota, budget) = (&self.settings.quota, &self.budget);
            *slot = Slot::Idle(run::build(&self.model, &self.registry, subgraph, quota, budget)?);
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
            Graph::present(self.port_tensors(0, port)).map(|t| main.graph.tensors[t].name.as_str()).collect();
        names.iter().position(|n| *n == name).ok_or_else(|| Error::not_found(port.named(), name, names))
    }

    fn tensor_at(&self, subgraph: usize, index: usize) -> Result<Tensor<'_>> {
        let Some(executor) = self.slots.get(subgraph).and_then(Slot::executor) else {
            return Err(Error::State("the subgraph is not built".into()));
        };
        let Some(info) = executor.graph.tensors.get(index) else {
            let count = executor.graph.tensors.len();
            return Err(Error::State(format!("there is no tensor {index}; the subgraph has {count}")));
        };
        Ok(Tensor {
            name: &info.name,
            ty: info.ty,
            shape: executor.shape(index),
            scales: info.quantization.as_ref().map_or(&[], |q| &q.scales),
            zero_points: info.quantization.as_ref().map_or(&[], |q| &q.zero_points),
            quantized_dimension: info.quantization.as_ref().map_or(0, |q| q.dimension as usize),
            shape_signature: &info.shape_signature,
            readable: executor.is_ready() || info.constant.is_some(),
            raw: executor.tensors().get(index),
        })
    }
}

/// Inputs or outputs.
#[derive(Clone, Copy)]
pub(crate) enum Port {
    Input,
    Output,
}

impl Port {
    pub fn named(self) -> Named {
        match self {
            Port::Input => Named::Input,
            Port::Output => Named::Output,
        }
    }
}

/// A tensor of an interpreter.
pub struct Tensor<'a> {
    /// Its name in the model.
    pub name: &'a str,
    /// Element type.
    pub ty: ElementType,
    /// Dimensions, outermost first.
    pub shape: &'a [i32],
    /// `real = scale × (q − zero_point)`: one scale per slice of `quantized_dimension`, or one; none if not quantized.
    pub scales: &'a [f32],
    /// See `scales`.
    pub zero_points: &'a [i64],
    /// See `scales`.
    pub quantized_dimension: usize,
    /// The shape with −1 for dimensions that the caller may choose; empty if the model does not say.
    pub shape_signature: &'a [i32],
    /// The interpreter is allocated, or the value is the model's own.
    readable: bool,
    raw: ArTensorV1,
}

impl<'a> Tensor<'a> {
    /// Bytes of data.
    pub fn byte_len(&self) -> usize {
        self.raw.bytes as usize
    }

    /// Whether its value is part of the model, or was computed once when memory was allocated.
    pub fn is_constant(&self) -> bool {
        self.raw.flags & TENSOR_CONSTANT != 0
    }

    /// The data as bytes.
    ///
    /// # Errors
    /// Before the interpreter is allocated, and for tensors without memory of their own.
    pub fn bytes(&self) -> Result<&'a [u8]> {
        self.check()?;
        // SAFETY: an allocated interpreter gives each of its tensors as many bytes as it says; they are initialised,
        // and borrowed from the interpreter for `'a`.
        Ok(unsafe { crate::step::list(self.raw.data.cast::<u8>().cast_const(), self.byte_len()) })
    }

    /// The data as elements.
    ///
    /// # Errors
    /// If `T` is not the tensor's type; as [`bytes`](Self::bytes).
    pub fn as_slice<T: Element>(&self) -> Result<&'a [T]> {
        self.check_type::<T>()?;
        let bytes = self.bytes()?;
        // SAFETY: memory of an interpreter is aligned for every element type, and any bit pattern is a `T`.
        Ok(unsafe { crate::step::list(bytes.as_ptr().cast::<T>(), bytes.len() / size_of::<T>()) })
    }

    /// The elements of a tensor of strings.
    ///
    /// # Errors
    /// If it has another type, or its bytes are no packed strings.
    pub fn strings(&self) -> Result<Vec<&'a [u8]>> {
        if self.ty != ElementType::String {
            return self.refuse(format!("it is {}, not STRING", self.ty));
        }
        match unpack_strings(self.bytes()?) {
            Some(strings) => Ok(strings),
            None => self.refuse("its bytes are no packed strings".into()),
        }
    }

    fn check(&self) -> Result<()> {
        if !self.readable {
            return Err(Error::State(format!(
                "tensor '{}' has no memory yet: call allocate() after building the interpreter and after each resize",
                self.name
            )));
        }
        if self.raw.data.is_null() && self.raw.bytes > 0 {
            return self.refuse("it has no memory; its shape becomes known when the model has run".into());
        }
        Ok(())
    }

    fn check_type<T: Element>(&self) -> Result<()> {
        if T::TYPE != self.ty {
            return self.refuse(format!("it is {}, not {}", self.ty, T::TYPE));
        }
        Ok(())
    }

    fn refuse<T>(&self, message: String) -> Result<T> {
        Err(Error::Tensor { name: self.name.to_owned(), message })
    }
}

/// An input of an interpreter, to be filled.
pub struct TensorMut<'a> {
    tensor: Tensor<'a>,
}

impl<'a> TensorMut<'a> {
    /// Its description.
    pub fn tensor(&self) -> &Tensor<'a> {
        &self.tensor
    }

    /// The data as bytes.
    pub fn into_bytes(self) -> Result<&'a mut [u8]> {
        if self.tensor.ty == ElementType::String {
            return self.tensor.refuse("it is STRING: set it with set_input_strings".into());
        }
        let bytes = self.tensor.bytes()?.len();
        if bytes == 0 {
            return Ok(&mut []);
        }
        // SAFETY: as in `Tensor::bytes`; the interpreter is borrowed mutably for `'a`, and the tensor is not constant.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.tensor.raw.data.cast::<u8>(), bytes) })
    }

    /// The data as elements.
    pub fn into_slice<T: Element>(self) -> Result<&'a mut [T]> {
        self.tensor.check_type::<T>()?;
        let bytes = self.into_bytes()?;
        if bytes.is_empty() {
            return Ok(&mut []);
        }
        // SAFETY: as in `Tensor::as_slice`.
        Ok(unsafe {
            std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast::<T>(), bytes.len() / size_of::<T>())
        })
    }

    /// Copies `data` in. An error if type or length differ.
    pub fn copy_from_slice<T: Element>(self, data: &[T]) -> Result<()> {
        let name = self.tensor.name;
        let target = self.into_slice::<T>()?;
        if target.len() != data.len() {
            let message = format!("it has {} elements, {} are given", target.len(), data.len());
            return Err(Error::Tensor { name: name.to_owned(), message });
        }
        target.copy_from_slice(data);
        Ok(())
    }

    /// Copies `bytes` in. An error if the length differs.
    pub fn copy_from_bytes(self, bytes: &[u8]) -> Result<()> {
        let name = self.tensor.name;
        let target = self.into_bytes()?;
        if target.len() != bytes.len() {
            let message = format!("it has {} bytes, {} are given", target.len(), bytes.len());
            return Err(Error::Tensor { name: name.to_owned(), message });
        }
        target.copy_from_slice(bytes);
        Ok(())
    }
}

/// TFLite's packed strings: i32 count, count + 1 i32 offsets from the start, bytes.
fn pack_strings(strings: &[&[u8]]) -> Option<Vec<u8>> {
    let header = 4 * (strings.len().checked_add(2)?);
    let mut offset = i32::try_from(header).ok()?;
    let mut bytes = Vec::with_capacity(header);
    bytes.extend(i32::try_from(strings.len()).ok()?.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    for string in strings {
        offset = offset.checked_add(i32::try_from(string.len()).ok()?)?;
        bytes.extend(offset.to_le_bytes());
    }
    strings.iter().for_each(|string| bytes.extend_from_slice(string));
    Some(bytes)
}

fn unpack_strings(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    if bytes.is_empty() {
        return Some(Vec::new());
    }
    let word = |i: usize| {
        let word = bytes.get(4 * i..4 * i + 4)?;
        usize::try_from(i32::from_le_bytes(word.try_into().ok()?)).ok()
    };
    let count = word(0)?;
    if count > bytes.len() / 4 {
        return None;
    }
    (0..count).map(|i| bytes.get(word(i + 1)?..word(i + 2)?)).collect()
}
