//! A resource that is written in place: `y = x +` the number of earlier runs.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;
use crate::s11_sizes::ArResourcesV1;

const RESOURCES: u64 = 2;
const RESOURCE_MEMORY: u64 = 26;
const NAME: ArBytes = ArBytes { data: b"runs".as_ptr(), length: 4 };

#[repr(C)]
pub struct ArResourceMemoryV1 {
    pub header: ArHeader,
    pub version: unsafe extern "C" fn(context: *mut c_void) -> u64,
}

#[repr(C)]
struct State {
    runs: *mut f32,
    version: u64,
    searches: u64,
    handle: i32,
}

unsafe fn prepared(prepare: &ArPrepareV1, node: &ArNodeV1, state: *mut State) -> Done {
    let mut handle = 0;
    // SAFETY: the host's functions, with its context, and memory for the state.
    unsafe {
        let resources: &ArResourcesV1 = found((prepare.query)(prepare.context, RESOURCES))?;
        ok((resources.open)(prepare.context, NAME, &mut handle))?;
        state.write(State { runs: std::ptr::null_mut(), version: 0, searches: 0, handle });
        shape_of_input(prepare, node)
    }
}

unsafe extern "C" fn prepare(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns, and memory for the state.
    status(unsafe { prepared(&*prepare, &*node, state.cast()) })
}

/// Finds the number of runs, which is assigned first if it has no value.
unsafe fn find(eval: &ArEvalV1, node: &ArNodeV1, state: &mut State) -> Done {
    state.searches += 1;
    require(state.searches == 1, "the version stays the same")?;
    let (cx, mut none, length) = (eval.context, 0f32, 1i32);
    // SAFETY: the host's functions, with its context; a node's input is a complete entry.
    unsafe {
        let resources: &ArResourcesV1 = found((eval.query)(cx, RESOURCES))?;
        let mut value = *input(node, 0);
        ok((resources.value)(cx, state.handle, &mut value))?;
        if value.dims.is_null() {
            (value.rank, value.dims, value.bytes) = (1, &length, 4);
            value.data = (&raw mut none).cast();
            ok((resources.assign)(cx, state.handle, &value))?;
            ok((resources.value)(cx, state.handle, &mut value))?;
        }
        state.runs = value.data.cast();
    }
    Ok(())
}

unsafe fn evaluated(eval: &ArEvalV1, node: &ArNodeV1, state: &mut State) -> Done {
    // SAFETY: the host's functions, with its context. While the version is the same, the value stays where it is.
    unsafe {
        let memory: &ArResourceMemoryV1 = found((eval.query)(eval.context, RESOURCE_MEMORY))?;
        if state.runs.is_null() || (memory.version)(eval.context) != state.version {
            find(eval, node, state)?;
        }
        state.version = (memory.version)(eval.context);
        let (x, runs) = (floats(input(node, 0)), *state.runs);
        fill(output(node, 0), |i| x[i] + runs);
        *state.runs += 1.0;
    }
    Ok(())
}

unsafe extern "C" fn eval(eval: *const ArEvalV1, node: *const ArNodeV1, state: *mut c_void) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns; `prepare` wrote the state.
    status(unsafe { evaluated(&*eval, &*node, &mut *state.cast()) })
}

pub const OP: ArOpV1 = op("CountsRuns", 1, size_of::<State>() as u64, prepare, eval);
