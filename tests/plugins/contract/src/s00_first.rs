//! Contract 1.0: an op with a state, persistent and scratch memory and a parallel loop, `y = 2 x + 1 + earlier calls`;
//! a planner; a delegate.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

struct State {
    calls: u32,
    copy: u32,
}

unsafe fn prepared(prepare: &ArPrepareV1, node: &ArNodeV1, state: &mut State) -> Done {
    let mut calls = std::ptr::null_mut();
    // SAFETY: the host's functions, with its context.
    unsafe {
        shape_of_input(prepare, node)?;
        ok((prepare.share_memory)(prepare.context, 0, 0, 1))?;
        ok((prepare.request_persistent)(prepare.context, 4, 4, &mut state.calls, &mut calls))?;
        require(*calls.cast::<f32>() == 0.0, "persistent memory is not zeroed")?;
        ok((prepare.request_scratch)(prepare.context, input(node, 0).bytes, 16, &mut state.copy))
    }
}

unsafe extern "C" fn prepare(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    status(unsafe { prepared(&*prepare, &*node, &mut *state.cast()) })
}

struct Loop {
    x: *const f32,
    y: *mut f32,
    calls: f32,
}

unsafe extern "C" fn body(argument: *mut c_void, begin: usize, end: usize) {
    // SAFETY: the argument below; the ranges do not overlap.
    unsafe {
        let of = &*argument.cast::<Loop>();
        for i in begin..end {
            *of.y.add(i) = 2.0 * *of.x.add(i) + 1.0 + of.calls;
        }
    }
}

unsafe fn evaluated(eval: &ArEvalV1, node: &ArNodeV1, state: &State) -> Done {
    // SAFETY: the host's functions, with its context; the memory has the sizes that `prepare` requested.
    unsafe {
        require((eval.is_cancelled)(eval.context) == 0, "the call was cancelled")?;
        require(eval.persistent_count == 1 && eval.scratch_count == 1, "one of each was requested")?;
        require((eval.query)(eval.context, 1 << 31).is_null(), "no contract has this interface")?;
        let x = floats(input(node, 0));
        let copy = (*eval.scratch.add(state.copy as usize)).data.cast::<f32>();
        let calls = (*eval.persistent.add(state.calls as usize)).data.cast::<f32>();
        copy.copy_from(x.as_ptr(), x.len());
        let mut of = Loop { x: copy, y: output(node, 0).data.cast(), calls: *calls };
        let host = HOST.get().ok_or_else(|| fail("no host"))?.0;
        let body = ArRangeFn { call: body };
        ok((host.parallel_for)(x.len(), 1, eval.threads, body, (&raw mut of).cast()))?;
        *calls += 1.0;
    }
    Ok(())
}

unsafe extern "C" fn eval(eval: *const ArEvalV1, node: *const ArNodeV1, state: *mut c_void) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    status(unsafe { evaluated(&*eval, &*node, &*state.cast()) })
}

pub const OP: ArOpV1 = op("First", 1, size_of::<State>() as u64, prepare, eval);
pub const PLANNER: ArPlannerV1 =
    ArPlannerV1 { header: header::<ArPlannerV1>(), name: text("first"), plan: in_a_row, query: None };
pub const DELEGATE: ArDelegateV1 = delegate("first");
