//! The structs of version 1.0 of the ABI. [`raw`](crate::raw) has their rules, and the structs of later interfaces.
#![allow(missing_docs)] // each field is documented once, in include/arenite_plugin.h

use core::ffi::c_void;

#[cfg(feature = "std")]
use abi_stable::StableAbi;

/// A [`Status`](crate::Status) as a number.
pub type ArStatus = u32;

// Takes the body as tokens, so that the derive macro sees function pointers as written.
macro_rules! frozen {
    ($($(#[$meta:meta])* pub struct $name:ident { $($body:tt)* })*) => {$(
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        #[cfg_attr(feature = "std", derive(StableAbi))]
        pub struct $name { $($body)* }
    )*};
}

frozen! {
/// First member of every struct that is passed by pointer.
pub struct ArHeader {
    pub struct_size: u32,
    pub major: u16,
    pub minor: u16,
}

/// Borrowed UTF-8 text.
pub struct ArStr {
    pub data: *const u8,
    pub length: usize,
}

/// Borrowed bytes.
pub struct ArBytes {
    pub data: *const u8,
    pub length: usize,
}

/// A range of writable memory.
pub struct ArSpan {
    pub data: *mut c_void,
    pub bytes: u64,
}

/// An option, `key = value`, as text.
pub struct ArPair {
    pub key: ArStr,
    pub value: ArStr,
}

/// A table in the model's flatbuffer, at `position` in `buffer`. `tag` is the type in its union; 0 if absent.
pub struct ArTable {
    pub buffer: ArBytes,
    pub position: u64,
    pub tag: u32,
}

/// `real = scale × (q − zero_point)`, with one pair per slice of dimension `quantized_dimension`, or a single one.
pub struct ArQuantizationV1 {
    pub header: ArHeader,
    pub scales: *const f32,
    pub scale_count: usize,
    pub zero_points: *const i64,
    pub zero_point_count: usize,
    pub quantized_dimension: i32,
    /// Elements along `quantized_dimension` that share a scale; 0 unless blockwise.
    pub block_size: i32,
}

/// An element of [`ArNodeV1::tensors`].
pub struct ArTensorV1 {
    pub element_type: u32,
    pub rank: u32,
    pub dims: *const i32,
    /// In `prepare`: null unless the tensor is constant.
    pub data: *mut c_void,
    pub bytes: u64,
    /// Null if the tensor is not quantized.
    pub quantization: *const ArQuantizationV1,
    /// `TENSOR_*`.
    pub flags: u32,
    /// 0 if `data` is host memory. Other values belong to the delegate that provided `handle`.
    pub memory_kind: u32,
    pub handle: u64,
    pub name: ArStr,
}

/// A node. `inputs` and `outputs` are indices into `tensors`; −1 for an absent optional tensor.
pub struct ArNodeV1 {
    pub header: ArHeader,
    pub builtin_code: i32,
    pub version: i32,
    pub custom_name: ArStr,
    /// Position of the operator in its subgraph of the model, and the subgraph's index. Inlined nodes keep theirs.
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

/// The host's services for every plugin, valid as long as the process.
pub struct ArHostV1 {
    pub header: ArHeader,
    /// Stores the message for the call in progress on this thread.
    pub set_error: unsafe extern "C" fn(message: ArStr),
    /// `level`: 1 error, 2 warning, 3 info, 4 debug, 5 trace.
    pub log: unsafe extern "C" fn(level: u32, target: ArStr, message: ArStr),
    /// Calls `body(argument, begin, end)` for consecutive ranges that cover `0..count`, each of at least `grain`, on at
    /// most `threads` threads, and returns when all are done. The ranges depend only on `count` and `grain`.
    pub parallel_for: unsafe extern "C" fn(
        count: usize,
        grain: usize,
        threads: u32,
        body: ArRangeFn,
        argument: *mut c_void,
    ) -> ArStatus,
    pub query: unsafe extern "C" fn(interface: u64) -> *const c_void,
}

/// The host's side of `prepare`.
pub struct ArPrepareV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    /// Once per output: after the first call, a different shape is an error.
    pub set_output_shape:
        unsafe extern "C" fn(context: *mut c_void, output: u32, dims: *const i32, rank: u32) -> ArStatus,
    /// The shape of this output is known only in `eval`, which must call `resize_output`.
    pub set_output_dynamic: unsafe extern "C" fn(context: *mut c_void, output: u32) -> ArStatus,
    /// Sets the constant value of this output. Its shape must be set first.
    pub set_output_constant:
        unsafe extern "C" fn(context: *mut c_void, output: u32, data: *const c_void, bytes: u64) -> ArStatus,
    /// Allocates zeroed memory that `eval` may write. `index` is its position in [`ArEvalV1::persistent`].
    pub request_persistent: unsafe extern "C" fn(
        context: *mut c_void,
        bytes: u64,
        alignment: u64,
        index: *mut u32,
        data: *mut *mut c_void,
    ) -> ArStatus,
    /// Requests memory for the duration of each `eval`. `index` is its position in [`ArEvalV1::scratch`].
    pub request_scratch:
        unsafe extern "C" fn(context: *mut c_void, bytes: u64, alignment: u64, index: *mut u32) -> ArStatus,
    /// Declares that `eval` works if `output` shares the memory of `input`. `kind`: `SHARE_*`.
    pub share_memory:
        unsafe extern "C" fn(context: *mut c_void, output: u32, input: u32, kind: u32) -> ArStatus,
    /// Has the interpreter's planner place buffers that the caller will put into a single buffer.
    pub plan: unsafe extern "C" fn(
        context: *mut c_void,
        request: *const ArPlanRequestV1,
        assignment: *mut ArAssignmentV1,
    ) -> ArStatus,
    pub query: unsafe extern "C" fn(context: *mut c_void, interface: u64) -> *const c_void,
}

/// The host's side of `eval`.
pub struct ArEvalV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    /// The number of threads that `parallel_for` may use.
    pub threads: u32,
    pub persistent: *const ArSpan,
    pub persistent_count: usize,
    pub scratch: *const ArSpan,
    pub scratch_count: usize,
    /// Sets the shape of a dynamic output and allocates it, once per call. `bytes` is used only for string tensors.
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

/// The registration of an op: binds an operator code and a range of versions to `prepare` and `eval`.
pub struct ArOpV1 {
    pub header: ArHeader,
    /// The schema's code; 32 (CUSTOM) together with `custom_name`.
    pub builtin_code: i32,
    pub min_version: i32,
    pub max_version: i32,
    /// `OP_*`.
    pub flags: u32,
    pub custom_name: ArStr,
    /// Bit `t` is set if the op supports tensors of element type `t`. 0 means any type.
    pub element_types: u64,
    /// The host allocates the instance's state and keeps it until `drop`.
    pub state_size: u64,
    pub state_align: u64,
    /// Checks the node, sets the shapes of its outputs and initializes `state`. After an error, `state` is not dropped.
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

/// Size and lifetime of one buffer; `first_node..=last_node` are positions in the execution plan.
#[derive(PartialEq, Eq)]
pub struct ArUsageRecordV1 {
    pub size: u64,
    /// A power of two that divides the offset.
    pub alignment: u64,
    pub first_node: u32,
    /// `UINT32_MAX` if it is alive until the end.
    pub last_node: u32,
    /// `UINT64_MAX`, or the offset of a buffer that must not move.
    pub fixed_offset: u64,
    /// The tensor in this buffer, or −1 for scratch memory.
    pub tensor: i32,
    /// Always −1: the host decides which tensors share memory before it calls a planner.
    pub share_with: i32,
    pub share_kind: u32,
    pub reserved: u32,
}

pub struct ArPlanRequestV1 {
    pub header: ArHeader,
    pub records: *const ArUsageRecordV1,
    pub record_count: usize,
    pub record_stride: usize,
    /// Maximum size of the plan in bytes; `UINT64_MAX` for no limit.
    pub capacity: u64,
    /// Maximum planning time in nanoseconds; `UINT64_MAX` for no limit.
    pub time_limit: u64,
    pub options: *const ArPair,
    pub option_count: usize,
}

/// Filled in by a planner. Each array has `record_count` elements.
pub struct ArAssignmentV1 {
    pub header: ArHeader,
    /// `ASSIGNMENT_*`: which of the arrays below holds the result.
    pub kind: u32,
    pub object_count: u32,
    pub offsets: *mut u64,
    pub object_ids: *mut u32,
    pub object_sizes: *mut u64,
    /// 1 if the planner proved that no plan is smaller.
    pub optimal: u8,
}

pub struct ArPlannerV1 {
    pub header: ArHeader,
    pub name: ArStr,
    pub plan: unsafe extern "C" fn(
        request: *const ArPlanRequestV1,
        assignment: *mut ArAssignmentV1,
    ) -> ArStatus,
    pub query: Option<unsafe extern "C" fn(interface: u64) -> *const c_void>,
}

/// `plan` of a planner registered with user data, called instead of [`ArPlannerV1`]'s own (id `INTERFACE_PLAN`).
pub struct ArPlanV1 {
    pub header: ArHeader,
    pub plan: unsafe extern "C" fn(
        user_data: *mut c_void,
        request: *const ArPlanRequestV1,
        assignment: *mut ArAssignmentV1,
    ) -> ArStatus,
}

/// A subgraph, with its nodes in execution order.
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

/// The model's subgraphs, returned by `query` of [`ArPrepareV1`] and [`ArEvalV1`] (id `INTERFACE_SUBGRAPHS`). Each
/// function takes that struct's `context`. A subgraph has one set of tensors, so it cannot be called while it runs.
pub struct ArSubgraphsV1 {
    pub header: ArHeader,
    /// The subgraph with its current shapes. `graph` is valid until the call in progress returns.
    pub describe: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        graph: *mut *const ArGraphV1,
    ) -> ArStatus,
    /// Sets the shape of an input and, in `eval`, copies its value. The types must be equal.
    pub set_input: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        input: u32,
        value: *const ArTensorV1,
    ) -> ArStatus,
    /// In `eval`: input `i` of subgraph `to` becomes output `i` of `from`, which must have run and may be `to`.
    pub forward: unsafe extern "C" fn(context: *mut c_void, from: u32, to: u32) -> ArStatus,
    /// Prepares the subgraph for the current shapes of its inputs.
    pub prepare: unsafe extern "C" fn(context: *mut c_void, subgraph: u32) -> ArStatus,
    /// In `eval`: runs the subgraph, after preparing it if necessary.
    pub invoke: unsafe extern "C" fn(context: *mut c_void, subgraph: u32) -> ArStatus,
    /// Output number `output`. After `prepare` it has a shape, or `TENSOR_DYNAMIC` if that is known only after a run.
    /// After `invoke` it also has data, until the next call with this subgraph.
    pub output: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        output: u32,
        value: *mut ArTensorV1,
    ) -> ArStatus,
}

/// Values that outlive an invocation and are shared by all subgraphs of an interpreter, returned by `query` of
/// [`ArPrepareV1`] and [`ArEvalV1`] (id `INTERFACE_RESOURCES`). Each function takes that struct's `context`.
pub struct ArResourcesV1 {
    pub header: ArHeader,
    /// The handle of the resource with this name (any bytes), which is created without a value if necessary.
    pub open: unsafe extern "C" fn(context: *mut c_void, name: ArBytes, handle: *mut i32) -> ArStatus,
    /// The resource's value, valid until it is assigned again. `data` and `dims` are null if it has no value yet.
    pub value:
        unsafe extern "C" fn(context: *mut c_void, handle: i32, value: *mut ArTensorV1) -> ArStatus,
    /// In `eval`: assigns a type, a shape and a copy of a value.
    pub assign:
        unsafe extern "C" fn(context: *mut c_void, handle: i32, value: *const ArTensorV1) -> ArStatus,
}

/// More ways for an output to share memory with an input, returned by `query` of [`ArPrepareV1`] (id
/// `INTERFACE_LAYOUT`). The function takes that struct's `context`.
pub struct ArLayoutV1 {
    pub header: ArHeader,
    /// Declares that `eval` works if `output` and `input` are placed according to `kind`: `SHARE_PART_OF_INPUT`,
    /// `SHARE_PART_OF_OUTPUT` or `SHARE_BEHIND`, whose documentation defines `bytes`.
    pub share_part: unsafe extern "C" fn(
        context: *mut c_void,
        output: u32,
        input: u32,
        kind: u32,
        bytes: u64,
    ) -> ArStatus,
}

/// Information about constants, returned by `query` of [`ArPrepareV1`] and [`ArCompileHostV1`] (id
/// `INTERFACE_CONSTANTS`). The functions take that struct's `context`.
pub struct ArConstantsV1 {
    pub header: ArHeader,
    /// Tells the host that the caller has its own copy of constant `tensor` and will hardly read it again. The host may
    /// then evict its pages from memory. The tensor stays readable.
    pub release: unsafe extern "C" fn(context: *mut c_void, tensor: i32) -> ArStatus,
    /// Four numbers that hint at the file of the constants: device, inode, size, times of change, combined with the
    /// subgraph. Zeros if the model is not a file. Files with different contents can have the same numbers, so data
    /// cached between processes must be found by contents.
    pub origin: unsafe extern "C" fn(context: *mut c_void, numbers: *mut u64) -> ArStatus,
}

/// Memory that a kernel allocates itself, returned by `query` of [`ArPrepareV1`] and [`ArCompileHostV1`] (id
/// `INTERFACE_MEMORY`). The functions take that struct's `context`. The memory returns to the quota when the kernel
/// is destroyed.
pub struct ArMemoryV1 {
    pub header: ArHeader,
    /// Bytes the quota allows this kernel in total, including its current ones.
    pub room: unsafe extern "C" fn(context: *mut c_void) -> u64,
    /// Sets the total number of bytes that the kernel holds. An error if the quota does not allow them.
    pub hold: unsafe extern "C" fn(context: *mut c_void, bytes: u64) -> ArStatus,
}

/// Receives the times of a delegate's steps, returned by `query` of [`ArEvalV1`] (id `INTERFACE_PROFILE`); null
/// unless a profile was requested. The function takes that struct's `context`.
pub struct ArProfileV1 {
    pub header: ArHeader,
    /// Records the time of step `number` of this node. `tensor` is its first result, −1 if not in the graph.
    pub note:
        unsafe extern "C" fn(context: *mut c_void, number: u32, name: ArStr, tensor: i32, nanoseconds: u64),
}

/// The model's subgraphs while a delegate claims nodes. The functions take `context`.
pub struct ArDescribeV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    /// The subgraph with its current shapes and constants. `graph` is valid until the call in progress returns.
    /// Subgraphs called by a node were prepared for the shapes it passes to them.
    pub describe: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        graph: *mut *const ArGraphV1,
    ) -> ArStatus,
}

/// Receives a delegate's decisions about nodes. Nodes that are not accepted are refused.
pub struct ArClaimsV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub accept: unsafe extern "C" fn(context: *mut c_void, node: usize),
    pub refuse: unsafe extern "C" fn(context: *mut c_void, node: usize, reason: ArStr),
}

/// `claim` of a delegate that inspects called subgraphs, used instead of [`ArDelegateV1`]'s own (`INTERFACE_CLAIM`).
pub struct ArClaimV1 {
    pub header: ArHeader,
    pub claim: unsafe extern "C" fn(
        delegate: *mut c_void,
        graph: *const ArGraphV1,
        subgraphs: *const ArDescribeV1,
        claims: *const ArClaimsV1,
    ) -> ArStatus,
}

/// A delegate's decisions about nodes that no registered op prepared, returned by `query` of [`ArDelegateV1`] (id
/// `INTERFACE_VOUCH`). The shapes of their outputs come from the model's file. A delegate without this interface is
/// not shown such nodes.
pub struct ArVouchV1 {
    pub header: ArHeader,
    /// 1 if the delegate knows this op, version and types, and relies on no output shape that it did not compute.
    pub vouch: unsafe extern "C" fn(delegate: *mut c_void, node: *const ArNodeV1) -> u8,
}

/// A maximal set of claimed nodes that run as one. `nodes` are positions in `graph.nodes`, in execution order; `inputs`
/// and `outputs` are tensor indices, in the same order as in the node that represents the partition.
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

/// The host's side of `compile` of [`ArCompileV1`].
pub struct ArCompileHostV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    /// The number of threads that `parallel_for` may use.
    pub threads: u32,
    /// The subgraphs called by nodes, as in `claim`.
    pub subgraphs: *const ArDescribeV1,
    /// Returns an [`ArConstantsV1`] (id `INTERFACE_CONSTANTS`), whose functions take `context`.
    pub query: unsafe extern "C" fn(context: *mut c_void, interface: u64) -> *const c_void,
}

/// `compile` of a delegate that packs constants in it, returned by `query` of [`ArDelegateV1`] (id
/// `INTERFACE_COMPILE`). The host calls it instead of that struct's own. The kernel is used until its nodes or the
/// constants they read change; for other shapes it is prepared again.
pub struct ArCompileV1 {
    pub header: ArHeader,
    pub compile: unsafe extern "C" fn(
        delegate: *mut c_void,
        partition: *const ArPartitionV1,
        host: *const ArCompileHostV1,
        kernel: *mut *mut c_void,
    ) -> ArStatus,
}

/// Receives the buffers inside a kernel's scratch memory.
pub struct ArPlanNotesV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    /// Reports a buffer in scratch memory. Its record counts the kernel's steps and names the tensor in it, if any.
    pub note: unsafe extern "C" fn(
        context: *mut c_void,
        scratch: u32,
        record: *const ArUsageRecordV1,
        offset: u64,
        name: ArStr,
    ),
}

/// The buffers in a prepared kernel's scratch memory, from `query` of [`ArDelegateV1`] (`INTERFACE_KERNEL_PLAN`).
pub struct ArKernelPlanV1 {
    pub header: ArHeader,
    pub plan: unsafe extern "C" fn(kernel: *mut c_void, notes: *const ArPlanNotesV1) -> ArStatus,
}

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
    /// Called once per partition, with the current graph.
    pub compile: unsafe extern "C" fn(
        delegate: *mut c_void,
        partition: *const ArPartitionV1,
        kernel: *mut *mut c_void,
    ) -> ArStatus,
    /// Called after `compile` and after each change of shapes. The outputs are the partition's outputs.
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

/// `create` of a delegate registered with user data, called instead of [`ArDelegateV1`]'s own (`INTERFACE_CREATE`).
pub struct ArCreateV1 {
    pub header: ArHeader,
    pub create: unsafe extern "C" fn(
        user_data: *mut c_void,
        options: *const ArPair,
        option_count: usize,
        delegate: *mut *mut c_void,
    ) -> ArStatus,
}

/// The contents of a plugin, valid as long as the process.
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
}

/// The body of a parallel loop; a plain function pointer in C.
#[repr(transparent)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArRangeFn {
    pub call: unsafe extern "C" fn(argument: *mut c_void, begin: usize, end: usize),
}

/// `arenite_plugin_v1`: stores `host`, lowers `*version` to the highest version that the plugin supports, and returns
/// the descriptor. If there is none, sets `*version` to the lowest version that it accepts and returns null.
pub type ArEntryV1 = unsafe extern "C" fn(host: *const ArHostV1, version: *mut u32) -> *const ArPluginV1;

/// The version of this ABI: `major << 16 | minor`.
pub const ABI_VERSION: u32 = 1 << 16;
/// The lowest version that this host or plugin accepts.
pub const ABI_FLOOR: u32 = 1 << 16;
/// Name of the symbol of type [`ArEntryV1`].
pub const ENTRY_SYMBOL: &str = "arenite_plugin_v1";
