//! Constants that the host may release, and times of a delegate's steps.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const PROFILE: u64 = 4;
const CONSTANTS: u64 = 5;

#[repr(C)]
pub struct ArConstantsV1 {
    pub header: ArHeader,
    pub release: unsafe extern "C" fn(context: *mut c_void, tensor: i32) -> ArStatus,
    pub origin: unsafe extern "C" fn(context: *mut c_void, numbers: *mut u64) -> ArStatus,
}

#[repr(C)]
pub struct ArProfileV1 {
    pub header: ArHeader,
    pub note:
        unsafe extern "C" fn(context: *mut c_void, number: u32, name: ArStr, tensor: i32, nanoseconds: u64),
}

unsafe extern "C" fn prepare(
    made: *mut c_void,
    prepare: *const ArPrepareV1,
    partition: *const ArPartitionV1,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    unsafe {
        match prepared(&*prepare, partition) {
            Ok(()) => prepare_kernel(made, prepare, partition),
            Err(status) => status,
        }
    }
}

unsafe fn prepared(prepare: &ArPrepareV1, partition: *const ArPartitionV1) -> Done {
    let cx = prepare.context;
    // SAFETY: the host's functions, with its context.
    unsafe {
        let constants: &ArConstantsV1 = found((prepare.query)(cx, CONSTANTS))?;
        let mut numbers = [1u64; 4];
        ok((constants.origin)(cx, numbers.as_mut_ptr()))?;
        require(numbers == [0; 4], "the test's model has no file")?;
        ok((constants.release)(cx, constant(partition).1))
    }
}

unsafe extern "C" fn invoke_timed(
    made: *mut c_void,
    eval: *const ArEvalV1,
    partition: *const ArPartitionV1,
    node: *const ArNodeV1,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns; the host answers with null or the
    // struct of this id.
    unsafe {
        let done = invoke(made, eval, partition, node);
        let profile = ((*eval).query)((*eval).context, PROFILE).cast::<ArProfileV1>();
        if let Some(profile) = profile.as_ref() {
            (profile.note)((*eval).context, 0, text("sum"), *(*partition).outputs, 2000);
        }
        done
    }
}

pub const DELEGATE: ArDelegateV1 = ArDelegateV1 { prepare, invoke: invoke_timed, ..delegate("profile") };
