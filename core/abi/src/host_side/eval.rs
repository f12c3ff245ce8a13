//! What a plugin asks for in `eval`: the rules.

use super::{CallerSide, NodeSide, Refusal, check_shape, element_type, output_tensor};
use crate::raw::TENSOR_DYNAMIC;
use crate::tensor::element_count;
use crate::{ElementType, Status};

/// The host's side of `eval`, in the host's own terms. What comes here keeps the rules.
pub trait EvalSide: NodeSide + CallerSide {
    /// Gives tensor `t`, which is output `output`, dynamic and without memory, `bytes` bytes of it, and this shape. After an error it is
    /// as before.
    fn resize(
        &mut self,
        output: u32,
        t: usize,
        dims: &[i32],
        ty: ElementType,
        bytes: usize,
    ) -> Result<(), Self::Refused>;

    /// Whether the call should end soon. Several threads may ask at once.
    fn is_cancelled(&self) -> bool;

    /// Whether somebody wants to know how long a delegate's steps take.
    fn is_profiled(&self) -> bool {
        false
    }

    /// Step `number` of this node, whose first result is tensor `tensor` (−1: none of the graph's), took so long.
    fn note_time(&mut self, _number: u32, _name: &str, _tensor: i32, _nanoseconds: u64) {}

    /// Whether the kernel in progress may keep outputs on its device.
    fn keeps(&self) -> bool {
        false
    }

    /// The value of tensor `t`, an output, is what the kernel in progress keeps under `handle`.
    fn keep(&mut self, _t: usize, _handle: u64) {}
}

/// An output that the host wants, or whose memory is not the call's, does not stay on a device.
pub(super) fn keep<H: EvalSide>(host: &mut H, output: u32, handle: u64) -> Result<(), H::Refused> {
    let refuse = |why: &str| Err(H::Refused::invalid(format_args!("output {output} is kept, {why}")));
    let Some(t) = output_tensor(host, output) else { return refuse("but not there") };
    match host.tensor(t).flags {
        _ if !host.keeps() => refuse("but the host wants it"),
        0 => {
            host.keep(t, handle);
            Ok(())
        }
        TENSOR_DYNAMIC => refuse("but dynamic: its shape belongs to its data"),
        _ => refuse("but constant or a variable"),
    }
}

/// Once per call: a view of the first shape may be in use, and its memory must not move. `bytes` counts where the type has no size.
pub(super) fn resize<H: EvalSide>(
    host: &mut H,
    output: u32,
    dims: &[i32],
    bytes: u64,
) -> Result<(), H::Refused> {
    let refused = H::Refused::invalid;
    let t =
        output_tensor(host, output).ok_or_else(|| refused(format_args!("output {output} is not there")))?;
    let tensor = host.tensor(t);
    if tensor.flags & TENSOR_DYNAMIC == 0 {
        return Err(refused(format_args!(
            "output {output} is resized, but its prepare did not set it dynamic"
        )));
    }
    if !tensor.data.is_null() {
        let present = host.shape(t);
        return Err(refused(format_args!(
            "output {output} has shape {present:?} by an earlier call, it cannot get {dims:?}; resize it once"
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
