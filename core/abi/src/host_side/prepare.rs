//! The rules for a plugin's calls in `prepare`.

use core::ffi::c_void;

use super::{
    CallerSide, HostSide, MAX_ALIGNMENT, NodeSide, Refusal, check_shape, element_type, output_tensor,
};
use crate::raw::{ArPlanRequestV1, TENSOR_CONSTANT, TENSOR_VARIABLE};
use crate::{AssignmentMut, ElementType, ObjectAssignment, ObjectRequest, Status, UsageRecord};

/// The kind of output that `prepare` has declared so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Declaration {
    /// Nothing yet.
    #[default]
    Nothing,
    /// Its shape.
    Shape,
    /// Its shape is known only when the node runs.
    Dynamic,
    /// Its constant value.
    Constant,
    /// Its value, and it is a variable, to which the host writes the value in each invocation.
    Value,
}

/// An output that may share memory with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Position of the output in the node.
    pub output: u32,
    /// Position of the input in the node; it may be absent.
    pub input: u32,
    /// `SHARE_*`.
    pub kind: u32,
    /// Offset of a part, or distance for `SHARE_BEHIND`; otherwise 0.
    pub bytes: u64,
}

/// The host's implementation of `prepare`. Outputs are given by their position in the node, tensors `t` by their index.
/// Its methods are called only with arguments that follow the rules.
pub trait PrepareSide: NodeSide + ConstantsSide + MemorySide + CallerSide {
    /// Whether the host supports shared objects, which only delegates use.
    const LENDS_OBJECTS: bool = true;

    /// The number of the node's inputs, including absent ones.
    fn input_count(&self) -> usize;

    /// The declaration of output `output`, which exists; `Nothing` at first.
    fn declaration(&mut self, output: usize) -> &mut Declaration;

    /// Sets the shape and the size in bytes. Views of the call in progress may still show the previous shape.
    fn set_shape(&mut self, t: usize, dims: &[i32], ty: ElementType);

    /// Makes the tensor dynamic, without memory.
    fn set_dynamic(&mut self, t: usize);

    /// Makes the tensor constant. `value` has its size.
    ///
    /// # Errors
    /// The memory is not available.
    fn set_constant(&mut self, t: usize, value: &[u8]) -> Result<(), Self::Refused>;

    /// Makes the host write `value`, which has the tensor's size, to this variable whenever the node runs.
    ///
    /// # Errors
    /// The memory is not available.
    fn set_value(&mut self, t: usize, value: &[u8]) -> Result<(), Self::Refused>;

    /// Allocates zeroed memory for the life of the instance; returns its number and address.
    ///
    /// # Errors
    /// The memory is not available.
    fn take_persistent(
        &mut self,
        bytes: usize,
        alignment: usize,
    ) -> Result<(u32, *mut c_void), Self::Refused>;

    /// Requests a buffer for the duration of each `eval`, not larger than the limit; returns its number.
    ///
    /// # Errors
    /// There are too many buffers.
    fn note_scratch(&mut self, bytes: usize, alignment: usize) -> Result<u32, Self::Refused>;

    /// Allows the output to share memory with the input.
    ///
    /// # Errors
    /// The host cannot store the permission.
    fn note_share(&mut self, share: Share) -> Result<(), Self::Refused>;

    /// Plans these records and writes their offsets.
    ///
    /// # Errors
    /// The planner failed.
    fn plan(&self, records: &[UsageRecord], plan: AssignmentMut<'_>) -> Result<(), Self::Refused>;

    /// Runs the planner with this name, or the host's own for an empty name, to assign shared objects, and checks the
    /// result.
    ///
    /// # Errors
    /// The planner does not exist, failed, or gave an invalid result.
    fn assign(
        &self,
        planner: &str,
        request: &ObjectRequest<'_>,
        objects: ObjectAssignment<'_>,
    ) -> Result<(), Self::Refused>;
}

/// A host that provides information about the model's constants.
pub trait ConstantsSide: HostSide {
    /// Records that a plugin has its own copy of tensor `tensor`. Returns false if the tensor is not constant.
    fn release(&mut self, tensor: usize) -> bool;

    /// Numbers that identify the model's file and the subgraph; zeros if the model is not a file.
    fn origin(&self) -> [u64; 4] {
        [0; 4]
    }
}

/// A host that counts the memory of kernels.
pub trait MemorySide: HostSide {
    /// The bytes that this kernel may hold in total.
    fn room(&self) -> u64;

    /// Sets the total number of bytes that the kernel holds.
    ///
    /// # Errors
    /// The quota does not allow them.
    fn hold(&mut self, bytes: u64) -> Result<(), Self::Refused>;

    /// The bytes of device memory that this kernel may hold in total; 0 for a host without devices.
    fn device_room(&self) -> u64 {
        0
    }

    /// Sets the total number of bytes of device memory that the kernel holds.
    ///
    /// # Errors
    /// The quota does not allow them.
    fn hold_on_device(&mut self, bytes: u64) -> Result<(), Self::Refused> {
        Err(Self::Refused::invalid(format_args!(
            "the kernel holds {bytes} bytes of device memory, but this host has no devices"
        )))
    }
}

/// The declarations of a successful `prepare` about its outputs.
pub struct Declarations {
    /// Whether the shape of an output is known only when the node runs.
    pub dynamic: bool,
    /// Whether all outputs are constants.
    pub constant: bool,
}

/// Summarizes the declarations about these outputs.
///
/// # Errors
/// An output has neither a shape nor was it declared dynamic.
pub fn declarations<R: Refusal>(outputs: &[i32], said: &[Declaration]) -> Result<Declarations, R> {
    let unset = |(t, said): (&i32, &Declaration)| *t >= 0 && *said == Declaration::Nothing;
    if let Some(i) = outputs.iter().zip(said).position(unset) {
        return Err(R::new(
            Status::Internal,
            format_args!("`prepare` set no shape for output {i}; this is a bug in the plugin"),
        ));
    }
    Ok(Declarations {
        dynamic: said.contains(&Declaration::Dynamic),
        constant: !said.is_empty() && said.iter().all(|said| *said == Declaration::Constant),
    })
}

fn output<H: PrepareSide>(host: &H, output: u32) -> Result<usize, H::Refused> {
    output_tensor(host, output).ok_or_else(|| {
        let count = host.outputs().len();
        match (output as usize) < count {
            true => H::Refused::invalid(format_args!("output {output} is absent, this op needs it")),
            false => {
                H::Refused::invalid(format_args!("output {output} does not exist; the node has {count}"))
            }
        }
    })
}

/// Only once per call, because views may still show the previous shape.
pub(super) fn set_shape<H: PrepareSide>(host: &mut H, i: u32, dims: &[i32]) -> Result<(), H::Refused> {
    let t = output(host, i)?;
    let ty = element_type(&host.tensor(t));
    if ty.bits() == 0 {
        return Err(H::Refused::invalid(format_args!(
            "output {i} is {ty}, whose size depends on its contents; it must be set dynamic"
        )));
    }
    if *host.declaration(i as usize) != Declaration::Nothing {
        let present = host.shape(t);
        if present == dims {
            return Ok(());
        }
        return Err(H::Refused::invalid(format_args!(
            "output {i} already has shape {present:?} and cannot get {dims:?}; set the shape only once"
        )));
    }
    check_shape(host, t, i, dims)?;
    host.set_shape(t, dims, ty);
    *host.declaration(i as usize) = Declaration::Shape;
    Ok(())
}

pub(super) fn set_dynamic<H: PrepareSide>(host: &mut H, i: u32) -> Result<(), H::Refused> {
    let t = output(host, i)?;
    if host.tensor(t).flags & (TENSOR_CONSTANT | TENSOR_VARIABLE) != 0 {
        return Err(H::Refused::invalid(format_args!(
            "output {i} is constant or a variable and cannot be dynamic"
        )));
    }
    host.set_dynamic(t);
    *host.declaration(i as usize) = Declaration::Dynamic;
    Ok(())
}

pub(super) fn set_constant<H: PrepareSide>(host: &mut H, i: u32, value: &[u8]) -> Result<(), H::Refused> {
    let t = output(host, i)?;
    let tensor = host.tensor(t);
    if *host.declaration(i as usize) != Declaration::Shape {
        return Err(H::Refused::invalid(format_args!("set the shape of output {i} before its value")));
    }
    if tensor.bytes != value.len() as u64 {
        let (bytes, given) = (tensor.bytes, value.len());
        return Err(H::Refused::invalid(format_args!(
            "output {i} has {bytes} bytes, but its value has {given}"
        )));
    }
    let is_variable = tensor.flags & TENSOR_VARIABLE != 0;
    match is_variable {
        true => host.set_value(t, value)?,
        false => host.set_constant(t, value)?,
    }
    *host.declaration(i as usize) = if is_variable { Declaration::Value } else { Declaration::Constant };
    Ok(())
}

pub(super) fn share<H: PrepareSide>(host: &mut H, share: Share) -> Result<(), H::Refused> {
    output(host, share.output)?;
    if share.input as usize >= host.input_count() {
        let Share { output, input, .. } = share;
        return Err(H::Refused::invalid(format_args!(
            "output {output} cannot share memory with input {input}, which does not exist"
        )));
    }
    host.note_share(share)
}

pub(super) fn take_persistent<H: PrepareSide>(
    host: &mut H,
    bytes: u64,
    alignment: u64,
) -> Result<(u32, *mut c_void), H::Refused> {
    let (bytes, alignment) = sized(bytes, alignment)?;
    host.take_persistent(bytes, alignment)
}

pub(super) fn note_scratch<H: PrepareSide>(
    host: &mut H,
    bytes: u64,
    alignment: u64,
) -> Result<u32, H::Refused> {
    let (size, alignment) = sized(bytes, alignment)?;
    let limit = host.limit();
    if bytes > limit {
        return Err(H::Refused::new(
            Status::OutOfMemory,
            format_args!("it needs {bytes} bytes of scratch, the quota is {limit}"),
        ));
    }
    host.note_scratch(size, alignment)
}

fn sized<R: Refusal>(bytes: u64, alignment: u64) -> Result<(usize, usize), R> {
    if !alignment.is_power_of_two() || alignment > MAX_ALIGNMENT as u64 {
        return Err(R::invalid(format_args!(
            "it requests alignment {alignment}; only powers of two up to {MAX_ALIGNMENT} are allowed"
        )));
    }
    let size = usize::try_from(bytes).ok().filter(|&bytes| bytes <= isize::MAX as usize);
    let size =
        size.ok_or_else(|| R::invalid(format_args!("it requests {bytes} bytes, which is too much")))?;
    Ok((size, alignment as usize))
}

/// Checks that the host knows the layout of the request's records.
pub(super) fn check_request<R: Refusal>(request: &ArPlanRequestV1, offsets: *mut u64) -> Result<(), R> {
    if request.record_stride != size_of::<UsageRecord>() || offsets.is_null() {
        return Err(R::invalid(format_args!("the plan request has an unknown layout")));
    }
    Ok(())
}

pub(super) fn release<H: ConstantsSide>(host: &mut H, tensor: i32) -> Result<(), H::Refused> {
    if usize::try_from(tensor).is_ok_and(|t| host.release(t)) {
        return Ok(());
    }
    Err(H::Refused::invalid(format_args!("tensor {tensor} is not constant and cannot be released")))
}
