//! What the kernels of one subgraph see around them: a `TfLiteContext` and its tensors.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use arenite::ElementType;
use arenite::abi::{NodeView, Result, TensorView, ensure, invalid};

use super::node::{Key, Node, Parts};
use super::types::{TfLiteContext, TfLiteNode};
use super::{Callbacks, Stage, context};
use crate::common::{TfLiteTensorDataFree, TfLiteTensorFree, bytes_of};
use crate::delegate::graph::Shown;
use crate::describe::{Described, set_shape};
use crate::report::{self, Reporter};
use crate::types::*;

/// Tensors that a kernel may add in one call before others move.
const HEADROOM: usize = 16;

/// It begins as `c/report.c` says.
#[repr(C)]
pub(crate) struct Scene {
    tell: unsafe extern "C" fn(*mut c_void, *const c_char),
    pub context: TfLiteContext,
    pub reporter: Reporter,
    pub model: arenite::Model,
    /// Those of the subgraph, then those that kernels added. What is not dynamic lies in memory of the runtime's.
    pub tensors: Vec<TfLiteTensor>,
    names: Vec<CString>,
    pub ports: Ports,
    nodes: HashMap<Key, Box<Node>>,
    /// The node whose kernel runs.
    pub current: *mut Node,
    /// The graph as a delegate sees it.
    pub graph: Option<Box<Shown>>,
}

// SAFETY: pointers are into the scene's own memory, or the runtime's for the length of a call; the stage's lock lets one thread in.
unsafe impl Send for Scene {}

/// Tensors that a node, or a partition, reads and writes; −1 for one that is absent.
#[derive(Clone, Copy)]
pub(crate) struct Io<'a> {
    pub inputs: &'a [i32],
    pub outputs: &'a [i32],
}

impl<'a> Io<'a> {
    pub fn of(view: &NodeView<'a>) -> Self {
        Io { inputs: view.input_indices(), outputs: view.output_indices() }
    }
}

/// Shows a tensor of the runtime's, by index; none where it is absent.
pub(crate) type Look<'a> = &'a dyn Fn(i32) -> Result<Option<TensorView<'a>>>;

/// What the subgraph has, by tensor, and its name.
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
            name: CString::new(graph.name().unwrap_or("").replace('\0', "\u{fffd}")).unwrap_or_default(),
            nodes: graph.operators().len(),
        }
    }
}

impl Scene {
    pub fn new(stage: &Stage, subgraph: usize) -> Box<Self> {
        let mut scene = Box::new(Scene {
            tell: report::tell,
            context: context::new(stage.threads),
            reporter: stage.reporter,
            model: stage.model.clone(),
            tensors: Vec::new(),
            names: Vec::new(),
            ports: Ports::of(&stage.model, subgraph),
            nodes: HashMap::new(),
            current: ptr::null_mut(),
            graph: None,
        });
        scene.context.scene = (&raw mut *scene).cast();
        scene
    }

    /// The struct that kernels see, brought up to date.
    pub fn shown_context(&mut self) -> *mut TfLiteContext {
        self.context.tensors = self.tensors.as_mut_ptr();
        self.context.tensors_size = self.tensors.len();
        let scene: *mut Scene = self;
        self.context.scene = scene.cast();
        // SAFETY: a field of the scene; its pointer may reach all of it.
        unsafe { &raw mut (*scene).context }
    }

    /// Adds tensors of no type, and gives the index of the first.
    pub fn add_tensors(&mut self, count: usize) -> usize {
        let first = self.tensors.len();
        let new = TfLiteTensor { allocation_type: kTfLiteArenaRw, ..TfLiteTensor::EMPTY };
        self.tensors.resize(first + count, new);
        self.shown_context();
        first
    }

    /// Takes a node in and initialises it; false if its op says that it cannot serve it.
    pub fn begin(&mut self, key: Key, mut node: Box<Node>) -> bool {
        // SAFETY: the scene's own context.
        unsafe { node.init(self.shown_context()) };
        let is_served = !node.init_failed();
        self.nodes.insert(key, node);
        is_served
    }

    /// Frees a node.
    pub fn end(&mut self, key: Key) {
        if let Some(mut node) = self.nodes.remove(&key) {
            // SAFETY: the scene's own context.
            unsafe { node.free(self.shown_context()) };
        }
    }

    /// A node's struct, with its tensors as they are now. Nodes of composites are made here.
    pub fn node(&mut self, view: &NodeView<'_>, callbacks: &Callbacks) -> Result<*mut Node> {
        self.describe(Io::of(view), &|index| view.tensor(index))?;
        let key = Key::of(view);
        if !self.nodes.contains_key(&key) {
            self.begin(key, Node::new(&Parts::of(view), callbacks));
        }
        let node = self.known(key)?;
        // SAFETY: the node lives in this scene, and its kernel does not run.
        let parts = unsafe { &mut *node };
        ensure!(!parts.init_failed(), "its init function failed");
        parts.scratch.clear();
        Ok(node)
    }

    /// Tensors of the subgraph, without those that kernels added.
    pub fn model_tensors(&self) -> usize {
        self.names.len()
    }

    /// A node that was begun.
    pub fn known(&mut self, key: Key) -> Result<*mut Node> {
        let node = self.nodes.get_mut(&key).ok_or_else(|| invalid!("the node was not prepared"))?;
        Ok(&raw mut **node)
    }

    /// Fills in the tensors of a node, before its `prepare`.
    pub fn describe(&mut self, io: Io<'_>, tensor: Look<'_>) -> Result<()> {
        self.describe_all(tensor);
        for &index in io.inputs {
            let Some(tensor) = tensor(index)? else { continue };
            self.show(index, &tensor)?;
        }
        for &index in io.outputs {
            let Some(tensor) = tensor(index)? else { continue };
            let entry = self.entry(index)?;
            // SAFETY: the entry is the scene's own, and no kernel runs.
            unsafe { TfLiteTensorDataFree(entry) };
            set_shape(entry, tensor.shape);
            entry.bytes = bytes_of(entry.kind, tensor.shape).unwrap_or(0);
            let is_string = tensor.ty == ElementType::String;
            entry.allocation_type = if is_string { kTfLiteDynamic } else { kTfLiteArenaRw };
        }
        Ok(())
    }

    /// What stays the same of all tensors of the subgraph.
    fn describe_all(&mut self, tensor: Look<'_>) {
        if !self.names.is_empty() {
            return;
        }
        let tensors = (0..).map_while(|index| tensor(index).ok().flatten());
        for tensor in tensors {
            let quantization = tensor.quantization();
            let described = Described {
                ty: tensor.ty,
                name: tensor.name,
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

    pub fn entry(&mut self, index: i32) -> Result<&mut TfLiteTensor> {
        let count = self.tensors.len();
        let entry = usize::try_from(index).ok().and_then(|index| self.tensors.get_mut(index));
        entry.ok_or_else(|| invalid!("there is no tensor {index}, the subgraph has {count}"))
    }

    /// Shows a tensor that a kernel reads, with its data if it has any.
    pub fn show(&mut self, index: i32, tensor: &TensorView<'_>) -> Result<()> {
        let entry = self.entry(index)?;
        // SAFETY: the entry is the scene's own, and no kernel runs.
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

    /// Runs a function of a kernel.
    pub fn run(
        &mut self,
        node: *mut Node,
        function: impl FnOnce(*mut TfLiteContext, *mut TfLiteNode) -> TfLiteStatus,
    ) -> TfLiteStatus {
        self.tensors.reserve(HEADROOM);
        self.current = node;
        let context = self.shown_context();
        // SAFETY: the node lives in this scene, which nothing else refers to; from here on the kernel reaches both by pointer.
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
            // SAFETY: the scene's own context, whose tensors are still there.
            unsafe { node.free(context) };
        }
        for tensor in &mut self.tensors {
            // SAFETY: what a tensor owns comes from `malloc`.
            unsafe { TfLiteTensorFree(tensor) };
        }
    }
}

/// The scene of a context, for the length of a kernel's call of it.
///
/// # Safety
/// `context` is null or the context of a scene whose kernel runs, and nothing else refers to the scene for `'a`.
pub(crate) unsafe fn of<'a>(context: *mut TfLiteContext) -> Option<&'a mut Scene> {
    // SAFETY: the caller's promise; the context is part of its scene.
    unsafe { context.as_ref()?.scene.cast::<Scene>().as_mut() }
}
