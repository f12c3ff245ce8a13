//! The rules for a plugin's calls in `eval`.

use super::{CallerSide, NodeSide, Refusal, check_shape, element_type, output_tensor};
use crate::raw::TENSOR_DYNAMIC;
use crate::tensor::element_count;
use crate::{ElementType, Status};

/// The host's implementation of `eval`. Its methods are called only with arguments that follow the rules.
pub trait EvalSide: NodeSide + CallerSide {
    /// Whether the host supports outputs whose shape depends on data.
    const RESIZES: bool = true;

    /// Sets the shape of tensor `t`, which is output `output`, dynamic and without memory, and allocates `bytes` bytes
    /// for it.
    ///
    /// # Errors
    /// The memory cannot be allocated. The tensor must then be unchanged.
    fn resize(
        &mut self,
        output: u32,
        t: usize,
        dims: &[i32],
        ty: ElementType,
        bytes: usize,
    ) -> Result<(), Self::Refused>;

    /// Whether the call should end soon. Several threads may ask at the same time.
    fn is_cancelled(&self) -> bool;

    /// Whether a profile of a delegate's steps was requested.
    fn is_profiled(&self) -> bool {
        false
    }

    /// Records that step `number` of this node, whose first result is tensor `tensor` (−1 if not in the graph), took
    /// this long.
    fn note_time(&mut self, _number: u32, _name: &str, _tensor: i32, _nanoseconds: u64) {}

    /// Whether the running kernel may keep outputs on its device.
    fn keeps(&self) -> bool {
        false
    }

    /// Records that the running kernel keeps the value of tensor `t`, an output, under `handle`.
    fn keep(&mut self, _t: usize, _handle: u64) {}
}

/// An output that the host needs, or whose memory does not belong to this call, cannot stay on a device.
pub(super) fn keep<H: EvalSide>(host: &mut H, output: u32, handle: u64) -> Result<(), H::Refused> {
    let refuse = |why: &str| Err(H::Refused::invalid(format_args!("output {output} cannot be kept, {why}")));
    let Some(t) = output_tensor(host, output) else { return refuse("because the node has no such output") };
    match host.tensor(t).flags {
        _ if !host.keeps() => refuse("because the host needs its value"),
        0 => {
            host.keep(t, handle);
            Ok(())
        }
        TENSOR_DYNAMIC => refuse("because it is dynamic: its shape is stored with its data"),
        _ => refuse("because it is a constant or a variable"),
    }
}

/// Only once per call: the plugin may hold a view of the first shape, and the memory must not move. `bytes` is used
/// only for types without a fixed size.
pub(super) fn resize<H: EvalSide>(
    host: &mut H,
    output: u32,
    dims: &[i32],
    bytes: u64,
) -> Result<(), H::Refused> {
    let refused = H::Refused::invalid;
    if !H::RESIZES {
        return Err(refused(format_args!("output {output} is resized, which this host does not support")));
    }
    let t = output_tensor(host, output)
        .ok_or_else(|| refused(format_args!("the node has no output {output}")))?;
    let tensor = host.tensor(t);
    if tensor.flags & TENSOR_DYNAMIC == 0 {
        return Err(refused(format_args!(
            "output {output} is resized, but `prepare` did not declare it dynamic"
        )));
    }
    if !tensor.data.is_null() {
        let present = host.shape(t);
        return Err(refused(format_args!(
            "output {output} already has shape {present:?} and cannot be resized to {dims:?}; resize it only once"
        )));
    }
    check_shape(host, t, output, dims)?;
    let (ty, limit) = (element_type(&tensor), host.limit());
    let bytes = ty.bytes_of(element_count(dims)).map_or(bytes, |bytes| bytes as u64);
    let size = usize::try_from(bytes).ok().filter(|_| bytes <= limit).ok_or_else(|| {
        H::Refused::new(
            Status::OutOfMemory,
            format_args!("output {output} needs {bytes} bytes, the quota is {limit}"),
        )
    })?;
    host.resize(output, t, dims, ty, size)
}
