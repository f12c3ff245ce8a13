//! The numbers of a subgraph's inputs and outputs, and resizing a resource: `y = x + 10 inputs + outputs` of subgraph
//! 1.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const RESOURCES: u64 = 2;
const SIZES: u64 = 20;
const NAME: ArBytes = ArBytes { data: b"reserved".as_ptr(), length: 8 };

#[repr(C)]
pub struct ArResourcesV1 {
    pub header: ArHeader,
    pub open: unsafe extern "C" fn(context: *mut c_void, name: ArBytes, handle: *mut i32) -> ArStatus,
    pub value: unsafe extern "C" fn(context: *mut c_void, handle: i32, value: *mut ArTensorV1) -> ArStatus,
    pub assign: unsafe extern "C" fn(context: *mut c_void, handle: i32, value: *const ArTensorV1) -> ArStatus,
}

#[repr(C)]
pub struct ArSizesV1 {
    pub header: ArHeader,
    pub ports: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        inputs: *mut u64,
        outputs: *mut u64,
    ) -> ArStatus,
    pub reserve:
        unsafe extern "C" fn(context: *mut c_void, handle: i32, value: *const ArTensorV1) -> ArStatus,
}

unsafe fn prepared(prepare: &ArPrepareV1, node: &ArNodeV1, told: &mut f32) -> Done {
    let cx = prepare.context;
    let (mut inputs, mut outputs, mut handle) = (0, 0, 0);
    // SAFETY: the host's functions, with its context.
    unsafe {
        let sizes: &ArSizesV1 = found((prepare.query)(cx, SIZES))?;
        let resources: &ArResourcesV1 = found((prepare.query)(cx, RESOURCES))?;
        ok((sizes.ports)(cx, 1, &mut inputs, &mut outputs))?;
        ok((resources.open)(cx, NAME, &mut handle))?;
        ok((sizes.reserve)(cx, handle, input(node, 0)))?;
        *told = (10 * inputs + outputs) as f32;
        shape_of_input(prepare, node)
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

unsafe extern "C" fn eval(_: *const ArEvalV1, node: *const ArNodeV1, state: *mut c_void) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns; `prepare` wrote the state.
    unsafe {
        let (x, told) = (floats(input(&*node, 0)), *state.cast::<f32>());
        fill(output(&*node, 0), |i| x[i] + told);
    }
    OK
}

pub const OP: ArOpV1 = op("Sizes", 0, 4, prepare, eval);
