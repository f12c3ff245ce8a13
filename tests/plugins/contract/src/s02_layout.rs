//! Views of tensors: `y` is the second half of `x` and may share its memory; the other output is 1 if it did.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const LAYOUT: u64 = 3;
const SHARE_PART_OF_INPUT: u32 = 3;

#[repr(C)]
pub struct ArLayoutV1 {
    pub header: ArHeader,
    pub share_part: unsafe extern "C" fn(
        context: *mut c_void,
        output: u32,
        input: u32,
        kind: u32,
        bytes: u64,
    ) -> ArStatus,
}

unsafe extern "C" fn prepare(prepare: *const ArPrepareV1, node: *const ArNodeV1, _: *mut c_void) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    status(unsafe { prepared(&*prepare, &*node) })
}

unsafe fn prepared(prepare: &ArPrepareV1, node: &ArNodeV1) -> Done {
    let cx = prepare.context;
    // SAFETY: the host's functions, with its context.
    unsafe {
        let layout: &ArLayoutV1 = found((prepare.query)(cx, LAYOUT))?;
        let bytes = input(node, 0).bytes / 2;
        ok((prepare.set_output_shape)(cx, 0, &(bytes as i32 / 4), 1))?;
        ok((prepare.set_output_shape)(cx, 1, &1, 1))?;
        ok((layout.share_part)(cx, 0, 0, SHARE_PART_OF_INPUT, bytes))
    }
}

unsafe extern "C" fn eval(_: *const ArEvalV1, node: *const ArNodeV1, _: *mut c_void) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    unsafe {
        let (x, y) = (input(&*node, 0), output(&*node, 0));
        let half = x.data.byte_add(y.bytes as usize);
        fill(output(&*node, 1), |_| if y.data == half { 1.0 } else { 0.0 });
        y.data.cast::<u8>().copy_from(half.cast(), y.bytes as usize);
    }
    OK
}

pub const OP: ArOpV1 = op("Layout", 8, 0, prepare, eval);
