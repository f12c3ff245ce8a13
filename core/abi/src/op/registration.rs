//! The registration of an op with a host.

use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::ops::Deref;

use super::{EvalContext, NodeView, Op, OpCode, PrepareContext};
use crate::Result;
use crate::raw::{self, ArEvalV1, ArNodeV1, ArOpV1, ArPrepareV1, ArStatus, ArStr};
use crate::shim::status;

/// An op for a host to run: an [`ArOpV1`] whose functions, name and state belong together.
///
/// Safe code can only get one from [`registration`], and can read its fields but not change them:
///
/// ```compile_fail,E0594
/// # use arenite_abi::op::{Op, registration};
/// fn mixed<A: Op, B: Op>() {
///     let mut op = registration::<A>();
///     op.eval = registration::<B>().eval; // B's `eval` would read the state that A's `prepare` wrote
/// }
/// ```
/// ```compile_fail,E0594
/// # use arenite_abi::op::{Op, registration};
/// fn smaller<A: Op>() {
///     registration::<A>().state_size = 1; // A's `prepare` would write past its state
/// }
/// ```
/// ```compile_fail,E0423
/// # use arenite_abi::op::{Op, Registration, registration};
/// # use arenite_abi::raw::ArOpV1;
/// fn mixed<A: Op, B: Op>() -> Registration {
///     Registration(ArOpV1 { eval: registration::<B>().eval, ..registration::<A>().into_raw() })
/// }
/// ```
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Registration(ArOpV1);

impl Registration {
    /// Wraps a struct, for example the struct of an op in C.
    ///
    /// # Safety
    /// While any copy of the registration is in use:
    /// - `custom_name` must be readable.
    /// - `flags` must not contain `OP_USER_DATA`, because a registration has no user data.
    /// - `prepare`, `eval` and `drop` must accept the arguments that the ABI gives them, on any thread, and must not
    ///   unwind.
    /// - `state_size` and `state_align` must describe the state that `prepare` writes; `eval` and `drop` must accept
    ///   that state.
    pub const unsafe fn from_raw(op: ArOpV1) -> Self {
        Registration(op)
    }

    /// The registration as a struct of the ABI.
    pub const fn into_raw(self) -> ArOpV1 {
        self.0
    }

    /// This registration with other functions for the same state.
    pub(super) const fn with_functions(self, prepare: PrepareFn, eval: EvalFn) -> Self {
        Registration(ArOpV1 { prepare, eval, ..self.0 })
    }

    /// The name of a custom op; empty for a builtin op.
    pub fn name(&self) -> &str {
        // SAFETY: the name is readable as long as the registration: `registration` takes a `&'static str`, and
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

/// The registration of the op `T`.
pub const fn registration<T: Op>() -> Registration {
    registration_with::<T>(true)
}

/// Like [`registration`]. Without `embedding`, a host cannot embed the op's states, and the linker leaves out the code
/// for it.
pub const fn registration_with<T: Op>(embedding: bool) -> Registration {
    let (builtin_code, custom_name) = match T::CODE {
        OpCode::Builtin(code) => (code, ""),
        OpCode::Custom(name) => (raw::BUILTIN_CUSTOM, name),
    };
    Registration(ArOpV1 {
        header: raw::ArHeader::of::<ArOpV1>(),
        builtin_code,
        min_version: *T::VERSIONS.start(),
        max_version: *T::VERSIONS.end(),
        flags: if T::STATEFUL { raw::OP_STATEFUL } else { 0 } | T::SHARING.flags() | T::OUTPUT_TYPE.flags(),
        custom_name: ArStr::new(custom_name),
        element_types: T::TYPES.bits(),
        state_size: size_of::<T>() as u64,
        state_align: align_of::<T>() as u64,
        prepare: prepare::<T>,
        eval: eval::<T>,
        drop: if core::mem::needs_drop::<T>() { Some(drop::<T>) } else { None },
        query: if embedding { super::embed::query_of::<T>() } else { None },
    })
}

type PrepareFn = unsafe extern "C" fn(*const ArPrepareV1, *const ArNodeV1, *mut c_void) -> ArStatus;
type EvalFn = unsafe extern "C" fn(*const ArEvalV1, *const ArNodeV1, *mut c_void) -> ArStatus;

unsafe extern "C" fn prepare<T: Op>(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    // SAFETY: the caller meets the same requirements.
    unsafe { prepare_by(prepare, node, state, T::prepare, |_| Ok(())) }
}

/// Prepares a node with `by`, unless `check` refuses the state.
///
/// # Safety
/// As for [`ArOpV1::prepare`], with memory for the state of a `T`.
#[inline(always)]
pub(super) unsafe fn prepare_by<T: Op>(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
    by: impl Fn(&NodeView<'_>, &mut PrepareContext<'_>) -> Result<T>,
    check: impl Fn(&T) -> Result<()>,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires the host to pass structs that are valid during the call.
        let (node, mut cx) = unsafe { (NodeView::from_raw(&*node), PrepareContext::from_raw(&*prepare)) };
        let prepared = by(&node, &mut cx);
        match &prepared {
            Ok(op) => check(op)?,
            Err(error) => return Err(*error),
        }
        let prepared = ManuallyDrop::new(prepared);
        if let Ok(op) = &*prepared {
            // SAFETY: the host allocated `state` with the size and alignment of `T` given in the registration. The copy
            // is the only owner, because `prepared` is not dropped. Moving the value instead takes another copy on the
            // stack.
            unsafe { state.cast::<T>().copy_from_nonoverlapping(op, 1) };
        }
        Ok(())
    })
}

unsafe extern "C" fn eval<T: Op>(
    eval: *const ArEvalV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    // SAFETY: the caller meets the same requirements.
    unsafe { eval_by(eval, node, state, T::eval) }
}

/// Runs a node with `by`.
///
/// # Safety
/// As for [`ArOpV1::eval`], with the state of a prepared `T`.
#[inline(always)]
pub(super) unsafe fn eval_by<T: Op>(
    eval: *const ArEvalV1,
    node: *const ArNodeV1,
    state: *mut c_void,
    by: impl Fn(&T, &mut EvalContext<'_>) -> Result<()>,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires the structs to be valid during the call, and `state` to be initialized by `prepare`.
        let (op, mut cx) = unsafe { (&*state.cast::<T>(), EvalContext::from_raw(&*eval, &*node)) };
        by(op, &mut cx)
    })
}

unsafe extern "C" fn drop<T: Op>(state: *mut c_void) {
    // A panic in a destructor is reported like any other; the rest of the value leaks.
    status(&mut || {
        // SAFETY: the ABI requires `state` to be initialized by `prepare` and not to be used again.
        unsafe { state.cast::<T>().drop_in_place() };
        Ok(())
    });
}
