//! The model around the node under test: subgraphs that are closures, and resources.

use core::ffi::c_void;
use core::panic::RefUnwindSafe;
use std::boxed::Box;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use super::Tensor;
use super::calls::with_session;
use super::host::Session;
use super::memory::Memory;
use crate::raw::*;
use crate::{Result, ensure, invalid};

/// What a subgraph computes.
type Function = Arc<dyn Fn(&[Tensor]) -> Vec<Tensor> + RefUnwindSafe>;

/// A subgraph for tests: a function of its inputs, and the ops that it is said to have.
#[derive(Clone)]
pub struct Subgraph {
    inputs: Vec<Tensor>,
    function: Function,
    dynamic: bool,
    nodes: Vec<TestNode>,
}

/// An op of a subgraph, as [`GraphView`](crate::GraphView) shows it.
#[derive(Clone)]
struct TestNode {
    builtin_code: i32,
    inputs: Vec<i32>,
    outputs: Vec<i32>,
}

impl Subgraph {
    /// A subgraph with inputs of these types and shapes that computes `function`. In `prepare` the function is asked for
    /// shapes, on the tensors given here in the shapes that the inputs have.
    pub fn new(
        inputs: &[Tensor],
        function: impl Fn(&[Tensor]) -> Vec<Tensor> + RefUnwindSafe + 'static,
    ) -> Self {
        Subgraph { inputs: inputs.to_vec(), function: Arc::new(function), dynamic: false, nodes: Vec::new() }
    }

    /// Only a run tells the shapes of its outputs.
    pub fn dynamic(mut self) -> Self {
        self.dynamic = true;
        self
    }

    /// Its next node is a builtin op. Tensors are numbered: the inputs, then the outputs.
    pub fn node(mut self, builtin_code: i32, inputs: &[i32], outputs: &[i32]) -> Self {
        self.nodes.push(TestNode { builtin_code, inputs: inputs.to_vec(), outputs: outputs.to_vec() });
        self
    }
}

/// The model's state during one test.
pub(super) struct Model {
    subgraphs: Vec<Called>,
    resources: Vec<(Vec<u8>, Option<Value>)>,
}

struct Called {
    subgraph: Subgraph,
    inputs: Vec<Tensor>,
    outputs: Vec<Value>,
    description: Option<Box<Description>>,
}

/// A tensor in aligned memory.
struct Value {
    tensor: Tensor,
    name: String,
    memory: Memory,
}

struct Description {
    graph: ArGraphV1,
    _tensors: Vec<ArTensorV1>,
    _values: Vec<Value>,
    _nodes: Vec<ArNodeV1>,
    _indices: Vec<Vec<i32>>,
}

impl Value {
    fn new(tensor: Tensor) -> Self {
        let (memory, name) = (Memory::of(tensor.bytes()), String::from(tensor.name()));
        Value { tensor, name, memory }
    }

    fn raw(&self) -> ArTensorV1 {
        ArTensorV1 {
            element_type: self.tensor.ty() as u32,
            rank: self.tensor.shape().len() as u32,
            dims: self.tensor.shape().as_ptr(),
            data: self.memory.data().cast(),
            bytes: self.memory.bytes as u64,
            name: ArStr::borrowed(&self.name),
            ..ArTensorV1::NONE
        }
    }
}

impl Model {
    pub(super) fn new(subgraphs: &[Subgraph], resources: &[(Vec<u8>, Tensor)]) -> Self {
        let called = |subgraph: &Subgraph| Called {
            subgraph: subgraph.clone(),
            inputs: subgraph.inputs.clone(),
            outputs: Vec::new(),
            description: None,
        };
        let resource = |(name, tensor): &(Vec<u8>, Tensor)| (name.clone(), Some(Value::new(tensor.clone())));
        Model {
            subgraphs: subgraphs.iter().map(called).collect(),
            resources: resources.iter().map(resource).collect(),
        }
    }

    /// Names and values of the resources that have one.
    pub(super) fn values(&self) -> Vec<(Vec<u8>, Tensor)> {
        let assigned = self.resources.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        assigned.map(|(name, value)| (name.clone(), value.tensor.clone())).collect()
    }

    fn called(&mut self, subgraph: u32) -> Result<&mut Called> {
        let count = self.subgraphs.len();
        let found = self.subgraphs.get_mut(subgraph as usize);
        found.ok_or_else(|| invalid!("there is no subgraph {subgraph}, the model has {count}"))
    }

    fn resource(&mut self, handle: i32) -> Result<&mut Option<Value>> {
        let count = self.resources.len();
        let found = usize::try_from(handle).ok().and_then(|i| self.resources.get_mut(i));
        found
            .map(|(_, value)| value)
            .ok_or_else(|| invalid!("there is no resource with handle {handle}; {count} are open"))
    }
}

impl Called {
    fn compute(&mut self) {
        self.outputs = (self.subgraph.function)(&self.inputs).into_iter().map(Value::new).collect();
    }

    fn describe(&mut self) -> *const ArGraphV1 {
        if self.outputs.is_empty() {
            self.compute();
        }
        let (first, end) = (self.inputs.len() as i32, (self.inputs.len() + self.outputs.len()) as i32);
        let copies = self.inputs.iter().chain(self.outputs.iter().map(|value| &value.tensor));
        let values: Vec<Value> = copies.map(|tensor| Value::new(tensor.clone())).collect();
        let described = |value: &Value| ArTensorV1 { data: core::ptr::null_mut(), ..value.raw() };
        let tensors: Vec<ArTensorV1> = values.iter().map(described).collect();
        let indices: Vec<Vec<i32>> = core::iter::once((0..first).collect())
            .chain([(first..end).collect()])
            .chain(self.subgraph.nodes.iter().flat_map(|n| [n.inputs.clone(), n.outputs.clone()]))
            .collect();
        let node = |(i, node): (usize, &TestNode)| ArNodeV1 {
            header: ArHeader::of::<ArNodeV1>(),
            builtin_code: node.builtin_code,
            version: 1,
            custom_name: ArStr::new(""),
            index: i as u32,
            subgraph: 0,
            tensors: tensors.as_ptr(),
            tensor_stride: size_of::<ArTensorV1>(),
            tensor_count: tensors.len(),
            inputs: indices[2 + 2 * i].as_ptr(),
            input_count: node.inputs.len(),
            outputs: indices[3 + 2 * i].as_ptr(),
            output_count: node.outputs.len(),
            intermediates: core::ptr::null(),
            intermediate_count: 0,
            options: ArTable::NONE,
            options_2: ArTable::NONE,
            custom_options: ArBytes::EMPTY,
        };
        let nodes: Vec<ArNodeV1> = self.subgraph.nodes.iter().enumerate().map(node).collect();
        let graph = ArGraphV1 {
            header: ArHeader::of::<ArGraphV1>(),
            tensors: tensors.as_ptr(),
            tensor_stride: size_of::<ArTensorV1>(),
            tensor_count: tensors.len(),
            nodes: nodes.as_ptr(),
            node_stride: size_of::<ArNodeV1>(),
            node_count: nodes.len(),
            inputs: indices[0].as_ptr(),
            input_count: indices[0].len(),
            outputs: indices[1].as_ptr(),
            output_count: indices[1].len(),
        };
        let made =
            Description { graph, _tensors: tensors, _values: values, _nodes: nodes, _indices: indices };
        &raw const self.description.insert(Box::new(made)).graph
    }
}

static SUBGRAPHS: ArSubgraphsV1 = ArSubgraphsV1 {
    header: ArHeader::of::<ArSubgraphsV1>(),
    describe,
    set_input,
    forward,
    prepare: compute,
    invoke: compute,
    output,
};

static RESOURCES: ArResourcesV1 =
    ArResourcesV1 { header: ArHeader::of::<ArResourcesV1>(), open, value, assign };

pub(super) unsafe extern "C" fn query(_context: *mut c_void, interface: u64) -> *const c_void {
    match interface {
        INTERFACE_SUBGRAPHS => (&raw const SUBGRAPHS).cast(),
        INTERFACE_RESOURCES => (&raw const RESOURCES).cast(),
        _ => core::ptr::null(),
    }
}

/// Runs `f` on the model of the session behind `context`.
///
/// # Safety
/// `context` is that of a call in progress.
unsafe fn with_model(context: *mut c_void, f: impl FnOnce(&mut Model) -> Result<()>) -> ArStatus {
    // SAFETY: the caller's promise.
    unsafe { with_session(context, |session: &mut Session<'_>| f(&mut session.model)) }
}

/// A copy of `raw`, with the data of `otherwise` if it has none.
///
/// # Safety
/// What `raw` points to is readable.
unsafe fn copy(raw: &ArTensorV1, otherwise: &Tensor) -> Result<Tensor> {
    let ty = crate::ElementType::from_raw(raw.element_type)
        .ok_or_else(|| invalid!("element type {} is unknown", raw.element_type))?;
    // SAFETY: the caller's promise.
    let (shape, bytes) =
        unsafe { (slice(raw.dims, raw.rank as usize), slice(raw.data.cast::<u8>(), raw.bytes as usize)) };
    if !raw.data.is_null() {
        return Ok(Tensor::raw(ty, shape, bytes));
    }
    if shape == otherwise.shape() {
        return Ok(otherwise.clone());
    }
    let bytes = ty.bytes_of(crate::tensor::element_count(shape)).unwrap_or(0);
    Ok(Tensor::raw(ty, shape, &std::vec![0; bytes]))
}

unsafe extern "C" fn describe(context: *mut c_void, subgraph: u32, graph: *mut *const ArGraphV1) -> ArStatus {
    // SAFETY: the op's promise: the context is this call's, the result is writable.
    unsafe {
        with_model(context, |model| {
            *graph = model.called(subgraph)?.describe();
            Ok(())
        })
    }
}

unsafe extern "C" fn set_input(
    context: *mut c_void,
    subgraph: u32,
    input: u32,
    value: *const ArTensorV1,
) -> ArStatus {
    // SAFETY: as in `describe`; the value is readable.
    unsafe {
        with_model(context, |model| {
            let called = model.called(subgraph)?;
            let count = called.inputs.len();
            let target = called.inputs.get_mut(input as usize).ok_or_else(|| {
                invalid!("subgraph {subgraph} has {count} inputs, there is no input {input}")
            })?;
            let given = copy(&*value, target)?;
            ensure!(given.ty() == target.ty(), "input {input} is {}, not {}", target.ty(), given.ty());
            *target = given;
            Ok(())
        })
    }
}

unsafe extern "C" fn forward(context: *mut c_void, from: u32, to: u32) -> ArStatus {
    // SAFETY: as in `describe`.
    unsafe {
        with_model(context, |model| {
            let values = model.called(from)?.outputs.iter().map(|value| value.tensor.clone()).collect();
            model.called(to)?.inputs = values;
            Ok(())
        })
    }
}

unsafe extern "C" fn compute(context: *mut c_void, subgraph: u32) -> ArStatus {
    // SAFETY: as in `describe`.
    unsafe {
        with_model(context, |model| {
            model.called(subgraph)?.compute();
            Ok(())
        })
    }
}

unsafe extern "C" fn output(
    context: *mut c_void,
    subgraph: u32,
    output: u32,
    value: *mut ArTensorV1,
) -> ArStatus {
    // SAFETY: as in `describe`.
    unsafe {
        with_model(context, |model| {
            let called = model.called(subgraph)?;
            let (count, dynamic) = (called.outputs.len(), called.subgraph.dynamic);
            let found = called.outputs.get(output as usize).ok_or_else(|| {
                invalid!("subgraph {subgraph} has {count} outputs, there is no output {output}")
            })?;
            *value = found.raw();
            (*value).flags = if dynamic { TENSOR_DYNAMIC } else { 0 };
            Ok(())
        })
    }
}

unsafe extern "C" fn open(context: *mut c_void, name: ArBytes, handle: *mut i32) -> ArStatus {
    // SAFETY: as in `describe`; the name is readable.
    unsafe {
        with_model(context, |model| {
            let name = name.as_slice();
            let found = model.resources.iter().position(|(known, _)| known == name);
            *handle = found.unwrap_or(model.resources.len()) as i32;
            if found.is_none() {
                model.resources.push((name.to_vec(), None));
            }
            Ok(())
        })
    }
}

unsafe extern "C" fn value(context: *mut c_void, handle: i32, value: *mut ArTensorV1) -> ArStatus {
    // SAFETY: as in `describe`.
    unsafe {
        with_model(context, |model| {
            *value = model.resource(handle)?.as_ref().map_or(ArTensorV1::NONE, Value::raw);
            Ok(())
        })
    }
}

unsafe extern "C" fn assign(context: *mut c_void, handle: i32, value: *const ArTensorV1) -> ArStatus {
    // SAFETY: as in `describe`; the value is readable.
    unsafe {
        with_model(context, |model| {
            let given = copy(&*value, &Tensor::raw(crate::ElementType::U8, &[0], &[]))?;
            *model.resource(handle)? = Some(Value::new(given));
            Ok(())
        })
    }
}
