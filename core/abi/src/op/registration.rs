//! The registration of an op, as a host takes it.

use core::ops::Deref;

use super::{Op, OpCode};
use crate::raw::{self, ArOpV1, ArStr};

/// What a host needs to run an op: an [`ArOpV1`] whose functions, name and state belong together.
///
/// Safe code gets one from [`registration`] only, and can read its fields but not change them:
///
/// ```compile_fail,E0594
/// # use arenite_abi::op::{Op, registration};
/// fn mixed<A: Op, B: Op>() {
///     let mut op = registration::<A>();
///     op.eval = registration::<B>().eval; // B's `eval` would read the state that A's `prepare` wrote
/// }
/// ```
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Registration(ArOpV1);

impl Registration {
    /// Takes a struct, for example the one of an op in C.
    ///
    /// # Safety
    /// While any copy of the registration is in use:
    /// - `custom_name` is readable;
    /// - `flags` lack `OP_USER_DATA`: a registration comes without data of its own;
    /// - `prepare`, `eval` and `drop` accept the arguments that the contract gives them, on any thread, and do not unwind;
    /// - `state_size` and `state_align` describe the state that `prepare` writes; `eval` and `drop` accept that state.
    pub const unsafe fn from_raw(op: ArOpV1) -> Self {
        Registration(op)
    }

    /// The struct that crosses the boundary.
    pub const fn into_raw(self) -> ArOpV1 {
        self.0
    }

    /// The name of a custom op; empty for a builtin one.
    pub fn name(&self) -> &str {
        // SAFETY: a registration's name is readable while the registration is: `registration` takes a `&'static str`, and
        // `from_raw` requires it.
        unsafe { self.0.custom_name.as_str() }
    }
}

impl Deref for Registration {
    type Target = ArOpV1;

    fn deref(&self) -> &ArOpV1 {
        &self.0
    }
}

/// The registration of `T`.
pub const fn registration<T: Op>() -> Registration {
    let (builtin_code, custom_name) = match T::CODE {
        OpCode::Builtin(code) => (code, ""),
        OpCode::Custom(name) => (raw::BUILTIN_CUSTOM, name),
    };
    Registration(ArOpV1 {
        header: raw::ArHeader::of::<ArOpV1>(),
        builtin_code,
        min_version: *T::VERSIONS.start(),
        max_version: *T::VERSIONS.end(),
        flags: if T::STATEFUL { raw::OP_STATEFUL } else { 0 } | T::SHARING.flags(),
        custom_name: ArStr::new(custom_name),
        element_types: T::TYPES.bits(),
        state_size: size_of::<T>() as u64,
        state_align: align_of::<T>() as u64,
        prepare: crate::shim::prepare::<T>,
        eval: crate::shim::eval::<T>,
        drop: if core::mem::needs_drop::<T>() { Some(crate::shim::drop::<T>) } else { None },
        query: None,
    })
}
