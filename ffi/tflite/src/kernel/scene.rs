//! The environment of the kernels of one subgraph: a `TfLiteContext` and its tensors.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use arenite::ElementType;
use arenite::abi::{NodeView, Result, TensorView, ensure, invalid};

use super::callbacks::Callbacks;
use super::context;
use super::node::{Key, Node, NodeContents};
use super::types::{TfLiteContext, TfLiteNode};
use crate::common::{TfLiteTensorDataFree, TfLiteTensorFree, bytes_of};
use crate::delegate::graph::GraphSnapshot;
use crate::describe::{TensorDescription, set_shape, tensors_of};
use crate::guard::{c_string, guard};
use crate::report::Reporter;
use crate::types::*;

/// Number of tensors that kernels may add before the addresses of the others change. Programs keep these addresses from
/// `init` to `invoke`.
const SPARE: usize = 1024;

/// Number of tensors that a kernel may always add in one call before addresses change, as in TensorFlow Lite.
const HEADROOM: usize = 16;

/// A context with its tensors and nodes. The layout of the first field is known to `c/report.c`.
#[repr(C)]
pub(crate) struct Scene {
    tell: unsafe extern "C" fn(*mut c_void, *const c_char),
    pub context: TfLiteContext,
    pub reporter: Reporter,
    pub model: arenite::Model,
    /// The tensors of the subgraph, followed by those that kernels added. Only dynamic tensors own their data; other
    /// data belongs to the runtime.
    pub tensors: Vec<TfLiteTensor>,
    names: Vec<CString>,
    pub ports: Ports,
    nodes: HashMap<Key, Box<Node>>,
    /// The node whose kernel is running, or null.
    pub current: *mut Node,
    /// The graph as a delegate sees it, during the delegate's `Prepare`.
    pub graph: Option<Box<GraphSnapshot>>,
}

// SAFETY: pointers refer to memory of the scene or, during a call, of the runtime. The lock in `Stage`, or in
// `delegate::Place`, admits one thread at a time.
unsafe impl Send for Scene {}

/// Indices of the tensors that a node or a partition reads and writes; −1 for one that is absent.
#[derive(Clone, Copy)]
pub(crate) struct Io<'a> {
    pub inputs: &'a [i32],
    pub outputs: &'a [i32],
}

impl<'a> Io<'a> {
    pub(crate) fn of(view: &NodeView<'a>) -> Self {
        Io { inputs: view.input_indices(), outputs: view.output_indices() }
    }
}

/// Looks up a tensor of the runtime by index; `None` if it is absent.
pub(crate) type Look<'a> = &'a dyn Fn(i32) -> Result<Option<TensorView<'a>>>;

/// The name of a subgraph, its number of nodes, and the indices of its inputs, outputs and variables.
pub(crate) struct Ports {
    pub inputs: Vec<c_int>,
    pub outputs: Vec<c_int>,
    pub variables: Vec<c_int>,
    pub name: CString,
    pub nodes: usize,
}

impl Ports {
    fn of(model: &arenite::Model, subgraph: usize) -> Self {
        let view = model.view();
        let Some(graph) = view.subgraph(subgraph) else {
            return Ports {
                inputs: vec![],
                outputs: vec![],
                variables: vec![],
                name: CString::default(),
                nodes: 0,
            };
        };
        let variables = graph.tensors().iter().enumerate().filter(|(_, tensor)| tensor.is_variable());
        Ports {
            inputs: graph.inputs().iter().collect(),
            outputs: graph.outputs().iter().collect(),
            variables: variables.map(|(i, _)| i as c_int).collect(),
            name: c_string(graph.name().unwrap_or("")),
            nodes: graph.operators().len(),
        }
    }
}

/// The reporter of a scene, for errors of its kernels.
///
/// # Safety
/// `context` must be the context of a live scene.
pub(crate) unsafe fn reporter_of(context: *mut c_void) -> Reporter {
    // SAFETY: `Scene::new` makes the context point to its scene, which is live, as `# Safety` requires; only this field
    // is read.
    unsafe { (*(*context.cast::<TfLiteContext>()).scene.cast::<Scene>()).reporter }
}

/// Called by `c/report.c` with a kernel's formatted error message. Passes it to the interpreter's reporter.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel whose call has not returned. `text` must
/// point to a null-terminated string.
unsafe extern "C" fn tell(context: *mut c_void, text: *const c_char) {
    guard((), || {
        // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
        let (reporter, text) = unsafe { (reporter_of(context), CStr::from_ptr(text)) };
        reporter.tell(text);
    });
}

impl Scene {
    pub(crate) fn new(
        model: &arenite::Model,
        subgraph: usize,
        threads: i32,
        reporter: Reporter,
    ) -> Box<Self> {
        let mut scene = Box::new(Scene {
            tell,
            context: context::new(threads),
            reporter,
            model: model.clone(),
            tensors: Vec::new(),
            names: Vec::new(),
            ports: Ports::of(model, subgraph),
            nodes: HashMap::new(),
            current: ptr::null_mut(),
            graph: None,
        });
        scene.context.scene = (&raw mut *scene).cast();
        scene
    }

    /// Updates the struct that kernels see and returns its address.
    pub(crate) fn shown_context(&mut self) -> *mut TfLiteContext {
        self.context.tensors = self.tensors.as_mut_ptr();
        self.context.tensors_size = self.tensors.len();
        let scene: *mut Scene = self;
        self.context.scene = scene.cast();
        // SAFETY: the pointer refers to a field of the live scene. It is derived from a pointer to the whole scene, so
        // that code that gets the context may access all of it.
        unsafe { &raw mut (*scene).context }
    }

    /// Adds tensors without a type and returns the index of the first one.
    pub(crate) fn add_tensors(&mut self, count: usize) -> usize {
        let first = self.tensors.len();
        let new = TfLiteTensor { allocation_type: kTfLiteArenaRw, ..TfLiteTensor::EMPTY };
        self.tensors.resize(first + count, new);
        self.shown_context();
        first
    }

    /// Adds a node and calls `init`. Returns false if that fails.
    pub(crate) fn begin(&mut self, key: Key, mut node: Box<Node>) -> bool {
        // SAFETY: the context is this scene's own.
        unsafe { node.init(self.shown_context()) };
        let is_served = !node.init_failed();
        self.nodes.insert(key, node);
        is_served
    }

    /// Removes a node and calls `free`.
    pub(crate) fn end(&mut self, key: Key) {
        if let Some(mut node) = self.nodes.remove(&key) {
            // SAFETY: the context is this scene's own, and the node was in this scene.
            unsafe { node.free(self.shown_context()) };
        }
    }

    /// The node of a view, with its current tensors. Creates nodes of composites, which do not exist before.
    ///
    /// # Errors
    /// If a tensor cannot be read or `init` failed.
    pub(crate) fn node(&mut self, view: &NodeView<'_>, callbacks: &Callbacks) -> Result<*mut Node> {
        self.describe(Io::of(view), &|index| view.tensor(index))?;
        let key = Key::of(view);
        if !self.nodes.contains_key(&key) {
            self.begin(key, Node::new(&NodeContents::of(view), callbacks));
        }
        let node = self.known(key)?;
        // SAFETY: the node belongs to this scene, and its kernel is not running.
        let parts = unsafe { &mut *node };
        ensure!(!parts.init_failed(), "its init function failed");
        parts.scratch.clear();
        Ok(node)
    }

    /// Number of tensors of the subgraph, without those that kernels added.
    pub(crate) fn model_tensors(&self) -> usize {
        self.names.len()
    }

    /// A node that was added before.
    ///
    /// # Errors
    /// If the node does not exist.
    pub(crate) fn known(&mut self, key: Key) -> Result<*mut Node> {
        let node = self.nodes.get_mut(&key).ok_or_else(|| invalid!("the node was not prepared"))?;
        Ok(&raw mut **node)
    }

    /// Fills in the tensors of a node before its `prepare`.
    ///
    /// # Errors
    /// If a tensor cannot be read.
    pub(crate) fn describe(&mut self, io: Io<'_>, tensor: Look<'_>) -> Result<()> {
        self.describe_all(tensor);
        for &index in io.inputs {
            let Some(tensor) = tensor(index)? else { continue };
            self.show(index, &tensor)?;
        }
        for &index in io.outputs {
            let Some(tensor) = tensor(index)? else { continue };
            let entry = self.entry(index)?;
            // SAFETY: the tensor belongs to this scene, and no kernel is running.
            unsafe { TfLiteTensorDataFree(entry) };
            set_shape(entry, tensor.shape);
            entry.bytes = bytes_of(entry.kind, tensor.shape).unwrap_or(0);
            let is_string = tensor.ty == ElementType::String;
            entry.allocation_type = if is_string { kTfLiteDynamic } else { kTfLiteArenaRw };
        }
        Ok(())
    }

    /// Creates the tensors of a built interpreter, so that the `init` of an op finds them and can add tensors after
    /// them.
    ///
    /// # Errors
    /// The runtime's error if it cannot access a tensor.
    pub(crate) fn describe_built(
        &mut self,
        interpreter: &arenite::Interpreter,
        subgraph: usize,
    ) -> arenite::Result<()> {
        if self.names.is_empty() {
            let (tensors, names) = tensors_of(interpreter, subgraph, &self.ports.variables)?;
            self.tensors.reserve(tensors.len() + SPARE);
            self.tensors.extend(tensors);
            self.names = names;
        }
        Ok(())
    }

    /// Fills in the properties of all tensors that never change. Does so once.
    fn describe_all(&mut self, tensor: Look<'_>) {
        if !self.names.is_empty() {
            return;
        }
        let tensors: Vec<_> = (0..).map_while(|index| tensor(index).ok().flatten()).collect();
        self.tensors.reserve(tensors.len() + SPARE);
        for tensor in tensors {
            let quantization = tensor.quantization();
            let described = TensorDescription {
                ty: tensor.ty,
                name: tensor.name(),
                scales: quantization.map_or(&[], |q| q.scales),
                zero_points: quantization.map_or(&[], |q| q.zero_points),
                quantized_dimension: quantization.map_or(0, |q| q.dimension),
                shape_signature: &[],
                is_variable: tensor.is_variable(),
            };
            let (mut new, name) = described.tensor();
            set_shape(&mut new, tensor.shape);
            self.tensors.push(new);
            self.names.push(name);
        }
    }

    pub(crate) fn entry(&mut self, index: i32) -> Result<&mut TfLiteTensor> {
        let count = self.tensors.len();
        let entry = usize::try_from(index).ok().and_then(|index| self.tensors.get_mut(index));
        entry
            .ok_or_else(|| invalid!("tensor index {index} is out of range: the subgraph has {count} tensors"))
    }

    /// Fills in a tensor that a kernel reads, with its data if it has any.
    ///
    /// # Errors
    /// If the tensor does not exist.
    pub(crate) fn show(&mut self, index: i32, tensor: &TensorView<'_>) -> Result<()> {
        let entry = self.entry(index)?;
        // SAFETY: the tensor belongs to this scene, and no kernel is running.
        unsafe { TfLiteTensorDataFree(entry) };
        set_shape(entry, tensor.shape);
        entry.bytes = tensor.byte_len();
        entry.data = tensor.as_ptr().cast_mut().cast();
        entry.allocation_type = match (tensor.is_constant(), entry.is_variable) {
            (true, _) => kTfLiteMmapRo,
            (false, true) => kTfLiteArenaRwPersistent,
            (false, false) => kTfLiteArenaRw,
        };
        Ok(())
    }

    /// Calls a function of a kernel.
    pub(crate) fn run(
        &mut self,
        node: *mut Node,
        function: impl FnOnce(*mut TfLiteContext, *mut TfLiteNode) -> TfLiteStatus,
    ) -> TfLiteStatus {
        self.tensors.reserve(HEADROOM);
        self.current = node;
        let context = self.shown_context();
        // SAFETY: the node belongs to this scene, and `self` is the only reference to it. The kernel accesses both
        // through pointers derived from it.
        let status = unsafe { function(context, &raw mut *(*node).raw) };
        self.current = ptr::null_mut();
        status
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let mut nodes = std::mem::take(&mut self.nodes);
        let context = self.shown_context();
        for node in nodes.values_mut() {
            // SAFETY: the context is this scene's own, and its tensors still exist.
            unsafe { node.free(context) };
        }
        for tensor in &mut self.tensors {
            // SAFETY: everything that a tensor owns comes from `malloc`.
            unsafe { TfLiteTensorFree(tensor) };
        }
    }
}

/// The scene of a context; `None` for null.
///
/// # Safety
/// `context` must be null or the context of a live scene, and nothing else may refer to the scene during `'a`.
pub(crate) unsafe fn of<'a>(context: *mut TfLiteContext) -> Option<&'a mut Scene> {
    // SAFETY: `context` is null or part of a live scene, as `# Safety` requires; `shown_context` set its `scene`
    // pointer.
    unsafe { context.as_ref()?.scene.cast::<Scene>().as_mut() }
}
