//! What a plugin says in `prepare`: the rules.

use core::ffi::c_void;

use super::{
    CallerSide, HostSide, MAX_ALIGNMENT, NodeSide, Refusal, check_shape, element_type, output_tensor,
};
use crate::raw::{ArPlanRequestV1, TENSOR_CONSTANT, TENSOR_VARIABLE};
use crate::{AssignmentMut, ElementType, ObjectAssignment, ObjectRequest, Status, UsageRecord};

/// What a `prepare` has said of an output so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Said {
    /// Nothing.
    #[default]
    Nothing,
    /// Its shape.
    Shape,
    /// That its shape becomes known when the node runs.
    Dynamic,
    /// Its value.
    Constant,
    /// Its value, and it is a variable: the host writes the value at each invocation.
    Value,
}

/// An output that may lie in an input's memory, or around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The output's position in the node.
    pub output: u32,
    /// The input's position in the node; it may be absent.
    pub input: u32,
    /// `SHARE_*`.
    pub kind: u32,
    /// Offset of a part, or distance to what lies behind; else 0.
    pub bytes: u64,
}

/// The host's side of `prepare`, in the host's own terms. Outputs are those of the node, by position; `t` is a tensor's index. What
/// comes here keeps the rules.
pub trait PrepareSide: NodeSide + ConstantsSide + MemorySide + CallerSide {
    /// Whether there may be shared objects, which are for delegates.
    const LENDS_OBJECTS: bool = true;

    /// Number of the node's inputs, absent ones included.
    fn input_count(&self) -> usize;

    /// What was said of output `output`, which is there; at first nothing.
    fn said(&mut self, output: usize) -> &mut Said;

    /// Sets the shape, and the bytes that follow from it. Views of the call in progress may show the shape from before.
    fn set_shape(&mut self, t: usize, dims: &[i32], ty: ElementType);

    /// The tensor is dynamic from now on, and has no memory.
    fn set_dynamic(&mut self, t: usize);

    /// The tensor is constant from now on; `value` has its size.
    fn set_constant(&mut self, t: usize, value: &[u8]) -> Result<(), Self::Refused>;

    /// The host writes `value`, which has the tensor's size, to this variable whenever the node runs.
    fn set_value(&mut self, t: usize, value: &[u8]) -> Result<(), Self::Refused>;

    /// Zeroed memory for the instance's life: its number, and its address.
    fn take_persistent(
        &mut self,
        bytes: usize,
        alignment: usize,
    ) -> Result<(u32, *mut c_void), Self::Refused>;

    /// A buffer for the length of one `eval`, no larger than the limit: its number.
    fn note_scratch(&mut self, bytes: usize, alignment: usize) -> Result<u32, Self::Refused>;

    /// The output may share memory with the input.
    fn note_share(&mut self, share: Share) -> Result<(), Self::Refused>;

    /// Lays these records out, with offsets.
    fn plan(&self, records: &[UsageRecord], plan: AssignmentMut<'_>) -> Result<(), Self::Refused>;

    /// Has the planner of this name, or of an empty one the host's own, hand out shared objects, and checks them.
    fn assign(
        &self,
        planner: &str,
        request: &ObjectRequest<'_>,
        objects: ObjectAssignment<'_>,
    ) -> Result<(), Self::Refused>;
}

/// A host that tells of the model's constants.
pub trait ConstantsSide: HostSide {
    /// Somebody has a copy of its own of tensor `tensor`. False if it is no constant.
    fn release(&mut self, tensor: usize) -> bool;

    /// Numbers that tell the model's file and the subgraph; zeros if it is no file.
    fn origin(&self) -> [u64; 4] {
        [0; 4]
    }
}

/// A host that counts what kernels hold.
pub trait MemorySide: HostSide {
    /// Bytes that may be held, besides those of this kernel.
    fn room(&self) -> u64;

    /// The kernel holds so many bytes in all.
    fn hold(&mut self, bytes: u64) -> Result<(), Self::Refused>;

    /// Bytes of a device that may be held, besides those of this kernel. A host without devices has none.
    fn device_room(&self) -> u64 {
        0
    }

    /// The kernel holds so many bytes of a device in all.
    fn hold_on_device(&mut self, bytes: u64) -> Result<(), Self::Refused> {
        Err(Self::Refused::invalid(format_args!("{bytes} bytes of a device are held, this host has none")))
    }
}

/// What a `prepare` that succeeded has said of its outputs.
pub struct Found {
    /// The shape of one becomes known when the node runs.
    pub dynamic: bool,
    /// All are constants.
    pub constant: bool,
}

/// What was said of these outputs, if that is complete.
pub fn found<R: Refusal>(outputs: &[i32], said: &[Said]) -> Result<Found, R> {
    let unset = |(t, said): (&i32, &Said)| *t >= 0 && *said == Said::Nothing;
    if let Some(i) = outputs.iter().zip(said).position(unset) {
        return Err(R::new(
            Status::Internal,
            format_args!("its prepare set no shape for output {i}; this is a defect of the plugin"),
        ));
    }
    Ok(Found {
        dynamic: said.contains(&Said::Dynamic),
        constant: !said.is_empty() && said.iter().all(|said| *said == Said::Constant),
    })
}

fn output<H: PrepareSide>(host: &H, output: u32) -> Result<usize, H::Refused> {
    output_tensor(host, output).ok_or_else(|| {
        let count = host.outputs().len();
        H::Refused::invalid(format_args!("output {output} is not there, the node has {count}"))
    })
}

/// Once per call, as views of it may show the shape from before.
pub(super) fn set_shape<H: PrepareSide>(host: &mut H, i: u32, dims: &[i32]) -> Result<(), H::Refused> {
    let t = output(host, i)?;
    let ty = element_type(&host.tensor(t));
    if ty.bits() == 0 {
        return Err(H::Refused::invalid(format_args!(
            "output {i} is {ty}, whose size depends on its contents; it must be set dynamic"
        )));
    }
    if *host.said(i as usize) != Said::Nothing {
        let present = host.shape(t);
        if present == dims {
            return Ok(());
        }
        return Err(H::Refused::invalid(format_args!(
            "output {i} has shape {present:?} by an earlier call, it cannot get {dims:?}; set it once"
        )));
    }
    check_shape(host, t, i, dims)?;
    host.set_shape(t, dims, ty);
    *host.said(i as usize) = Said::Shape;
    Ok(())
}

pub(super) fn set_dynamic<H: PrepareSide>(host: &mut H, i: u32) -> Result<(), H::Refused> {
    let t = output(host, i)?;
    if host.tensor(t).flags & (TENSOR_CONSTANT | TENSOR_VARIABLE) != 0 {
        return Err(H::Refused::invalid(format_args!(
            "output {i} is constant or a variable, it cannot be dynamic"
        )));
    }
    host.set_dynamic(t);
    *host.said(i as usize) = Said::Dynamic;
    Ok(())
}

pub(super) fn set_constant<H: PrepareSide>(host: &mut H, i: u32, value: &[u8]) -> Result<(), H::Refused> {
    let t = output(host, i)?;
    let tensor = host.tensor(t);
    if *host.said(i as usize) != Said::Shape {
        return Err(H::Refused::invalid(format_args!("output {i} gets a value before its shape")));
    }
    if tensor.bytes != value.len() as u64 {
        let (bytes, given) = (tensor.bytes, value.len());
        return Err(H::Refused::invalid(format_args!("output {i} has {bytes} bytes, its value has {given}")));
    }
    let is_variable = tensor.flags & TENSOR_VARIABLE != 0;
    match is_variable {
        true => host.set_value(t, value)?,
        false => host.set_constant(t, value)?,
    }
    *host.said(i as usize) = if is_variable { Said::Value } else { Said::Constant };
    Ok(())
}

pub(super) fn share<H: PrepareSide>(host: &mut H, share: Share) -> Result<(), H::Refused> {
    output(host, share.output)?;
    if share.input as usize >= host.input_count() {
        let Share { output, input, .. } = share;
        return Err(H::Refused::invalid(format_args!(
            "output {output} cannot share memory with input {input}, which is not there"
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
            "it asks for alignment {alignment}; at most {MAX_ALIGNMENT}, a power of two"
        )));
    }
    let size = usize::try_from(bytes).ok().filter(|&bytes| bytes <= isize::MAX as usize);
    let size = size.ok_or_else(|| R::invalid(format_args!("it asks for {bytes} bytes")))?;
    Ok((size, alignment as usize))
}

/// Whether the host knows the layout of the request's records.
pub(super) fn check_request<R: Refusal>(request: &ArPlanRequestV1, offsets: *mut u64) -> Result<(), R> {
    if request.record_stride != size_of::<UsageRecord>() || offsets.is_null() {
        return Err(R::invalid(format_args!("the plan request has another layout")));
    }
    Ok(())
}

pub(super) fn release<H: ConstantsSide>(host: &mut H, tensor: i32) -> Result<(), H::Refused> {
    if usize::try_from(tensor).is_ok_and(|t| host.release(t)) {
        return Ok(());
    }
    Err(H::Refused::invalid(format_args!("tensor {tensor} is no constant, it cannot be released")))
}
