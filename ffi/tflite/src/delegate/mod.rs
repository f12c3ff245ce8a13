//! Runs delegates of the program, a `TfLiteDelegate` or an opaque one created from a builder, as delegates of the
//! runtime.
//!
//! ```text
//! runtime ─► claim ─► graph: the delegate's Prepare inspects the nodes and requests some. Each partition gets a node
//!                     with TfLiteDelegateParams, and the kernel's init is called ─► accepted
//!         ─► compile ─► finds the node of the partition
//!         ─► prepare, invoke ─► like an op that the program registered
//! ```
//!
//! Such a delegate is native code with access to the whole process, like the rest of the program.

pub(crate) mod callbacks;
pub(crate) mod graph;
mod node;
mod partitions;
pub(crate) mod passive;
pub(crate) mod types;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arenite::Registry;
use arenite::abi::{
    Claims, Delegate, DelegateKernel, EvalContext, GraphView, OptionPairs, PartitionView, PrepareContext,
    Result, ensure, invalid, unsupported,
};

use crate::handles::BufferHandle;
use crate::kernel::node::Key;
use crate::kernel::scene::{Io, Scene};
use crate::kernel::{Prepared, Stage, answer};
use crate::options::TfLiteInterpreterOptions;
use crate::types::*;
use partitions::{Part, Requested};
use types::Params;
pub(crate) use types::TfLiteDelegate;

/// The runtime's name for a delegate of the program is this prefix and a number.
const NAME: &str = "program-";

/// The error for a delegate that is a null pointer.
const NULL: &str = "the delegate is null";

/// Registers the delegates in `options` that may claim nodes, and returns their names in the runtime.
///
/// # Errors
/// A message if a delegate is null, or if the registry rejects one.
pub(crate) fn register(
    registry: &mut Registry,
    options: &TfLiteInterpreterOptions,
    stage: &Arc<Stage>,
) -> std::result::Result<Vec<String>, String> {
    let mut names = Vec::new();
    for &delegate in &options.delegates {
        if delegate.is_null() {
            return Err(NULL.into());
        }
        if !passive::options_of(delegate.cast()).is_null() {
            continue;
        }
        let name = format!("{NAME}{}", names.len());
        let (handle, stage) = (Handle(delegate.cast()), Arc::clone(stage));
        let create = move |_: &OptionPairs<'_>| {
            Ok(Foreign { handle, last: LastShown::default(), stage: Arc::clone(&stage) })
        };
        registry.add_delegate(&name, create).map_err(|error| error.to_string())?;
        names.push(name);
    }
    Ok(names)
}

/// The largest number of threads that a delegate of XNNPACK in `options` asks for; 0 without one.
pub(crate) fn threads(options: &TfLiteInterpreterOptions) -> usize {
    let threads = options.delegates.iter().map(|&delegate| {
        // SAFETY: the options are null or those of a delegate that outlives its interpreters, as
        // `TfLiteInterpreterOptionsAddDelegate` requires.
        let options = unsafe { passive::options_of(delegate.cast()).as_ref() };
        options.and_then(|options| usize::try_from(options.num_threads).ok()).unwrap_or(0)
    });
    threads.max().unwrap_or(0)
}

/// The reason for which the runtime could not use a delegate of the program, if there is one.
pub(crate) fn left_out(interpreter: &arenite::Interpreter) -> Option<String> {
    let own = interpreter.left_out().into_iter().find(|left| left.delegate.starts_with(NAME));
    own.map(|left| left.reason)
}

/// A pointer to a delegate of the program.
#[derive(Clone, Copy)]
struct Handle(*mut TfLiteDelegate);

// SAFETY: `TfLiteInterpreterOptionsAddDelegate` requires that the delegate outlives its interpreters, and TensorFlow
// Lite's interface that it is used on one thread at a time.
unsafe impl Send for Handle {}
// SAFETY: see `Send`.
unsafe impl Sync for Handle {}

/// A graph on which a delegate's `Prepare` ran. `scene.graph` has the delegate's requests.
struct ShownGraph {
    scene: Box<Scene>,
}

/// The graph that was shown last. Kernels of earlier graphs hold a reference to theirs.
type LastShown = Arc<Mutex<Option<Arc<Mutex<ShownGraph>>>>>;

/// A delegate of the program.
struct Foreign {
    handle: Handle,
    /// A partition to compile is part of this graph.
    last: LastShown,
    stage: Arc<Stage>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Delegate for Foreign {
    const NAME: &'static str = "program";
    type Kernel = ForeignKernel;

    fn create(_: &OptionPairs<'_>) -> Result<Self> {
        Err(unsupported!("only interpreter options can create this delegate"))
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        let Some(subgraph) = graph.nodes().next().map(|node| node.subgraph()) else { return Ok(()) };
        let mut scene = self.stage.scene(subgraph);
        let mut partitioner = |rounds: &[u32]| -> Result<Vec<Part>> {
            Ok(claims.partitions(rounds)?.map(|partition| Part::of(&partition)).collect())
        };
        // SAFETY: `TfLiteInterpreterOptionsAddDelegate` requires that the delegate outlives its interpreters.
        let status = unsafe { graph::ask(&mut scene, graph, self.handle.0, &mut partitioner) }?;
        answer(status, "Prepare")?;
        let rounds = scene.graph.as_ref().map_or(Vec::new(), |graph| graph.rounds.clone());
        for (node, &round) in rounds.iter().enumerate() {
            if round == graph::REFUSED {
                claims.refuse(node, "the delegate did not request it");
            } else {
                claims.accept_in(node, round)?;
            }
        }
        *lock(&self.last) = Some(Arc::new(Mutex::new(ShownGraph { scene })));
        Ok(())
    }

    fn compile(&self, partition: &PartitionView<'_>) -> Result<ForeignKernel> {
        let place = lock(&self.last).clone().ok_or_else(|| invalid!("no graph was shown to the delegate"))?;
        let mut shown = lock(&place);
        let scene = &mut shown.scene;
        let same = scene.model_tensors() == partition.graph().tensor_count();
        ensure!(same, "the partition belongs to another graph than the last one shown to the delegate");
        let Requested { key, params, kernel, .. } = self.requested(scene, partition)?;
        check_init(scene, key)?;
        drop(shown);
        let subgraph = partition.nodes().next().map_or(0, |node| node.subgraph());
        let nodes: Vec<Key> = partition.nodes().map(|node| Key::of(&node)).collect();
        self.stage.handles.count(self.handle.0, subgraph, &nodes, true);
        let (stage, handle, params) = (Arc::clone(&self.stage), self.handle, SendParams(params));
        let runs = Runs { stage, handle, subgraph, nodes };
        let last = Arc::clone(&self.last);
        Ok(ForeignKernel { place, last, key, kernel, _params: params, prepared: None, runs })
    }
}

impl Foreign {
    /// Takes the node that `Prepare` created for a partition. Creates another one if it was used, or if the host formed
    /// another partition than it had answered.
    fn requested(&self, scene: &mut Scene, partition: &PartitionView<'_>) -> Result<Requested> {
        let part = Part::of(partition);
        let graph = scene.graph.as_mut().ok_or_else(|| invalid!("the delegate requested no nodes"))?;
        if let Some(at) = graph.requested.iter().position(|requested| requested.part == part) {
            return Ok(graph.requested.remove(at));
        }
        let first = part.nodes.first().and_then(|&node| graph.rounds.get(node as usize));
        let kernel = first.and_then(|&round| graph.kernels.get(round as usize)).cloned();
        let kernel = kernel.ok_or_else(|| invalid!("the delegate did not request this partition"))?;
        describe(scene, partition)?;
        let (requested, node) = Requested::new(self.handle.0, part, &kernel);
        graph::looking(scene, |scene| scene.begin(requested.key, node));
        Ok(requested)
    }
}

/// Checks the result of a node's `init`.
///
/// # Errors
/// It failed.
fn check_init(scene: &mut Scene, key: Key) -> Result<()> {
    let node = scene.known(key)?;
    // SAFETY: the node belongs to this scene, and its kernel is not running.
    ensure!(!unsafe { (*node).init_failed() }, "the init function of the delegate's kernel failed");
    Ok(())
}

/// Fills in the tensors that a partition reads and writes.
fn describe(scene: &mut Scene, partition: &PartitionView<'_>) -> Result<()> {
    let graph = partition.graph();
    let io = Io { inputs: partition.inputs(), outputs: partition.outputs() };
    scene.describe(io, &|index| match usize::try_from(index) {
        Ok(index) => graph.tensor(index).map(Some),
        Err(_) => Ok(None),
    })
}

/// The struct that a kernel's `builtin_data` points to.
struct SendParams(#[expect(dead_code, reason = "the kernel has its address")] Params);

// SAFETY: the struct owns its arrays. The other members belong to the program, which makes them usable from any thread
// that uses the delegate.
unsafe impl Send for SendParams {}

/// A partition that a delegate of the program runs.
struct ForeignKernel {
    place: Arc<Mutex<ShownGraph>>,
    last: LastShown,
    key: Key,
    kernel: crate::kernel::Callbacks,
    _params: SendParams,
    prepared: Option<Prepared>,
    runs: Runs,
}

/// The nodes that a kernel runs, as long as it exists.
struct Runs {
    stage: Arc<Stage>,
    handle: Handle,
    subgraph: usize,
    nodes: Vec<Key>,
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.stage.handles.count(self.handle.0, self.subgraph, &self.nodes, false);
    }
}

impl Runs {
    /// Shows the kernel the buffer handles of its tensors.
    fn show_handles(&self, scene: &mut Scene, io: Io<'_>) -> Result<()> {
        if self.stage.handles.is_used() {
            for &index in io.inputs.iter().chain(io.outputs).filter(|&&index| index >= 0) {
                self.stage.handles.get((self.subgraph, index as usize)).write(scene.entry(index)?);
            }
        }
        Ok(())
    }

    /// Records the buffer handles that the kernel wrote, and copies values that others read to host memory.
    fn take_handles(&self, scene: &mut Scene, io: Io<'_>) -> Result<()> {
        let handles = &self.stage.handles;
        for &index in io.outputs.iter().filter(|&&index| index >= 0) {
            let tensor = (self.subgraph, index as usize);
            let written = BufferHandle::of(scene.entry(index)?);
            if written.is_stale && handles.is_read_elsewhere(&self.stage.model, tensor, written.delegate) {
                let context = scene.shown_context();
                let entry: *mut TfLiteTensor = scene.entry(index)?;
                // SAFETY: the context is this scene's own, `before_eval` gave the tensor its data, and a delegate
                // outlives its interpreters.
                unsafe { crate::handles::make_readable(context, entry) }.map_err(|why| invalid!("{why}"))?;
            }
            handles.set(tensor, BufferHandle::of(scene.entry(index)?));
        }
        Ok(())
    }
}

impl ForeignKernel {
    /// If `Prepare` ran again since this kernel was compiled, and requested the same partition, takes the node that it
    /// created for it.
    fn renew(&mut self, partition: &PartitionView<'_>) -> Result<()> {
        let Some(last) = lock(&self.last).clone().filter(|last| !Arc::ptr_eq(last, &self.place)) else {
            return Ok(());
        };
        let part = Part::of(partition);
        let mut shown = lock(&last);
        let Some(graph) = shown.scene.graph.as_mut() else { return Ok(()) };
        let Some(at) = graph.requested.iter().position(|requested| requested.part == part) else {
            return Ok(());
        };
        let Requested { key, params, kernel, .. } = graph.requested.remove(at);
        drop(shown);
        lock(&self.place).scene.end(self.key);
        (self.key, self.kernel, self._params) = (key, kernel, SendParams(params));
        self.place = last;
        check_init(&mut lock(&self.place).scene, key)
    }
}

impl DelegateKernel for ForeignKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        self.renew(partition)?;
        let mut place = lock(&self.place);
        let scene = &mut place.scene;
        describe(scene, partition)?;
        let node = scene.known(self.key)?;
        let status = scene.run(node, |context, node| {
            // SAFETY: context and node belong to this scene, and `describe` has filled in the tensors of this
            // partition.
            unsafe { self.kernel.prepare(context, node) }
        });
        answer(status, "prepare")?;
        let io = Io { inputs: partition.inputs(), outputs: partition.outputs() };
        self.prepared = Some(scene.after_prepare(node, io, cx)?);
        Ok(())
    }

    fn invoke(&mut self, partition: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut place = lock(&self.place);
        let prepared = self.prepared.as_ref().ok_or_else(|| invalid!("the partition was not prepared"))?;
        let scene = &mut place.scene;
        let io = Io { inputs: partition.inputs(), outputs: partition.outputs() };
        let node = scene.before_eval(self.key, io, prepared, cx)?;
        self.runs.show_handles(scene, io)?;
        let status = scene.run(node, |context, node| {
            // SAFETY: context and node belong to this scene, `before_eval` has filled in their tensors, and `prepare`
            // has succeeded.
            unsafe { self.kernel.invoke(context, node) }
        });
        answer(status, "invoke")?;
        self.runs.take_handles(scene, io)?;
        scene.after_eval(io, prepared, cx)
    }
}

impl Drop for ForeignKernel {
    fn drop(&mut self) {
        lock(&self.place).scene.end(self.key);
    }
}
