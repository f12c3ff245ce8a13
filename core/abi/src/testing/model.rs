//! The model around the node under test: subgraphs as closures, and resources.

use core::panic::RefUnwindSafe;
use std::boxed::Box;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use super::Tensor;
use super::memory::GuardedMemory;
use crate::host_side::ModelSide;
use crate::raw::*;
use crate::{Error, Result, ensure, invalid};

/// The function computed by a subgraph.
type Function = Arc<dyn Fn(&[Tensor]) -> Vec<Tensor> + RefUnwindSafe>;

/// A subgraph for tests: a function of its inputs, and the nodes it shows to the op.
#[derive(Clone)]
pub struct Subgraph {
    inputs: Vec<Tensor>,
    function: Function,
    dynamic: bool,
    nodes: Vec<TestNode>,
}

/// A node of a subgraph, as [`GraphView`](crate::GraphView) shows it.
#[derive(Clone)]
struct TestNode {
    builtin_code: i32,
    inputs: Vec<i32>,
    outputs: Vec<i32>,
}

impl Subgraph {
    /// A subgraph with inputs of these types and shapes that computes `function`. In `prepare`, the function is called
    /// to find the shapes of the outputs, with the given tensors in the current shapes of the inputs.
    pub fn new(
        inputs: &[Tensor],
        function: impl Fn(&[Tensor]) -> Vec<Tensor> + RefUnwindSafe + 'static,
    ) -> Self {
        Subgraph { inputs: inputs.to_vec(), function: Arc::new(function), dynamic: false, nodes: Vec::new() }
    }

    /// Makes the shapes of its outputs known only after a run.
    pub fn dynamic(mut self) -> Self {
        self.dynamic = true;
        self
    }

    /// Adds a node of a builtin op. Tensors are numbered: first the inputs, then the outputs.
    pub fn node(mut self, builtin_code: i32, inputs: &[i32], outputs: &[i32]) -> Self {
        self.nodes.push(TestNode { builtin_code, inputs: inputs.to_vec(), outputs: outputs.to_vec() });
        self
    }
}

/// The state of the model during one test.
pub(super) struct Model {
    subgraphs: Vec<CalledSubgraph>,
    resources: Vec<(Vec<u8>, Option<AlignedTensor>)>,
}

struct CalledSubgraph {
    subgraph: Subgraph,
    inputs: Vec<Tensor>,
    outputs: Vec<AlignedTensor>,
    description: Option<Box<Description>>,
}

/// A tensor in aligned memory.
struct AlignedTensor {
    tensor: Tensor,
    name: String,
    memory: GuardedMemory,
}

struct Description {
    graph: ArGraphV1,
    _tensors: Vec<ArTensorV1>,
    _values: Vec<AlignedTensor>,
    _nodes: Vec<ArNodeV1>,
    _indices: Vec<Vec<i32>>,
}

impl AlignedTensor {
    fn new(tensor: Tensor) -> Self {
        let (memory, name) = (GuardedMemory::of(tensor.bytes()), String::from(tensor.name()));
        AlignedTensor { tensor, name, memory }
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
        let called = |subgraph: &Subgraph| CalledSubgraph {
            subgraph: subgraph.clone(),
            inputs: subgraph.inputs.clone(),
            outputs: Vec::new(),
            description: None,
        };
        let resource =
            |(name, tensor): &(Vec<u8>, Tensor)| (name.clone(), Some(AlignedTensor::new(tensor.clone())));
        Model {
            subgraphs: subgraphs.iter().map(called).collect(),
            resources: resources.iter().map(resource).collect(),
        }
    }

    /// Names and values of the resources that have a value.
    pub(super) fn values(&self) -> Vec<(Vec<u8>, Tensor)> {
        let assigned = self.resources.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        assigned.map(|(name, value)| (name.clone(), value.tensor.clone())).collect()
    }

    fn called(&mut self, subgraph: u32) -> Result<&mut CalledSubgraph> {
        let count = self.subgraphs.len();
        let found = self.subgraphs.get_mut(subgraph as usize);
        found.ok_or_else(|| invalid!("subgraph {subgraph} does not exist; the model has {count}"))
    }

    fn resource(&mut self, handle: i32) -> Result<&mut Option<AlignedTensor>> {
        let count = self.resources.len();
        let found = usize::try_from(handle).ok().and_then(|i| self.resources.get_mut(i));
        found
            .map(|(_, value)| value)
            .ok_or_else(|| invalid!("resource handle {handle} does not exist; {count} are open"))
    }
}

impl CalledSubgraph {
    fn compute(&mut self) {
        self.outputs = (self.subgraph.function)(&self.inputs).into_iter().map(AlignedTensor::new).collect();
    }

    fn describe(&mut self) -> *const ArGraphV1 {
        if self.outputs.is_empty() {
            self.compute();
        }
        let (first, end) = (self.inputs.len() as i32, (self.inputs.len() + self.outputs.len()) as i32);
        let copies = self.inputs.iter().chain(self.outputs.iter().map(|value| &value.tensor));
        let values: Vec<AlignedTensor> = copies.map(|tensor| AlignedTensor::new(tensor.clone())).collect();
        let described = |value: &AlignedTensor| ArTensorV1 { data: core::ptr::null_mut(), ..value.raw() };
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

impl ModelSide for &mut Model {
    type Refused = Error;

    fn describe(&mut self, subgraph: u32) -> Result<*const ArGraphV1> {
        Ok(self.called(subgraph)?.describe())
    }

    fn ports(&mut self, subgraph: u32) -> Result<(usize, usize)> {
        let called = self.called(subgraph)?;
        called.describe();
        Ok((called.inputs.len(), called.outputs.len()))
    }

    unsafe fn set_input(&mut self, subgraph: u32, input: u32, value: &ArTensorV1) -> Result<()> {
        let called = self.called(subgraph)?;
        let count = called.inputs.len();
        let target = called
            .inputs
            .get_mut(input as usize)
            .ok_or_else(|| invalid!("subgraph {subgraph} has no input {input}, only {count} inputs"))?;
        // SAFETY: the caller of `set_input` guarantees that everything `value` points to is readable.
        let given = unsafe { copy(value, target) }?;
        ensure!(given.ty() == target.ty(), "input {input} is {}, not {}", target.ty(), given.ty());
        *target = given;
        Ok(())
    }

    fn forward(&mut self, from: u32, to: u32) -> Result<()> {
        let values = self.called(from)?.outputs.iter().map(|value| value.tensor.clone()).collect();
        self.called(to)?.inputs = values;
        Ok(())
    }

    fn prepare(&mut self, subgraph: u32) -> Result<()> {
        self.called(subgraph).map(CalledSubgraph::compute)
    }

    fn invoke(&mut self, subgraph: u32) -> Result<()> {
        self.called(subgraph).map(CalledSubgraph::compute)
    }

    fn output(&mut self, subgraph: u32, output: u32) -> Result<ArTensorV1> {
        let called = self.called(subgraph)?;
        let count = called.outputs.len();
        let found = called
            .outputs
            .get(output as usize)
            .ok_or_else(|| invalid!("subgraph {subgraph} has no output {output}, only {count} outputs"))?;
        Ok(ArTensorV1 { flags: if called.subgraph.dynamic { TENSOR_DYNAMIC } else { 0 }, ..found.raw() })
    }

    fn open(&mut self, name: &[u8]) -> Result<i32> {
        let found = self.resources.iter().position(|(known, _)| known == name);
        if found.is_none() {
            self.resources.push((name.to_vec(), None));
        }
        Ok(found.unwrap_or(self.resources.len() - 1) as i32)
    }

    fn value(&mut self, handle: i32) -> Result<ArTensorV1> {
        Ok(self.resource(handle)?.as_ref().map_or(ArTensorV1::NONE, AlignedTensor::raw))
    }

    unsafe fn assign(&mut self, handle: i32, value: &ArTensorV1) -> Result<()> {
        // SAFETY: the caller of `assign` guarantees that everything `value` points to is readable.
        let given = unsafe { copy(value, &Tensor::raw(crate::ElementType::U8, &[0], &[])) }?;
        *self.resource(handle)? = Some(AlignedTensor::new(given));
        Ok(())
    }
}

/// A copy of `raw`, or with the data of `otherwise` if it is without data.
///
/// # Safety
/// Everything that `raw` points to must be readable.
unsafe fn copy(raw: &ArTensorV1, otherwise: &Tensor) -> Result<Tensor> {
    let ty = crate::ElementType::from_raw(raw.element_type)
        .ok_or_else(|| invalid!("element type {} is unknown", raw.element_type))?;
    // SAFETY: the caller guarantees that the dimensions and the data are readable.
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
