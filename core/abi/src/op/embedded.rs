//! Nodes of programs that contain prepared models (`arenite embed`): their inputs and outputs were checked when the
//! program was written, so that `eval` looks nothing up.

use core::ffi::c_void;
use core::ops::Range;
use core::ptr::NonNull;

use super::EvalContext;
use super::ports::EmbeddedNode;
use crate::Result;
use crate::raw::{ArEvalV1, ArNodeV1, ArStatus};
use crate::shim::direct_status;
use crate::tensor::ElementType;

/// Runs a node of such a program with `form`: an op's `eval`, or one form of it, so that the linker drops the others.
///
/// # Safety
/// As for [`ArOpV1::eval`](crate::raw::ArOpV1::eval), with the state of a prepared `T`. `node` must be the first field
/// of an [`EmbeddedNode`]. A port with a type must describe the tensor: `count` elements of that type, aligned, in host
/// memory; no variable; an input must overlap no output, and an output must not be constant.
#[inline(always)]
pub unsafe fn eval_embedded<T>(
    eval: *const ArEvalV1,
    node: *const ArNodeV1,
    state: *mut c_void,
    form: impl Fn(&T, &mut EvalContext<'_>) -> Result<()>,
) -> ArStatus {
    direct_status(|| {
        // SAFETY: the caller passes valid structs, the node within an `EmbeddedNode`, and the state of a `T`.
        let (op, mut cx) = unsafe {
            let mut cx = EvalContext::from_raw(&*eval, &*node);
            cx.ports = (*node.cast::<EmbeddedNode>()).ports;
            (&*state.cast::<T>(), cx)
        };
        form(op, &mut cx)
    })
}

impl EvalContext<'_> {
    /// The elements of input `i`, if its port has this type.
    #[inline(always)]
    pub(super) fn input_port(&self, i: usize, ty: ElementType) -> Option<(NonNull<c_void>, usize)> {
        self.port(i, 0..self.node.input_count(), ty)
    }

    /// The elements of output `i`, if its port has this type.
    #[inline(always)]
    pub(super) fn output_port(&self, i: usize, ty: ElementType) -> Option<(NonNull<c_void>, usize)> {
        let inputs = self.node.input_count();
        self.port(i, inputs..inputs + self.node.output_count(), ty)
    }

    /// Port `i` of this part of the ports.
    #[inline(always)]
    fn port(&self, i: usize, part: Range<usize>, ty: ElementType) -> Option<(NonNull<c_void>, usize)> {
        if self.ports.is_null() || i >= part.end - part.start {
            return None;
        }
        // SAFETY: `eval_embedded` requires a port for each input and output, and `i` is one of them.
        let port = unsafe { &*self.ports.add(part.start + i) };
        if port.kind == ty as u32 { Some((NonNull::new(port.data)?, port.count)) } else { None }
    }
}
