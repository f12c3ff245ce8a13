//! A delegate that packs in `compile`, releases the constant there, and reports the contents of its scratch memory.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const CONSTANTS: u64 = 5;
const COMPILE: u64 = 7;
const KERNEL_PLAN: u64 = 8;

#[repr(C)]
pub struct ArDescribeV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub describe:
        unsafe extern "C" fn(context: *mut c_void, subgraph: u32, graph: *mut *const ArGraphV1) -> ArStatus,
}

#[repr(C)]
pub struct ArConstantsV1 {
    pub header: ArHeader,
    pub release: unsafe extern "C" fn(context: *mut c_void, tensor: i32) -> ArStatus,
    pub origin: unsafe extern "C" fn(context: *mut c_void, numbers: *mut u64) -> ArStatus,
}

#[repr(C)]
pub struct ArCompileHostV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub threads: u32,
    pub subgraphs: *const ArDescribeV1,
    pub query: unsafe extern "C" fn(context: *mut c_void, interface: u64) -> *const c_void,
}

#[repr(C)]
pub struct ArCompileV1 {
    pub header: ArHeader,
    pub compile: unsafe extern "C" fn(
        delegate: *mut c_void,
        partition: *const ArPartitionV1,
        host: *const ArCompileHostV1,
        kernel: *mut *mut c_void,
    ) -> ArStatus,
}

#[repr(C)]
pub struct ArPlanNotesV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub note: unsafe extern "C" fn(
        context: *mut c_void,
        scratch: u32,
        record: *const ArUsageRecordV1,
        offset: u64,
        name: ArStr,
    ),
}

#[repr(C)]
pub struct ArKernelPlanV1 {
    pub header: ArHeader,
    pub plan: unsafe extern "C" fn(kernel: *mut c_void, notes: *const ArPlanNotesV1) -> ArStatus,
}

unsafe extern "C" fn compile_not(_: *mut c_void, _: *const ArPartitionV1, _: *mut *mut c_void) -> ArStatus {
    fail("the host has the other compile")
}

unsafe extern "C" fn compile_packing(
    delegate: *mut c_void,
    partition: *const ArPartitionV1,
    host: *const ArCompileHostV1,
    kernel: *mut *mut c_void,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    status(unsafe { packed(partition, &*host) }.and_then(|()| {
        // SAFETY: the host's arguments are passed on unchanged.
        ok(unsafe { compile(delegate, partition, kernel) })
    }))
}

unsafe fn packed(partition: *const ArPartitionV1, host: &ArCompileHostV1) -> Done {
    // SAFETY: the host's functions, with its context.
    unsafe {
        let constants: &ArConstantsV1 = found((host.query)(host.context, CONSTANTS))?;
        let mut other = std::ptr::null();
        ok(((*host.subgraphs).describe)((*host.subgraphs).context, 1, &mut other))?;
        require((*other).node_count == 1 && host.threads >= 1, "subgraph 1 is one node")?;
        ok((constants.release)(host.context, constant(partition).1))
    }
}

unsafe extern "C" fn prepare(
    made: *mut c_void,
    prepare: *const ArPrepareV1,
    partition: *const ArPartitionV1,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    unsafe {
        match prepared(made, &*prepare) {
            Ok(()) => prepare_kernel(made, prepare, partition),
            Err(status) => status,
        }
    }
}

unsafe fn prepared(made: *mut c_void, prepare: &ArPrepareV1) -> Done {
    let cx = prepare.context;
    // SAFETY: the host's functions, with its context.
    unsafe {
        let scratch = &mut kernel(made).scratch;
        ok((prepare.request_scratch)(cx, 256, 64, scratch))
    }
}

unsafe extern "C" fn plan(made: *mut c_void, notes: *const ArPlanNotesV1) -> ArStatus {
    let record = ArUsageRecordV1 {
        size: 128,
        alignment: 64,
        first_node: 0,
        last_node: 0,
        fixed_offset: u64::MAX,
        tensor: -1,
        share_with: -1,
        share_kind: 0,
        reserved: 0,
    };
    // SAFETY: the host passes structs that stay valid until this function returns.
    unsafe { ((*notes).note)((*notes).context, kernel(made).scratch, &record, 64, text("half of it")) };
    OK
}

unsafe extern "C" fn query(id: u64) -> *const c_void {
    static COMPILES: ArCompileV1 = ArCompileV1 { header: header::<ArCompileV1>(), compile: compile_packing };
    static PLANS: ArKernelPlanV1 = ArKernelPlanV1 { header: header::<ArKernelPlanV1>(), plan };
    match id {
        COMPILE => pointer(&COMPILES),
        KERNEL_PLAN => pointer(&PLANS),
        _ => std::ptr::null(),
    }
}

pub const DELEGATE: ArDelegateV1 =
    ArDelegateV1 { compile: compile_not, prepare, query: Some(query), ..delegate("compile") };
