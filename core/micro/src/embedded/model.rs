//! What nodes of an embedded model see of it: the subgraphs that they call, and variables. The contexts of these nodes
//! point to an [`EmbeddedModel`].

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{from_ref, null};

use arenite_abi::raw::{
    ArBytes, ArGraphV1, ArHeader, ArResourcesV1, ArStatus, ArSubgraphsV1, ArTensorV1, INTERFACE_RESOURCES,
    INTERFACE_SUBGRAPHS, slice,
};
use arenite_abi::{ElementType, Status};

use super::{EmbeddedStep, run_embedded};

/// The longest shape.
const MAX_RANK: usize = 8;

/// A model with subgraphs or variables. `ArEmbeddedModel` in C.
#[repr(C)]
pub struct EmbeddedModel {
    pub(super) tensors: *const ArTensorV1,
    pub(super) tensor_count: usize,
    /// By number. A subgraph that no node calls has no steps.
    pub(super) graphs: *const EmbeddedGraph,
    pub(super) graph_count: usize,
    /// By handle.
    pub(super) resources: *const EmbeddedResource,
    pub(super) resource_count: usize,
    /// Memory for outputs of a subgraph that are also other inputs of it, while they are copied.
    pub(super) saved: *mut u8,
    pub(super) saved_bytes: usize,
    /// How many more calls this run may make.
    pub(super) calls: *mut u32,
}

/// A subgraph: its nodes, and the numbers of its input and output tensors. `ArEmbeddedGraph` in C.
#[repr(C)]
pub struct EmbeddedGraph {
    pub(super) steps: *const EmbeddedStep,
    pub(super) count: usize,
    pub(super) inputs: *const i32,
    pub(super) input_count: usize,
    pub(super) outputs: *const i32,
    pub(super) output_count: usize,
}

/// A variable: its name, its memory, and its current value. `ArEmbeddedResource` in C.
#[repr(C)]
pub struct EmbeddedResource {
    pub(super) name: ArBytes,
    pub(super) data: *mut u8,
    pub(super) capacity: usize,
    pub(super) value: *mut EmbeddedValue,
}

/// The value of a variable. `ArEmbeddedValue` in C.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EmbeddedValue {
    /// The element type, or −1 before the first assignment.
    ty: i32,
    rank: u32,
    bytes: usize,
    dims: [i32; MAX_RANK],
}

impl EmbeddedModel {
    /// Sets how many calls the run that begins may make.
    ///
    /// # Safety
    /// As for [`forget`].
    pub(super) unsafe fn allow_calls(&self, calls: u32) {
        // SAFETY: the generated pointer is to a number in the block of variables, which nothing uses.
        unsafe { self.calls.write(calls) };
    }

    fn graph(&self, number: u32) -> Result<&EmbeddedGraph, Status> {
        // SAFETY: the generated table has `graph_count` subgraphs.
        let graphs = unsafe { slice(self.graphs, self.graph_count) };
        graphs.get(number as usize).filter(|graph| !graph.steps.is_null()).ok_or(Status::Invalid)
    }

    /// Tensor number `port` of `list`.
    fn tensor(&self, list: &[i32], port: usize) -> Result<&ArTensorV1, Status> {
        let number = list.get(port).and_then(|&t| usize::try_from(t).ok());
        // SAFETY: the generated table has `tensor_count` tensors.
        let tensors = unsafe { slice(self.tensors, self.tensor_count) };
        number.and_then(|t| tensors.get(t)).ok_or(Status::Invalid)
    }

    fn resources(&self) -> &[EmbeddedResource] {
        // SAFETY: the generated table has `resource_count` variables.
        unsafe { slice(self.resources, self.resource_count) }
    }

    fn resource(&self, handle: i32) -> Result<&EmbeddedResource, Status> {
        let resource = usize::try_from(handle).ok().and_then(|i| self.resources().get(i));
        resource.ok_or(Status::Invalid)
    }
}

impl EmbeddedGraph {
    fn inputs(&self) -> &[i32] {
        // SAFETY: the generated list has `input_count` numbers.
        unsafe { slice(self.inputs, self.input_count) }
    }

    fn outputs(&self) -> &[i32] {
        // SAFETY: the generated list has `output_count` numbers.
        unsafe { slice(self.outputs, self.output_count) }
    }
}

impl EmbeddedResource {
    /// The current value, which nothing else uses during a callback.
    fn value(&self) -> &Cell<EmbeddedValue> {
        // SAFETY: the generated pointer is to a value in the block of variables, which `forget` has initialized, and
        // which only callbacks of this model use, one at a time.
        unsafe { &*self.value.cast() }
    }
}

/// Removes the values of all variables.
///
/// # Safety
/// `model` must be the struct of a generated file, none of whose steps is running.
pub unsafe fn forget(model: &EmbeddedModel) {
    for resource in model.resources() {
        let none = EmbeddedValue { ty: -1, rank: 0, bytes: 0, dims: [0; MAX_RANK] };
        // SAFETY: the generated pointer is to a value in the block of variables, which nothing uses.
        unsafe { resource.value.write(none) };
    }
}

/// `query` of the contexts whose nodes call subgraphs or use variables.
pub extern "C" fn query_model(_: *mut c_void, interface: u64) -> *const c_void {
    match interface {
        INTERFACE_SUBGRAPHS => from_ref(&SUBGRAPHS).cast(),
        INTERFACE_RESOURCES => from_ref(&RESOURCES).cast(),
        _ => null(),
    }
}

static SUBGRAPHS: ArSubgraphsV1 = ArSubgraphsV1 {
    header: ArHeader::of::<ArSubgraphsV1>(),
    describe,
    set_input,
    forward,
    prepare,
    invoke,
    output,
};

static RESOURCES: ArResourcesV1 =
    ArResourcesV1 { header: ArHeader::of::<ArResourcesV1>(), open, value, assign };

/// Calls `f` with the model of a context.
///
/// # Safety
/// `context` must be the context of a generated node whose `query` is [`query_model`].
unsafe fn with(context: *mut c_void, f: impl FnOnce(&EmbeddedModel) -> Result<(), Status>) -> ArStatus {
    // SAFETY: the contexts of these nodes point to the model.
    match f(unsafe { &*context.cast_const().cast() }) {
        Ok(()) => Status::Ok as ArStatus,
        Err(status) => status as ArStatus,
    }
}

extern "C" fn describe(_: *mut c_void, _: u32, _: *mut *const ArGraphV1) -> ArStatus {
    Status::Unsupported as ArStatus
}

extern "C" fn prepare(_: *mut c_void, _: u32) -> ArStatus {
    Status::Unsupported as ArStatus
}

unsafe extern "C" fn set_input(
    context: *mut c_void,
    subgraph: u32,
    input: u32,
    value: *const ArTensorV1,
) -> ArStatus {
    // SAFETY: the context is this model's; the contract requires a readable value whose data is readable.
    unsafe {
        with(context, |model| {
            let to = model.tensor(model.graph(subgraph)?.inputs(), input as usize)?;
            let from = &*value;
            match (from.element_type, from.bytes) == (to.element_type, to.bytes) {
                true => copy(from.data.cast(), to.data.cast(), to.bytes as usize),
                false => Err(Status::Invalid),
            }
        })
    }
}

/// # Safety
/// Both must be null or have that many bytes.
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) -> Result<(), Status> {
    if bytes == 0 {
        return Ok(());
    }
    if from.is_null() || to.is_null() {
        return Err(Status::Invalid);
    }
    // SAFETY: the caller guarantees that both have `bytes` bytes; they may overlap.
    unsafe { to.copy_from(from, bytes) };
    Ok(())
}

unsafe extern "C" fn forward(context: *mut c_void, from: u32, to: u32) -> ArStatus {
    // SAFETY: the context is this model's.
    unsafe {
        with(context, |model| {
            let (outputs, inputs) = (model.graph(from)?.outputs(), model.graph(to)?.inputs());
            let stays = |i: usize| from == to && outputs.get(i) == inputs.get(i);
            // An output that is also another input would be overwritten before it is read.
            let clashes =
                |i: usize| from == to && !stays(i) && inputs.iter().any(|t| Some(t) == outputs.get(i));
            let mut at = 0;
            for i in (0..outputs.len()).filter(|&i| clashes(i)) {
                let value = model.tensor(outputs, i)?;
                at = save(model, at, value)?;
            }
            let mut at = 0;
            for i in (0..outputs.len()).filter(|&i| !stays(i)) {
                let mut value = *model.tensor(outputs, i)?;
                if clashes(i) {
                    value.data = model.saved.add(at).cast();
                    at += value.bytes as usize;
                }
                let status = set_input(context, to, i as u32, &value);
                if status != Status::Ok as ArStatus {
                    return Err(Status::Invalid);
                }
            }
            Ok(())
        })
    }
}

/// Copies a value to offset `at` of the memory for copies, and returns the offset after it.
fn save(model: &EmbeddedModel, at: usize, value: &ArTensorV1) -> Result<usize, Status> {
    let bytes = value.bytes as usize;
    if bytes > model.saved_bytes.saturating_sub(at) {
        return Err(Status::OutOfMemory);
    }
    // SAFETY: the tensor has `bytes` bytes, and `saved` as many from `at`, checked above.
    unsafe { copy(value.data.cast(), model.saved.add(at), bytes)? };
    Ok(at + bytes)
}

unsafe extern "C" fn invoke(context: *mut c_void, subgraph: u32) -> ArStatus {
    // SAFETY: the context is this model's.
    unsafe {
        with(context, |model| {
            let graph = model.graph(subgraph)?;
            let left = model.calls.read().checked_sub(1).ok_or(Status::Unsupported)?;
            model.calls.write(left);
            match run_embedded(slice(graph.steps, graph.count)) {
                status if status == Status::Ok as ArStatus => Ok(()),
                _ => Err(Status::Internal),
            }
        })
    }
}

unsafe extern "C" fn output(
    context: *mut c_void,
    subgraph: u32,
    output: u32,
    value: *mut ArTensorV1,
) -> ArStatus {
    // SAFETY: the context is this model's; the contract requires a writable result.
    unsafe {
        with(context, |model| {
            value.write(*model.tensor(model.graph(subgraph)?.outputs(), output as usize)?);
            Ok(())
        })
    }
}

unsafe extern "C" fn open(context: *mut c_void, name: ArBytes, handle: *mut i32) -> ArStatus {
    // SAFETY: the context is this model's; the contract requires a readable name and a writable result.
    unsafe {
        with(context, |model| {
            let wanted = name.as_slice();
            let found = model.resources().iter().position(|resource| resource.name.as_slice() == wanted);
            handle.write(found.ok_or(Status::Unsupported)? as i32);
            Ok(())
        })
    }
}

unsafe extern "C" fn value(context: *mut c_void, handle: i32, value: *mut ArTensorV1) -> ArStatus {
    // SAFETY: the context is this model's; the contract requires a writable result.
    unsafe {
        with(context, |model| {
            let resource = model.resource(handle)?;
            let EmbeddedValue { ty, rank, bytes, .. } = resource.value().get();
            if rank as usize > MAX_RANK || bytes > resource.capacity {
                return Err(Status::Invalid);
            }
            value.write(match u32::try_from(ty) {
                Err(_) => ArTensorV1::NONE,
                Ok(ty) => ArTensorV1 {
                    element_type: ty,
                    rank,
                    dims: (&raw const (*resource.value).dims).cast(),
                    data: resource.data.cast(),
                    bytes: bytes as u64,
                    ..ArTensorV1::NONE
                },
            });
            Ok(())
        })
    }
}

unsafe extern "C" fn assign(context: *mut c_void, handle: i32, from: *const ArTensorV1) -> ArStatus {
    // SAFETY: the context is this model's; the contract requires a readable value.
    unsafe {
        with(context, |model| {
            let (resource, from) = (model.resource(handle)?, &*from);
            let shape = slice(from.dims, from.rank as usize);
            let (bytes, mut value) = (from.bytes as usize, resource.value().get());
            let room = value.dims.get_mut(..shape.len()).ok_or(Status::Unsupported)?;
            if ElementType::from_raw(from.element_type).is_none() || bytes > resource.capacity {
                return Err(Status::Unsupported);
            }
            room.copy_from_slice(shape);
            copy(from.data.cast(), resource.data, bytes)?;
            (value.ty, value.rank, value.bytes) = (from.element_type as i32, from.rank, bytes);
            resource.value().set(value);
            Ok(())
        })
    }
}
