//! An op whose state can be embedded in a program: `y = factor x`. Another machine runs it with `fixture_scale`.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const EMBED: u64 = 25;

type ArPutStateFn = unsafe extern "C" fn(
    context: *mut c_void,
    kernel: ArStr,
    state: *const c_void,
    bytes: u64,
    alignment: u64,
) -> ArStatus;

#[repr(C)]
pub struct ArEmbedV1 {
    pub header: ArHeader,
    pub embed: unsafe extern "C" fn(
        state: *const c_void,
        pointer_bytes: u32,
        context: *mut c_void,
        put: ArPutStateFn,
    ) -> ArStatus,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct State {
    factor: f32,
    pointer_bytes: u32,
}

unsafe extern "C" fn prepare(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns, and memory for the state.
    unsafe {
        state.cast::<State>().write(State { factor: 3.0, pointer_bytes: size_of::<usize>() as u32 });
        status(shape_of_input(&*prepare, &*node))
    }
}

unsafe extern "C" fn eval(_: *const ArEvalV1, node: *const ArNodeV1, state: *mut c_void) -> ArStatus {
    // SAFETY: the host passes a prepared node, and the state that `prepare` wrote.
    unsafe {
        let (x, factor) = (floats(input(&*node, 0)), (*state.cast::<State>()).factor);
        fill(output(&*node, 0), |i| factor * x[i]);
    }
    OK
}

unsafe extern "C" fn embed(
    state: *const c_void,
    pointer_bytes: u32,
    context: *mut c_void,
    put: ArPutStateFn,
) -> ArStatus {
    // SAFETY: the state is the one that `prepare` wrote, and `put` accepts the context.
    unsafe {
        let there = State { pointer_bytes, ..*state.cast::<State>() };
        put(context, text("fixture_scale"), (&raw const there).cast(), 8, 4)
    }
}

unsafe extern "C" fn query(id: u64) -> *const c_void {
    static EMBEDS: ArEmbedV1 = ArEmbedV1 { header: header::<ArEmbedV1>(), embed };
    if id == EMBED { pointer(&EMBEDS) } else { std::ptr::null() }
}

pub const OP: ArOpV1 = ArOpV1 { query: Some(query), ..op("Embed", 0, 8, prepare, eval) };
