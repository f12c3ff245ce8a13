//! The host's side of calls, for authors of hosts: what a plugin may request in `prepare` and `eval`, and the errors
//! for invalid requests. Plugin authors do not need it.
//!
//! A host implements [`PrepareSide`] and [`EvalSide`] for the type behind `context`, in terms of its own memory, and
//! creates the structs for plugins with [`prepare_struct`] and [`eval_struct`]. Their functions first apply the rules,
//! and then call the host:
//!
//! ```text
//! plugin ─► ArPrepareV1::set_output_shape ─► rules (rank, signs, bytes, once) ─► PrepareSide::set_shape
//!         (`callbacks`: context ─► the host)   (`prepare`, `eval`)                (the host)
//! ```
//!
//! The safe Rust API relies on the following duties of a host:
//! - During one call (`prepare`, `eval`, `claim`, `compile`, `invoke`) the arrays that structs point to (`dims`,
//!   scales, names, options, lists) do not move and keep their contents. So the host stores a changed shape elsewhere,
//!   and rejects a second change of an output's shape in the same call: `set_output_shape` with a different shape, and
//!   a second successful `resize_output`.
//! - The entries of [`ArNodeV1::tensors`](crate::raw::ArNodeV1::tensors) themselves change during a call, but only
//!   through the plugin's requests on the calling thread. Readers copy an entry and keep no reference to it.
//! - `data` is null, or has `bytes` initialized bytes, aligned for the element type. `TENSOR_CONSTANT` data is not
//!   written as long as the node's instance exists.
//! - The tensors in a node's `outputs` are distinct. An output overlaps no other output, no scratch buffer, and no
//!   input with which it was not allowed to share memory. No input is also an output, unless it is a variable and the
//!   op works in place.
//! - Scratch buffers are initialized and belong to this call only. Persistent memory is zeroed when it is allocated;
//!   after `prepare` the host does not write to it as long as the instance exists.
//! - `prepare` and `eval` of one instance never run at the same time. Between calls, the instance may move to another
//!   thread.
//! - The functions of [`ArPrepareV1`](crate::raw::ArPrepareV1) and [`ArEvalV1`](crate::raw::ArEvalV1) are called on the
//!   thread of the call in progress, with its context.
//! - There should be one host per process. If two hosts load the same library, the later handshake wins: messages, log
//!   lines and threads of that library then belong to the later host, even in calls from the first one.
//!
//! Nothing here needs a heap. The host decides what it stores of each error ([`Refusal`]).

mod callbacks;
mod eval;
mod model;
mod prepare;

use core::fmt;

pub use callbacks::{constants, device_memory, eval_struct, memory, prepare_struct};
pub use eval::EvalSide;
pub use model::{CallerSide, ModelSide};
pub use prepare::{ConstantsSide, Declaration, Declarations, MemorySide, PrepareSide, Share, declarations};

use crate::raw::{ArStatus, ArTensorV1, TENSOR_CONSTANT, TENSOR_VARIABLE};
use crate::tensor::element_count;
use crate::{ElementType, Error, Status};

/// Maximum rank of a tensor.
pub const MAX_RANK: usize = 8;

/// Maximum alignment that a plugin may request, in bytes.
pub const MAX_ALIGNMENT: usize = 64;

/// The host's type for errors in a plugin's requests.
pub trait Refusal: Sized {
    /// Creates an error with this status and message.
    fn new(status: Status, message: fmt::Arguments<'_>) -> Self;

    /// Creates an error with [`Status::Invalid`].
    fn invalid(message: fmt::Arguments<'_>) -> Self {
        Self::new(Status::Invalid, message)
    }
}

impl Refusal for Error {
    fn new(status: Status, message: fmt::Arguments<'_>) -> Self {
        Error::new(status, message)
    }
}

/// The type behind `context`.
pub trait HostSide {
    /// The error type.
    type Refused: Refusal;

    /// Stores the message for the call in progress and returns the status.
    fn report(refused: Self::Refused) -> ArStatus;
}

/// A call for a node whose tensors the host has.
pub trait NodeSide: HostSide {
    /// Indices of the node's output tensors; −1 for an absent one. All others are valid.
    fn outputs(&self) -> &[i32];

    /// The entry of tensor `t`.
    fn tensor(&self, t: usize) -> ArTensorV1;

    /// The shape of tensor `t`.
    fn shape(&self, t: usize) -> &[i32];

    /// The maximum size of one tensor or scratch buffer, in bytes.
    fn limit(&self) -> u64;

    /// Whether the size of tensor `t`, an output that is a variable, may change.
    fn may_resize(&self, _t: usize) -> bool {
        false
    }
}

/// The tensor of output `output`; `None` if the output does not exist or is absent.
fn output_tensor<H: NodeSide>(host: &H, output: u32) -> Option<usize> {
    let outputs = host.outputs();
    outputs.get(output as usize).and_then(|&t| usize::try_from(t).ok())
}

fn element_type(tensor: &ArTensorV1) -> ElementType {
    ElementType::from_raw(tensor.element_type).unwrap_or(ElementType::F32)
}

/// Checks the shape that a plugin gives to output `output`, which is tensor `t`: its rank, signs and size, and that the
/// size of a variable may change if it does.
fn check_shape<H: NodeSide>(host: &H, t: usize, output: u32, dims: &[i32]) -> Result<(), H::Refused> {
    let refuse = |message: fmt::Arguments<'_>| Err(H::Refused::invalid(message));
    if dims.len() > MAX_RANK {
        let rank = dims.len();
        return refuse(format_args!("output {output} would have rank {rank}, the highest is {MAX_RANK}"));
    }
    if dims.iter().any(|&d| d < 0) {
        return refuse(format_args!("output {output} would have shape {dims:?}; a dimension is negative"));
    }
    let tensor = host.tensor(t);
    if tensor.flags & TENSOR_CONSTANT != 0 {
        return refuse(format_args!("output {output} is constant"));
    }
    let ty = element_type(&tensor);
    if ty.bits() == 0 {
        return Ok(());
    }
    let bytes = bytes_of(ty, output, dims, host.limit())?;
    if tensor.flags & TENSOR_VARIABLE != 0 && bytes != tensor.bytes && !host.may_resize(t) {
        let size = tensor.bytes;
        return refuse(format_args!("output {output} is a variable of {size} bytes, the op writes {bytes}"));
    }
    Ok(())
}

fn bytes_of<R: Refusal>(ty: ElementType, output: u32, dims: &[i32], limit: u64) -> Result<u64, R> {
    let count = Some(element_count(dims)).filter(|&n| n != usize::MAX);
    match count.and_then(|n| ty.bytes_of(n)) {
        Some(bytes) if bytes as u64 <= limit => Ok(bytes as u64),
        Some(bytes) => Err(R::new(
            Status::OutOfMemory,
            format_args!(
                "output {output} of shape {dims:?} needs {bytes} bytes, the quota is {limit}; raise `bytes` in [quota] if that is right"
            ),
        )),
        None => Err(R::invalid(format_args!(
            "output {output} of shape {dims:?} has more bytes than can be counted"
        ))),
    }
}
