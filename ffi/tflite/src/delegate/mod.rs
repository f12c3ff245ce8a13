//! Delegates of the program's own: a `TfLiteDelegate`, or an opaque one by a builder, as a delegate of the runtime.
//!
//! ```text
//! runtime ─► claim ─► graph: the delegate's Prepare looks at nodes, and asks for some ─► accepted
//!         ─► compile ─► a node with TfLiteDelegateParams, the kernel's init
//!         ─► prepare, invoke ─► as an op of the program's own
//! ```
//!
//! Such a delegate is native code that reads what it likes, so it is used only where [`UNSAFE`] says so.

pub(crate) mod graph;
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
use crate::kernel::node::{Key, Node, Parts};
use crate::kernel::scene::{Io, Scene};
use crate::kernel::{Prepared, Stage, answer};
use crate::options::TfLiteInterpreterOptions;
use crate::state::Shared;
use crate::types::*;
use graph::Answer;
use types::{Params, TfLiteDelegate};

/// Where this is 1, delegates of the program's own are used.
pub(crate) const UNSAFE: &str = "ARENITE_TFLITE_UNSAFE_DELEGATES";

/// What a delegate of the program's own is called in the runtime, before its number.
const NAME: &str = "program-";

/// Why a delegate cannot be applied.
fn refusal(delegate: *const c_void) -> Option<String> {
    if delegate.is_null() {
        return Some("the delegate is null".into());
    }
    let is_allowed = std::env::var_os(UNSAFE).is_some_and(|value| value == "1");
    (!is_allowed).then(|| format!("a delegate of the program's own is native code that sees all memory: it is used where {UNSAFE} is 1"))
}

/// Adds the delegates that options name to the registry; gives their names.
///
/// # Errors
/// One is null, or none is allowed.
pub(crate) fn register(
    registry: &mut Registry,
    options: &TfLiteInterpreterOptions,
    stage: &Arc<Stage>,
) -> std::result::Result<Vec<String>, String> {
    let mut names = Vec::new();
    for &delegate in &options.delegates {
        refusal(delegate).map_or(Ok(()), Err)?;
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

/// Whether the runtime left out a delegate of the program's own, and why.
pub(crate) fn left_out(interpreter: &arenite::Interpreter) -> Option<String> {
    let own = interpreter.left_out().into_iter().find(|left| left.delegate.starts_with(NAME));
    own.map(|left| left.reason)
}

/// Applies a delegate to an interpreter that is there.
///
/// # Safety
/// The delegate is null or a `TfLiteDelegate` that outlives the interpreter.
pub(crate) unsafe fn modify(shared: &Shared, delegate: *mut c_void) -> TfLiteStatus {
    if let Some(why) = refusal(delegate) {
        shared.reporter.report(why);
        return kTfLiteDelegateError;
    }
    shared.reporter.report(
        "a delegate is applied when an interpreter is made: give it to TfLiteInterpreterOptionsAddDelegate",
    );
    kTfLiteApplicationError
}

/// A delegate's pointer.
#[derive(Clone, Copy)]
struct Handle(*mut TfLiteDelegate);

// SAFETY: the program keeps the delegate as long as interpreters that have it, and uses one from one thread at a time.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

/// A graph that a delegate was shown, and what it asked for there.
struct Place {
    scene: Box<Scene>,
    answer: Option<Answer>,
}

/// A delegate of the program's own.
struct Foreign {
    handle: Handle,
    /// The graph that was shown last: what is compiled is part of it. Kernels of earlier ones hold theirs.
    last: Mutex<Option<Arc<Mutex<Place>>>>,
    stage: Arc<Stage>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Delegate for Foreign {
    const NAME: &'static str = "program";
    type Kernel = ForeignKernel;

    fn create(_: &OptionPairs<'_>) -> Result<Self> {
        Err(unsupported!("it is made by an interpreter's options"))
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        let Some(subgraph) = graph.nodes().next().map(|node| node.subgraph()) else { return Ok(()) };
        let mut scene = Scene::new(&self.stage, subgraph);
        // SAFETY: the program promised that the delegate lives.
        let (status, answered) = unsafe { graph::ask(&mut scene, graph, self.handle.0) }?;
        answer(status, "Prepare")?;
        let wanted = answered.as_ref().map_or(&[][..], |answered| &answered.nodes);
        for node in 0..graph.node_count() {
            if wanted.contains(&types::count(node)) {
                claims.accept(node);
            } else {
                claims.refuse(node, "the delegate did not ask for it");
            }
        }
        *lock(&self.last) = Some(Arc::new(Mutex::new(Place { scene, answer: answered })));
        Ok(())
    }

    fn compile(&self, partition: &PartitionView<'_>) -> Result<ForeignKernel> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let place = lock(&self.last).clone().ok_or_else(|| invalid!("it was shown no graph"))?;
        let mut shown = lock(&place);
        let Place { scene, answer: Some(asked) } = &mut *shown else {
            return Err(invalid!("it asked for no nodes"));
        };
        let same = scene.model_tensors() == partition.graph().tensor_count();
        ensure!(same, "the partition is of another graph than the one that it was shown last");
        let nodes: Vec<i32> = partition.node_indices().iter().map(|&node| node as i32).collect();
        let mut params = Params::new(self.handle.0, &nodes, partition.inputs(), partition.outputs());
        let parts = Parts {
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
        ensure!(is_served, "its kernel's init function failed");
        let kernel = asked.kernel.clone();
        drop(shown);
        Ok(ForeignKernel { place, key, kernel, _params: SendParams(params), prepared: None })
    }
}

/// Fills in all tensors that a partition reads and writes, as the graph has them.
fn describe(scene: &mut Scene, partition: &PartitionView<'_>) -> Result<()> {
    let graph = partition.graph();
    let io = Io { inputs: partition.inputs(), outputs: partition.outputs() };
    scene.describe(io, &|index| match usize::try_from(index) {
        Ok(index) => graph.tensor(index).map(Some),
        Err(_) => Ok(None),
    })
}

/// What a kernel's `builtin_data` points to.
struct SendParams(#[expect(dead_code, reason = "kept for the kernel, which has its address")] Params);

// SAFETY: the arrays are this struct's own.
unsafe impl Send for SendParams {}

/// A partition that a delegate of the program's own runs.
struct ForeignKernel {
    place: Arc<Mutex<Place>>,
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
            // SAFETY: both are of this scene, and filled for this partition.
            unsafe { self.kernel.prepare(context, node) }
        });
        answer(status, "prepare")?;
        let io = Io { inputs: partition.inputs(), outputs: partition.outputs() };
        self.prepared = Some(scene.after_prepare(node, io, cx)?);
        Ok(())
    }

    fn invoke(&mut self, partition: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut place = lock(&self.place);
        let prepared = self.prepared.as_ref().ok_or_else(|| invalid!("it was not prepared"))?;
        let scene = &mut place.scene;
        let io = Io { inputs: partition.inputs(), outputs: partition.outputs() };
        let node = scene.before_eval(self.key, io, prepared, cx)?;
        let status = scene.run(node, |context, node| {
            // SAFETY: as in `prepare`, which went well before.
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
