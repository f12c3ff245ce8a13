//! Subgraphs and resources: `y = (x²)² + earlier calls`, computed by the model's subgraph 1 and a counter that keeps
//! its value between calls.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::contract_1_0::*;
use crate::fixture::*;

const SUBGRAPHS: u64 = 1;
const RESOURCES: u64 = 2;
const NAME: ArBytes = ArBytes { data: b"calls".as_ptr(), length: 5 };

#[repr(C)]
pub struct ArSubgraphsV1 {
    pub header: ArHeader,
    pub describe:
        unsafe extern "C" fn(context: *mut c_void, subgraph: u32, graph: *mut *const ArGraphV1) -> ArStatus,
    pub set_input: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        input: u32,
        value: *const ArTensorV1,
    ) -> ArStatus,
    pub forward: unsafe extern "C" fn(context: *mut c_void, from: u32, to: u32) -> ArStatus,
    pub prepare: unsafe extern "C" fn(context: *mut c_void, subgraph: u32) -> ArStatus,
    pub invoke: unsafe extern "C" fn(context: *mut c_void, subgraph: u32) -> ArStatus,
    pub output: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        output: u32,
        value: *mut ArTensorV1,
    ) -> ArStatus,
}

#[repr(C)]
pub struct ArResourcesV1 {
    pub header: ArHeader,
    pub open: unsafe extern "C" fn(context: *mut c_void, name: ArBytes, handle: *mut i32) -> ArStatus,
    pub value: unsafe extern "C" fn(context: *mut c_void, handle: i32, value: *mut ArTensorV1) -> ArStatus,
    pub assign: unsafe extern "C" fn(context: *mut c_void, handle: i32, value: *const ArTensorV1) -> ArStatus,
}

unsafe fn prepared(prepare: &ArPrepareV1, node: &ArNodeV1, calls: &mut i32) -> Done {
    let cx = prepare.context;
    // SAFETY: the host's functions, with its context.
    unsafe {
        let subgraphs: &ArSubgraphsV1 = found((prepare.query)(cx, SUBGRAPHS))?;
        let resources: &ArResourcesV1 = found((prepare.query)(cx, RESOURCES))?;
        ok((resources.open)(cx, NAME, calls))?;
        let mut graph = std::ptr::null();
        ok((subgraphs.describe)(cx, 1, &mut graph))?;
        let counts = ((*graph).input_count, (*graph).output_count, (*graph).node_count);
        require(counts == (1, 1, 1), "subgraph 1 has other sizes than expected")?;
        ok((subgraphs.set_input)(cx, 1, 0, input(node, 0)))?;
        ok((subgraphs.prepare)(cx, 1))?;
        let mut y = MaybeUninit::<ArTensorV1>::uninit();
        ok((subgraphs.output)(cx, 1, 0, y.as_mut_ptr()))?;
        let y = y.assume_init();
        ok((prepare.set_output_shape)(cx, 0, y.dims, y.rank))
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

unsafe fn evaluated(eval: &ArEvalV1, node: &ArNodeV1, calls: &i32) -> Done {
    let cx = eval.context;
    // SAFETY: the host's functions, with its context.
    unsafe {
        let subgraphs: &ArSubgraphsV1 = found((eval.query)(cx, SUBGRAPHS))?;
        let resources: &ArResourcesV1 = found((eval.query)(cx, RESOURCES))?;
        ok((subgraphs.set_input)(cx, 1, 0, input(node, 0)))?;
        ok((subgraphs.invoke)(cx, 1))?;
        ok((subgraphs.forward)(cx, 1, 1))?;
        ok((subgraphs.invoke)(cx, 1))?;
        let (mut y, mut count) = (MaybeUninit::<ArTensorV1>::uninit(), MaybeUninit::<ArTensorV1>::uninit());
        ok((subgraphs.output)(cx, 1, 0, y.as_mut_ptr()))?;
        ok((resources.value)(cx, *calls, count.as_mut_ptr()))?;
        let (y, count) = (floats(&y.assume_init()), count.assume_init());
        let counted = if count.data.is_null() { 0.0 } else { *count.data.cast::<f32>() };
        fill(output(node, 0), |i| y[i] + counted);
        let mut next = counted + 1.0;
        let value = ArTensorV1 {
            element_type: 0,
            rank: 1,
            dims: &1,
            data: (&raw mut next).cast(),
            bytes: 4,
            quantization: std::ptr::null(),
            flags: 0,
            memory_kind: 0,
            handle: 0,
            name: text(""),
        };
        ok((resources.assign)(cx, *calls, &value))
    }
}

unsafe extern "C" fn eval(eval: *const ArEvalV1, node: *const ArNodeV1, state: *mut c_void) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    status(unsafe { evaluated(&*eval, &*node, &*state.cast()) })
}

pub const OP: ArOpV1 = op("Subgraphs", 1, 4, prepare, eval);
