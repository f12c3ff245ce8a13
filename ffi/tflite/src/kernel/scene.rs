//! What the kernels of one subgraph see around them: a `TfLiteContext` and its tensors.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use arenite::ElementType;
use arenite::abi::{EvalContext, NodeView, PrepareContext, Result, TensorView, ensure, invalid};

use super::node::{Key, Memory, Node, Parts};
use super::types::{TfLiteContext, TfLiteNode};
use super::{Callbacks, Prepared, Stage, context};
use crate::arrays::numbers;
use crate::common::{TfLiteTensorDataFree, TfLiteTensorFree, bits, bytes_of};
use crate::describe::{Described, set_shape};
use crate::report::{self, Reporter};
use crate::table::{bytes, shape};
use crate::types::*;

/// Tensors that a kernel may add in one call before others move.
const HEADROOM: usize = 16;

/// It begins as `c/report.c` says.
#[repr(C)]
pub(crate) struct Scene {
    tell: unsafe extern "C" fn(*mut c_void, *const c_char),
    context: TfLiteContext,
    pub reporter: Reporter,
    pub model: arenite::Model,
    /// Those of the subgraph, then those that kernels added. What is not dynamic lies in memory of the runtime's.
    pub tensors: Vec<TfLiteTensor>,
    names: Vec<CString>,
    pub ports: Ports,
    nodes: HashMap<Key, Box<Node>>,
    /// The node whose kernel runs.
    pub current: *mut Node,
}

// SAFETY: pointers are into the scene's own memory, or the runtime's for the length of a call; the stage's lock lets one thread in.
unsafe impl Send for Scene {}

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
        });
        scene.context.scene = (&raw mut *scene).cast();
        scene
    }

    /// The struct that kernels see.
    pub fn context(&mut self) -> *mut TfLiteContext {
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
        self.context();
        first
    }

    /// Makes a node's struct and initialises it; false if its op says that it cannot serve it.
    pub fn begin(&mut self, key: Key, parts: &Parts<'_>, callbacks: &Callbacks) -> bool {
        let mut node = Node::new(parts, callbacks);
        // SAFETY: the scene's own context.
        unsafe { node.init(self.context()) };
        let is_served = !node.init_failed();
        self.nodes.insert(key, node);
        is_served
    }

    /// A node's struct, with its tensors as they are now. Nodes of composites are made here.
    pub fn node(&mut self, view: &NodeView<'_>, callbacks: &Callbacks) -> Result<*mut Node> {
        self.describe(view)?;
        let key = Key::of(view);
        if !self.nodes.contains_key(&key) {
            self.begin(key, &Parts::of(view), callbacks);
        }
        let node = self.nodes.get_mut(&key).ok_or_else(|| invalid!("the node is not known"))?;
        ensure!(!node.init_failed(), "its init function failed");
        node.scratch.clear();
        Ok(&raw mut **node)
    }

    /// Fills in the tensors of a node, before its `prepare`.
    fn describe(&mut self, view: &NodeView<'_>) -> Result<()> {
        if self.names.is_empty() {
            self.describe_all(view);
        }
        for &index in view.input_indices() {
            let Some(tensor) = view.tensor(index)? else { continue };
            self.show(index, &tensor)?;
        }
        for &index in view.output_indices() {
            let Some(tensor) = view.tensor(index)? else { continue };
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
    fn describe_all(&mut self, view: &NodeView<'_>) {
        let tensors = (0..).map_while(|index| view.tensor(index).ok().flatten());
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
    fn show(&mut self, index: i32, tensor: &TensorView<'_>) -> Result<()> {
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
        let context = self.context();
        // SAFETY: the node lives in this scene, which nothing else refers to; from here on the kernel reaches both by pointer.
        let status = unsafe { function(context, &raw mut *(*node).raw) };
        self.current = ptr::null_mut();
        status
    }

    /// Tells the runtime what a kernel's `prepare` left in the structs.
    pub fn after_prepare(
        &mut self,
        node: *mut Node,
        view: &NodeView<'_>,
        cx: &mut PrepareContext<'_>,
    ) -> Result<Prepared> {
        let mut dynamic = Vec::with_capacity(view.output_count());
        for (i, &index) in view.output_indices().iter().enumerate() {
            dynamic.push(index >= 0 && self.tell_output(i, index, cx)?);
        }
        // SAFETY: the node lives in this scene, and its kernel does not run.
        let node = unsafe { &mut *node };
        let mut temporaries = Vec::new();
        // SAFETY: an array that the node owns.
        for &index in unsafe { numbers(node.raw.temporaries) } {
            let entry = *self.entry(index)?;
            let size = bytes_needed(&entry)?;
            match entry.allocation_type {
                kTfLiteArenaRw => temporaries.push((index as usize, cx.scratch_aligned(size, 64)?)),
                kTfLiteArenaRwPersistent => keep(node, index as usize, size),
                _ => {}
            }
            self.entry(index)?.bytes = size;
        }
        let scratch = node.scratch.iter().map(|&size| cx.scratch_aligned(size, 64)).collect::<Result<_>>()?;
        Ok(Prepared { temporaries, scratch, dynamic })
    }

    /// Gives the runtime an output's shape; true if only `invoke` tells it.
    fn tell_output(&mut self, i: usize, index: i32, cx: &mut PrepareContext<'_>) -> Result<bool> {
        let entry = *self.entry(index)?;
        if entry.allocation_type == kTfLiteDynamic {
            cx.set_output_dynamic(i)?;
            return Ok(true);
        }
        // SAFETY: the entry keeps its shape, and its data, during this call.
        let (dims, data) = unsafe { (shape(&entry), bytes(&entry)) };
        cx.set_output_shape(i, dims)?;
        if entry.allocation_type == kTfLitePersistentRo {
            cx.set_output_constant(i, data)?;
        }
        Ok(false)
    }

    /// Fills in the tensors of a node, before its `invoke`.
    pub fn before_eval(
        &mut self,
        view: &NodeView<'_>,
        prepared: &Prepared,
        cx: &EvalContext<'_>,
    ) -> Result<*mut Node> {
        for (i, &index) in view.input_indices().iter().enumerate() {
            let Some(tensor) = cx.optional_input(i)? else { continue };
            self.show(index, &tensor)?;
        }
        for (i, &index) in view.output_indices().iter().enumerate() {
            if index < 0 {
                continue;
            }
            let entry = self.entry(index)?;
            // SAFETY: the entry is the scene's own, and no kernel runs.
            unsafe { TfLiteTensorDataFree(entry) };
            if prepared.dynamic[i] {
                (entry.allocation_type, entry.bytes) = (kTfLiteDynamic, 0);
                continue;
            }
            let output = cx.output(i)?;
            set_shape(entry, output.shape());
            let bytes = output.into_bytes();
            (entry.allocation_type, entry.bytes) = (kTfLiteArenaRw, bytes.len());
            entry.data = bytes.as_mut_ptr().cast();
        }
        self.place_memory(view, prepared, cx)
    }

    /// Gives temporaries and scratch buffers their memory.
    fn place_memory(
        &mut self,
        view: &NodeView<'_>,
        prepared: &Prepared,
        cx: &EvalContext<'_>,
    ) -> Result<*mut Node> {
        let node = self.nodes.get_mut(&Key::of(view)).ok_or_else(|| invalid!("the node was not prepared"))?;
        let node: *mut Node = &raw mut **node;
        for (index, scratch) in &prepared.temporaries {
            self.entry(*index as i32)?.data = cx.scratch(scratch)?.as_mut_ptr().cast();
        }
        // SAFETY: the node lives in this scene, and its kernel does not run.
        let parts = unsafe { &mut *node };
        for (&index, (_, memory)) in &mut parts.kept {
            self.entry(index as i32)?.data = memory.as_mut_ptr();
        }
        parts.for_call.clear();
        parts.scratch_at.clear();
        for scratch in &prepared.scratch {
            parts.scratch_at.push(cx.scratch(scratch)?.as_mut_ptr().cast::<c_void>());
        }
        Ok(node)
    }

    /// Gives the runtime the outputs whose shape the kernel's `invoke` told.
    pub fn after_eval(
        &mut self,
        view: &NodeView<'_>,
        prepared: &Prepared,
        cx: &EvalContext<'_>,
    ) -> Result<()> {
        for (i, &index) in view.output_indices().iter().enumerate().filter(|(i, _)| prepared.dynamic[*i]) {
            let entry = *self.entry(index)?;
            // SAFETY: the entry keeps its shape, and its data, during this call.
            let (dims, data) = unsafe { (shape(&entry), bytes(&entry)) };
            let output = cx.resize_string_output(i, dims, data.len())?.into_bytes();
            ensure!(
                output.len() == data.len(),
                "output {i} of shape {dims:?} needs {} bytes, the op gave it {}",
                output.len(),
                data.len()
            );
            output.copy_from_slice(data);
            // SAFETY: the entry is the scene's own, and no kernel runs.
            unsafe { TfLiteTensorDataFree(self.entry(index)?) };
        }
        Ok(())
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let mut nodes = std::mem::take(&mut self.nodes);
        let context = self.context();
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

/// Bytes of a temporary tensor, as its type and shape say.
fn bytes_needed(entry: &TfLiteTensor) -> Result<usize> {
    if bits(entry.kind).is_none() {
        return Ok(entry.bytes);
    }
    // SAFETY: the entry keeps its shape during this call.
    let dims = unsafe { shape(entry) };
    bytes_of(entry.kind, dims).ok_or_else(|| invalid!("a temporary tensor of shape {dims:?} cannot be"))
}

/// Memory for a temporary tensor that keeps its value, as long as its size stays.
fn keep(node: &mut Node, index: usize, bytes: usize) {
    if node.kept.get(&index).is_none_or(|(before, _)| *before != bytes) {
        node.kept.insert(index, (bytes, Memory::zeroed(bytes)));
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
