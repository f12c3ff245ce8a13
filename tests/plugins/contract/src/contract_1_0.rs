//! Contract 1.0, as `raw.rs` first declared it. Never change it.
#![allow(dead_code)] // some of it is used

use core::ffi::c_void;

pub type ArStatus = u32;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArHeader {
    pub struct_size: u32,
    pub major: u16,
    pub minor: u16,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArStr {
    pub data: *const u8,
    pub length: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArBytes {
    pub data: *const u8,
    pub length: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArSpan {
    pub data: *mut c_void,
    pub bytes: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArPair {
    pub key: ArStr,
    pub value: ArStr,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArTable {
    pub buffer: ArBytes,
    pub position: u64,
    pub tag: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArQuantizationV1 {
    pub header: ArHeader,
    pub scales: *const f32,
    pub scale_count: usize,
    pub zero_points: *const i64,
    pub zero_point_count: usize,
    pub quantized_dimension: i32,
    pub block_size: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArTensorV1 {
    pub element_type: u32,
    pub rank: u32,
    pub dims: *const i32,
    pub data: *mut c_void,
    pub bytes: u64,
    pub quantization: *const ArQuantizationV1,
    pub flags: u32,
    pub memory_kind: u32,
    pub handle: u64,
    pub name: ArStr,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArNodeV1 {
    pub header: ArHeader,
    pub builtin_code: i32,
    pub version: i32,
    pub custom_name: ArStr,
    pub index: u32,
    pub subgraph: u32,
    pub tensors: *const ArTensorV1,
    pub tensor_stride: usize,
    pub tensor_count: usize,
    pub inputs: *const i32,
    pub input_count: usize,
    pub outputs: *const i32,
    pub output_count: usize,
    pub intermediates: *const i32,
    pub intermediate_count: usize,
    pub options: ArTable,
    pub options_2: ArTable,
    pub custom_options: ArBytes,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArHostV1 {
    pub header: ArHeader,
    pub set_error: unsafe extern "C" fn(message: ArStr),
    pub log: unsafe extern "C" fn(level: u32, target: ArStr, message: ArStr),
    pub parallel_for: unsafe extern "C" fn(
        count: usize,
        grain: usize,
        threads: u32,
        body: ArRangeFn,
        argument: *mut c_void,
    ) -> ArStatus,
    pub query: unsafe extern "C" fn(interface: u64) -> *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArPrepareV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub set_output_shape:
        unsafe extern "C" fn(context: *mut c_void, output: u32, dims: *const i32, rank: u32) -> ArStatus,
    pub set_output_dynamic: unsafe extern "C" fn(context: *mut c_void, output: u32) -> ArStatus,
    pub set_output_constant:
        unsafe extern "C" fn(context: *mut c_void, output: u32, data: *const c_void, bytes: u64) -> ArStatus,
    pub request_persistent: unsafe extern "C" fn(
        context: *mut c_void,
        bytes: u64,
        alignment: u64,
        index: *mut u32,
        data: *mut *mut c_void,
    ) -> ArStatus,
    pub request_scratch:
        unsafe extern "C" fn(context: *mut c_void, bytes: u64, alignment: u64, index: *mut u32) -> ArStatus,
    pub share_memory:
        unsafe extern "C" fn(context: *mut c_void, output: u32, input: u32, kind: u32) -> ArStatus,
    pub plan: unsafe extern "C" fn(
        context: *mut c_void,
        request: *const ArPlanRequestV1,
        assignment: *mut ArAssignmentV1,
    ) -> ArStatus,
    pub query: unsafe extern "C" fn(context: *mut c_void, interface: u64) -> *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArEvalV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub threads: u32,
    pub persistent: *const ArSpan,
    pub persistent_count: usize,
    pub scratch: *const ArSpan,
    pub scratch_count: usize,
    pub resize_output: unsafe extern "C" fn(
        context: *mut c_void,
        output: u32,
        dims: *const i32,
        rank: u32,
        bytes: u64,
    ) -> ArStatus,
    pub is_cancelled: unsafe extern "C" fn(context: *mut c_void) -> u8,
    pub query: unsafe extern "C" fn(context: *mut c_void, interface: u64) -> *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArOpV1 {
    pub header: ArHeader,
    pub builtin_code: i32,
    pub min_version: i32,
    pub max_version: i32,
    pub flags: u32,
    pub custom_name: ArStr,
    pub element_types: u64,
    pub state_size: u64,
    pub state_align: u64,
    pub prepare: unsafe extern "C" fn(
        prepare: *const ArPrepareV1,
        node: *const ArNodeV1,
        state: *mut c_void,
    ) -> ArStatus,
    pub eval:
        unsafe extern "C" fn(eval: *const ArEvalV1, node: *const ArNodeV1, state: *mut c_void) -> ArStatus,
    pub drop: Option<unsafe extern "C" fn(state: *mut c_void)>,
    pub query: Option<unsafe extern "C" fn(interface: u64) -> *const c_void>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArUsageRecordV1 {
    pub size: u64,
    pub alignment: u64,
    pub first_node: u32,
    pub last_node: u32,
    pub fixed_offset: u64,
    pub tensor: i32,
    pub share_with: i32,
    pub share_kind: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArPlanRequestV1 {
    pub header: ArHeader,
    pub records: *const ArUsageRecordV1,
    pub record_count: usize,
    pub record_stride: usize,
    pub capacity: u64,
    pub time_limit: u64,
    pub options: *const ArPair,
    pub option_count: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArAssignmentV1 {
    pub header: ArHeader,
    pub kind: u32,
    pub object_count: u32,
    pub offsets: *mut u64,
    pub object_ids: *mut u32,
    pub object_sizes: *mut u64,
    pub optimal: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArPlannerV1 {
    pub header: ArHeader,
    pub name: ArStr,
    pub plan:
        unsafe extern "C" fn(request: *const ArPlanRequestV1, assignment: *mut ArAssignmentV1) -> ArStatus,
    pub query: Option<unsafe extern "C" fn(interface: u64) -> *const c_void>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArGraphV1 {
    pub header: ArHeader,
    pub tensors: *const ArTensorV1,
    pub tensor_stride: usize,
    pub tensor_count: usize,
    pub nodes: *const ArNodeV1,
    pub node_stride: usize,
    pub node_count: usize,
    pub inputs: *const i32,
    pub input_count: usize,
    pub outputs: *const i32,
    pub output_count: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArClaimsV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub accept: unsafe extern "C" fn(context: *mut c_void, node: usize),
    pub refuse: unsafe extern "C" fn(context: *mut c_void, node: usize, reason: ArStr),
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArPartitionV1 {
    pub header: ArHeader,
    pub graph: *const ArGraphV1,
    pub nodes: *const u32,
    pub node_count: usize,
    pub inputs: *const i32,
    pub input_count: usize,
    pub outputs: *const i32,
    pub output_count: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArDelegateV1 {
    pub header: ArHeader,
    pub name: ArStr,
    pub create: unsafe extern "C" fn(
        options: *const ArPair,
        option_count: usize,
        delegate: *mut *mut c_void,
    ) -> ArStatus,
    pub claim: unsafe extern "C" fn(
        delegate: *mut c_void,
        graph: *const ArGraphV1,
        claims: *const ArClaimsV1,
    ) -> ArStatus,
    pub compile: unsafe extern "C" fn(
        delegate: *mut c_void,
        partition: *const ArPartitionV1,
        kernel: *mut *mut c_void,
    ) -> ArStatus,
    pub prepare: unsafe extern "C" fn(
        kernel: *mut c_void,
        prepare: *const ArPrepareV1,
        partition: *const ArPartitionV1,
    ) -> ArStatus,
    pub invoke: unsafe extern "C" fn(
        kernel: *mut c_void,
        eval: *const ArEvalV1,
        partition: *const ArPartitionV1,
        node: *const ArNodeV1,
    ) -> ArStatus,
    pub destroy_kernel: unsafe extern "C" fn(kernel: *mut c_void),
    pub destroy: unsafe extern "C" fn(delegate: *mut c_void),
    pub query: Option<unsafe extern "C" fn(interface: u64) -> *const c_void>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArPluginV1 {
    pub header: ArHeader,
    pub id: ArStr,
    pub version: ArStr,
    pub description: ArStr,
    pub ops: *const ArOpV1,
    pub op_count: usize,
    pub op_stride: usize,
    pub planners: *const ArPlannerV1,
    pub planner_count: usize,
    pub planner_stride: usize,
    pub delegates: *const ArDelegateV1,
    pub delegate_count: usize,
    pub delegate_stride: usize,
    pub query: Option<unsafe extern "C" fn(interface: u64) -> *const c_void>,
}
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct ArRangeFn {
    pub call: unsafe extern "C" fn(argument: *mut c_void, begin: usize, end: usize),
}
