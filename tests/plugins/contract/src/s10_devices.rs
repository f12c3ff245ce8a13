//! A delegate with a device: it is listed, its bytes are counted, outputs stay on it, and the kernel reports facts.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const DEVICES: u64 = 15;
const FACTS: u64 = 16;
const DEVICE_MEMORY: u64 = 17;
const BUFFERS: u64 = 18;
const KEEP: u64 = 19;

#[repr(C)]
pub struct ArMemoryV1 {
    pub header: ArHeader,
    pub room: unsafe extern "C" fn(context: *mut c_void) -> u64,
    pub hold: unsafe extern "C" fn(context: *mut c_void, bytes: u64) -> ArStatus,
}

#[repr(C)]
pub struct ArDeviceV1 {
    pub header: ArHeader,
    pub name: ArStr,
    pub driver: ArStr,
    pub kind: ArStr,
    pub memory: u64,
    pub limits: *const ArPair,
    pub limit_count: usize,
}

#[repr(C)]
pub struct ArDeviceNotesV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub note: unsafe extern "C" fn(context: *mut c_void, device: *const ArDeviceV1),
}

#[repr(C)]
pub struct ArDevicesV1 {
    pub header: ArHeader,
    pub list: unsafe extern "C" fn(notes: *const ArDeviceNotesV1) -> ArStatus,
}

#[repr(C)]
pub struct ArFactNotesV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub number: unsafe extern "C" fn(context: *mut c_void, key: ArStr, value: u64, unit: ArStr),
    pub text: unsafe extern "C" fn(context: *mut c_void, key: ArStr, value: ArStr),
}

#[repr(C)]
pub struct ArFactsV1 {
    pub header: ArHeader,
    pub tell: unsafe extern "C" fn(kernel: *mut c_void, notes: *const ArFactNotesV1) -> ArStatus,
}

#[repr(C)]
pub struct ArBuffersV1 {
    pub header: ArHeader,
    pub read:
        unsafe extern "C" fn(kernel: *mut c_void, handle: u64, data: *mut c_void, bytes: u64) -> ArStatus,
}

#[repr(C)]
pub struct ArKeepV1 {
    pub header: ArHeader,
    pub keep: unsafe extern "C" fn(context: *mut c_void, output: u32, handle: u64) -> ArStatus,
}

unsafe extern "C" fn list(notes: *const ArDeviceNotesV1) -> ArStatus {
    let limits = [ArPair { key: text("image"), value: text("16") }];
    let device = ArDeviceV1 {
        header: header::<ArDeviceV1>(),
        name: text("Frozen"),
        driver: text("Example 1"),
        kind: text("gpu"),
        memory: 4096,
        limits: limits.as_ptr(),
        limit_count: 1,
    };
    // SAFETY: the host passes structs that stay valid until this function returns.
    unsafe { ((*notes).note)((*notes).context, &device) };
    OK
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
        let memory: &ArMemoryV1 = found((prepare.query)(cx, DEVICE_MEMORY))?;
        require((memory.room)(cx) > 0, "the quota has room")?;
        ok((memory.hold)(cx, 16))
    }
}

unsafe extern "C" fn invoke_keeping(
    made: *mut c_void,
    eval: *const ArEvalV1,
    partition: *const ArPartitionV1,
    node: *const ArNodeV1,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns; the host answers with null or the
    // struct of this id.
    unsafe {
        match ((*eval).query)((*eval).context, KEEP).cast::<ArKeepV1>().as_ref() {
            None => invoke(made, eval, partition, node),
            Some(keeps) => {
                kernel(made).y = add(kernel(made), node);
                (keeps.keep)((*eval).context, 0, 7)
            }
        }
    }
}

unsafe extern "C" fn read(made: *mut c_void, handle: u64, data: *mut c_void, bytes: u64) -> ArStatus {
    if handle != 7 || bytes != 16 {
        return fail("handle 7 has 16 bytes");
    }
    // SAFETY: `data` has `bytes`.
    unsafe { data.cast::<f32>().copy_from(kernel(made).y.as_ptr(), 4) };
    OK
}

unsafe extern "C" fn tell(made: *mut c_void, notes: *const ArFactNotesV1) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    unsafe {
        ((*notes).number)((*notes).context, text("runs"), kernel(made).runs, text(""));
        ((*notes).text)((*notes).context, text("device"), text("Frozen"));
    }
    OK
}

unsafe extern "C" fn query(id: u64) -> *const c_void {
    static LISTS: ArDevicesV1 = ArDevicesV1 { header: header::<ArDevicesV1>(), list };
    static TELLS: ArFactsV1 = ArFactsV1 { header: header::<ArFactsV1>(), tell };
    static READS: ArBuffersV1 = ArBuffersV1 { header: header::<ArBuffersV1>(), read };
    match id {
        DEVICES => pointer(&LISTS),
        FACTS => pointer(&TELLS),
        BUFFERS => pointer(&READS),
        _ => std::ptr::null(),
    }
}

pub const DELEGATE: ArDelegateV1 =
    ArDelegateV1 { prepare, invoke: invoke_keeping, query: Some(query), ..delegate("devices") };
