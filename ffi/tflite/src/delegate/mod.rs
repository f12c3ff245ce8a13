//! Runs delegates of the program, a `TfLiteDelegate` or an opaque one created from a builder, as delegates of the
//! runtime.
//!
//! ```text
//! runtime ─► claim ─► graph: the delegate's Prepare inspects the nodes and asks for some ─► accepted
//!         ─► compile ─► a node with TfLiteDelegateParams; calls the kernel's init
//!         ─► prepare, invoke ─► like an op that the program registered
//! ```
//!
//! Such a delegate is native code with access to the whole process, like the rest of the program.

pub(crate) mod graph;
pub(crate) mod passive;
mod types;

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arenite::Registry;
use arenite::abi::{
    Claims, Delegate, DelegateKernel, EvalContext, GraphView, OptionPairs, PartitionView, PrepareContext,
    Result, ensure, invalid, unsupported,
};

use crate::builtin_data::Parameters;
use crate::kernel::node::{Key, Node, NodeContents};
use crate::kernel::scene::{Io, Scene};
use crate::kernel::{Prepared, Stage, answer};
use crate::options::TfLiteInterpreterOptions;
use crate::state::SharedInterpreter;
use crate::types::*;
use graph::Answer;
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
            Ok(Foreign { handle, last: Mutex::default(), stage: Arc::clone(&stage) })
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

/// Reports why a delegate cannot be applied to an existing interpreter. Always returns an error.
///
/// # Safety
/// `delegate` must be null or point to a `TfLiteDelegate` that outlives the interpreter.
pub(crate) unsafe fn modify(shared: &SharedInterpreter, delegate: *mut c_void) -> TfLiteStatus {
    if delegate.is_null() {
        shared.reporter.report(NULL);
        return kTfLiteDelegateError;
    }
    shared.reporter.report(
        "delegates are applied when an interpreter is created: pass this one to TfLiteInterpreterOptionsAddDelegate",
    );
    kTfLiteApplicationError
}

/// A pointer to a delegate of the program.
#[derive(Clone, Copy)]
struct Handle(*mut TfLiteDelegate);

// SAFETY: `TfLiteInterpreterOptionsAddDelegate` requires that the delegate outlives its interpreters, and TensorFlow
// Lite's interface that it is used on one thread at a time.
unsafe impl Send for Handle {}
// SAFETY: see `Send`.
unsafe impl Sync for Handle {}

/// A graph that was shown to a delegate, and what the delegate requested for it.
struct ShownGraph {
    scene: Box<Scene>,
    answer: Option<Answer>,
}

/// A delegate of the program.
struct Foreign {
    handle: Handle,
    /// The graph that was shown last. A partition to compile is part of it. Kernels of earlier graphs hold a reference
    /// to theirs.
    last: Mutex<Option<Arc<Mutex<ShownGraph>>>>,
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
        // SAFETY: `TfLiteInterpreterOptionsAddDelegate` requires that the delegate outlives its interpreters.
        let (status, answered) = unsafe { graph::ask(&mut scene, graph, self.handle.0) }?;
        answer(status, "Prepare")?;
        let wanted = answered.as_ref().map_or(&[][..], |answered| &answered.nodes);
        for node in 0..graph.node_count() {
            if wanted.contains(&types::count(node)) {
                claims.accept(node);
            } else {
                claims.refuse(node, "the delegate did not request it");
            }
        }
        *lock(&self.last) = Some(Arc::new(Mutex::new(ShownGraph { scene, answer: answered })));
        Ok(())
    }

    fn compile(&self, partition: &PartitionView<'_>) -> Result<ForeignKernel> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let place = lock(&self.last).clone().ok_or_else(|| invalid!("no graph was shown to the delegate"))?;
        let mut shown = lock(&place);
        let ShownGraph { scene, answer: Some(asked) } = &mut *shown else {
            return Err(invalid!("the delegate requested no nodes"));
        };
        let same = scene.model_tensors() == partition.graph().tensor_count();
        ensure!(same, "the partition belongs to another graph than the last one shown to the delegate");
        let nodes: Vec<i32> = partition.node_indices().iter().map(|&node| node as i32).collect();
        let mut params = Params::new(self.handle.0, &nodes, partition.inputs(), partition.outputs());
        let parts = NodeContents {
            inputs: partition.inputs(),
            outputs: partition.outputs(),
            intermediates: &[],
            custom_options: &[],
            parameters: Parameters::None,
        };
        let mut node = Node::new(&parts, &asked.kernel);
        node.raw.builtin_data = params.as_mut_ptr();
        node.raw.delegate = self.handle.0.cast();
        describe(scene, partition)?;
        let key = Key::new(NEXT.fetch_add(1, Ordering::Relaxed), &[]);
        let is_served = graph::looking(scene, |scene| scene.begin(key, node));
        ensure!(is_served, "the init function of the delegate's kernel failed");
        let kernel = asked.kernel.clone();
        drop(shown);
        Ok(ForeignKernel { place, key, kernel, _params: SendParams(params), prepared: None })
    }
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
    key: Key,
    kernel: crate::kernel::Callbacks,
    _params: SendParams,
    prepared: Option<Prepared>,
}

impl DelegateKernel for ForeignKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
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
        let status = scene.run(node, |context, node| {
            // SAFETY: context and node belong to this scene, `before_eval` has filled in their tensors, and `prepare`
            // has succeeded.
            unsafe { self.kernel.invoke(context, node) }
        });
        answer(status, "invoke")?;
        scene.after_eval(io, prepared, cx)
    }
}

impl Drop for ForeignKernel {
    fn drop(&mut self) {
        lock(&self.place).scene.end(self.key);
    }
}
