//! Runs the nodes of an embedded model ([`Embedding`](crate::Embedding)): tables in the program, without a reader, a
//! verifier or a planner.
//!
//! Generated C files fill the structs of `arenite_embedded.h`. Generated Rust files make the same structs with the
//! functions of [`Tensor`], [`Node`], [`Step`] and so on, and run them through [`Owned`], on targets with atomic swaps.

mod model;
#[cfg(target_has_atomic = "8")]
mod program;
mod tables;

use core::ffi::c_void;
use core::ptr::null;

use arenite_abi::raw::{ArEvalV1, ArNodeV1, ArStatus};

pub use arenite_abi::{ElementType, EvalContext, Op, Result, Status};
pub use model::{EmbeddedGraph, EmbeddedModel, EmbeddedResource, EmbeddedValue, forget, query_model};
#[cfg(target_has_atomic = "8")]
pub use program::{Arena, First, Owned, Parts, Program};
pub use tables::{
    Aligned, Buffer, Context, Graph, Kernel, Memory, Model, Node, NodeOrigin, Port, Resource, Scales, Step,
    Tensor,
};

/// A node: the function that runs it, and what this function takes. `ArEmbeddedStep` in C.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EmbeddedStep {
    /// `eval` of the op, or the function that its state is for.
    pub eval: unsafe extern "C" fn(*const ArEvalV1, *const ArNodeV1, *mut c_void) -> ArStatus,
    /// Its buffers.
    pub context: *const ArEvalV1,
    /// The node.
    pub node: *const ArNodeV1,
    /// Its state.
    pub state: *const c_void,
}

/// Runs nodes in order until one fails.
///
/// # Safety
/// The steps must come from one [`Embedding`](crate::Embedding), and none of its steps may be running.
pub unsafe fn run_embedded(steps: &[EmbeddedStep]) -> ArStatus {
    for step in steps {
        // SAFETY: `Embedding` writes valid structs and the state that the function expects, which it does not write.
        let status = unsafe { (step.eval)(step.context, step.node, step.state.cast_mut()) };
        if status != Status::Ok as ArStatus {
            return status;
        }
    }
    Status::Ok as ArStatus
}

/// `resize_output` of the contexts: no output of an embedded model is dynamic.
pub extern "C" fn resize_output(_: *mut c_void, _: u32, _: *const i32, _: u32, _: u64) -> ArStatus {
    Status::Unsupported as ArStatus
}

/// `is_cancelled` of the contexts.
pub extern "C" fn is_cancelled(_: *mut c_void) -> u8 {
    0
}

/// `query` of the contexts: nothing is lent.
pub extern "C" fn query(_: *mut c_void, _: u64) -> *const c_void {
    null()
}
