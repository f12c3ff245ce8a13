//! A kernel that holds 1,000 bytes of the quota.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const MEMORY: u64 = 12;

#[repr(C)]
pub struct ArMemoryV1 {
    pub header: ArHeader,
    pub room: unsafe extern "C" fn(context: *mut c_void) -> u64,
    pub hold: unsafe extern "C" fn(context: *mut c_void, bytes: u64) -> ArStatus,
}

unsafe extern "C" fn prepare(
    made: *mut c_void,
    prepare: *const ArPrepareV1,
    partition: *const ArPartitionV1,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    unsafe {
        match prepared(&*prepare) {
            Ok(()) => prepare_kernel(made, prepare, partition),
            Err(status) => status,
        }
    }
}

unsafe fn prepared(prepare: &ArPrepareV1) -> Done {
    let cx = prepare.context;
    // SAFETY: the host's functions, with its context.
    unsafe {
        let memory: &ArMemoryV1 = found((prepare.query)(cx, MEMORY))?;
        require((memory.room)(cx) > 0, "the quota has room")?;
        ok((memory.hold)(cx, 1000))
    }
}

pub const DELEGATE: ArDelegateV1 = ArDelegateV1 { prepare, ..delegate("memory") };
