//! The host's half of a call, for whoever writes a host: what a plugin may ask of it in `prepare` and `eval`, and what is refused, in
//! which words. Plugin authors need none of it.
//!
//! A host implements [`PrepareSide`] and [`EvalSide`] for what it puts behind `context`, in terms of memory of its own, and makes the
//! structs that cross with [`prepare_struct`] and [`eval_struct`]. Their functions apply the rules, and only then ask the host:
//!
//! ```text
//! plugin ─► ArPrepareV1::set_output_shape ─► rules (rank, signs, bytes, once) ─► PrepareSide::set_shape
//!         (`callbacks`: context ─► the host)   (`prepare`, `eval`)                (the host)
//! ```
//!
//! What the safe Rust API rests on, the duties of a host:
//! - During one call (`prepare`, `eval`, `claim`, `compile`, `invoke`) an array that a struct points to (`dims`, scales,
//!   names, options, lists) stays where it is and keeps its contents. So the host stores a changed shape elsewhere, and
//!   refuses a second change of one output's shape in the same call: `set_output_shape` with another shape than before,
//!   and a second `resize_output` that succeeds.
//! - The entries of [`ArNodeV1::tensors`](crate::raw::ArNodeV1::tensors) themselves do change during a call, by what the plugin asks
//!   of the host on the calling thread, and at no other time. Readers copy an entry, and make no lasting reference to it.
//! - `data` is null, or has `bytes` initialised bytes, aligned for the element type. What is `TENSOR_CONSTANT` is not
//!   written while the node's instance lives.
//! - The tensors of a node's `outputs` are different ones. An output overlaps no other output, no scratch, and no input
//!   that it was not allowed to share memory with; no input is also an output, unless it is a variable and the op works in place.
//! - Scratch buffers are initialised, and this call's alone. Persistent memory is zeroed when it is handed out, and after
//!   `prepare` the host does not write to it for the life of the instance.
//! - `prepare` and `eval` of one instance do not run at once; between the two all may move to another thread.
//! - The functions of [`ArPrepareV1`](crate::raw::ArPrepareV1) and [`ArEvalV1`](crate::raw::ArEvalV1) are called on the thread of the
//!   call in progress, with its context.
//! - One host per process is meant. Where two hosts load one library, the later handshake wins: messages, log lines and
//!   threads of that library are the later host's from then on, also in calls from the first.
//!
//! Nothing here needs a heap. What a host keeps of each refusal is up to it ([`Refusal`]).

mod callbacks;
mod eval;
mod model;
mod prepare;

use core::fmt;

pub use callbacks::{constants, device_memory, eval_struct, memory, prepare_struct};
pub use eval::EvalSide;
pub use model::{CallerSide, ModelSide};
pub use prepare::{ConstantsSide, Found, MemorySide, PrepareSide, Said, Share, found};

use crate::raw::{ArStatus, ArTensorV1, TENSOR_CONSTANT, TENSOR_VARIABLE};
use crate::tensor::element_count;
use crate::{ElementType, Error, Status};

/// Highest rank of a tensor.
pub const MAX_RANK: usize = 8;

/// Largest alignment that a plugin may ask for, in bytes.
pub const MAX_ALIGNMENT: usize = 64;

/// Why a host refuses a call.
pub trait Refusal: Sized {
    /// A refusal of this kind; the message is what the plugin is told.
    fn new(status: Status, message: fmt::Arguments<'_>) -> Self;

    /// Of kind [`Status::Invalid`].
    fn invalid(message: fmt::Arguments<'_>) -> Self {
        Self::new(Status::Invalid, message)
    }
}

impl Refusal for Error {
    fn new(status: Status, message: fmt::Arguments<'_>) -> Self {
        Error::new(status, message)
    }
}

/// What stands behind `context`.
pub trait HostSide {
    /// Why it refuses.
    type Refused: Refusal;

    /// Keeps the message for the call in progress; gives the status that crosses.
    fn report(refused: Self::Refused) -> ArStatus;
}

/// A call that is made for a node, whose tensors the host has.
pub trait NodeSide: HostSide {
    /// Tensor indices of the node's outputs; −1 for one that is absent. All others exist.
    fn outputs(&self) -> &[i32];

    /// The entry of tensor `t`.
    fn tensor(&self, t: usize) -> ArTensorV1;

    /// The shape of tensor `t`.
    fn shape(&self, t: usize) -> &[i32];

    /// Bytes that one tensor, or one scratch buffer, may have.
    fn limit(&self) -> u64;

    /// Whether tensor `t`, an output that is a variable, may get another size than it has.
    fn may_resize(&self, _t: usize) -> bool {
        false
    }
}

/// The tensor of output `output`; `None` if there is none.
fn output_tensor<H: NodeSide>(host: &H, output: u32) -> Option<usize> {
    let outputs = host.outputs();
    outputs.get(output as usize).and_then(|&t| usize::try_from(t).ok())
}

fn element_type(tensor: &ArTensorV1) -> ElementType {
    ElementType::from_raw(tensor.element_type).unwrap_or(ElementType::F32)
}

/// Checks a shape that a plugin gives to output `output`, which is tensor `t`: rank, signs, size, and that a variable keeps its size where
/// the host wants that.
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
