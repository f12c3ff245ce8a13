//! The boundary itself: the frozen `#[repr(C)]` structs that Rust and C plugins share.
//!
//! Rules that never change within major version 1:
//! - A struct that is passed by pointer starts with an [`ArHeader`]; its fields are never added to, removed or reordered.
//! - An array of structs is walked by the stride that stands beside it.
//! - Enumerations cross as `u32`, truth values as `u8`, text as [`ArStr`] (UTF-8, not null-terminated).
//! - Pointers are borrowed for the call, unless a field says otherwise. No ownership crosses.
//! - A function returns an [`ArStatus`]; the message of an error goes to [`ArHostV1::set_error`] before the return.
//! - No unwinding crosses. What is missing here is asked for by id, from `query`.
//!
//! What a host promises beyond that: [`host_side`](crate::host_side).
#![allow(missing_docs)] // each field is documented once, in ffi/c/include/arenite_plugin.h

use core::ffi::c_void;

#[cfg(feature = "std")]
use abi_stable::StableAbi;

pub use crate::access::slice;
pub(crate) use crate::access::strided;
pub use crate::numbers::*;
pub use crate::{build_info::*, devices::raw::*, objects::raw::*, op_schema::raw::*, sizes::*};

/// A [`Status`](crate::Status) as it crosses.
pub type ArStatus = u32;

// The body is taken as tokens, so that the derive sees function pointers as they are written.
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

/// A piece of writable memory.
pub struct ArSpan {
    pub data: *mut c_void,
    pub bytes: u64,
}

/// One option, `key = value`, both as text.
pub struct ArPair {
    pub key: ArStr,
    pub value: ArStr,
}

/// A table of the model's flatbuffer: `position` is that of the table in `buffer`. `tag` is the union's type, 0 if absent.
pub struct ArTable {
    pub buffer: ArBytes,
    pub position: u64,
    pub tag: u32,
}

/// `real = scale × (q − zero_point)`, one pair per slice of dimension `quantized_dimension`, or one for all.
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

/// Element of [`ArNodeV1::tensors`].
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
    /// 0: `data` is host memory. Other kinds belong to the delegate that gave `handle`.
    pub memory_kind: u32,
    pub handle: u64,
    pub name: ArStr,
}

/// One use of an op. `inputs` and `outputs` are indices into `tensors`, −1 for an absent optional one.
pub struct ArNodeV1 {
    pub header: ArHeader,
    pub builtin_code: i32,
    pub version: i32,
    pub custom_name: ArStr,
    /// Position of the operator in its subgraph of the model, and the subgraph's index. A composite's nodes keep theirs when
    /// they stand in another subgraph.
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

/// What the host lends to every plugin, for the life of the process.
pub struct ArHostV1 {
    pub header: ArHeader,
    /// Keeps the message for the call in progress on this thread.
    pub set_error: unsafe extern "C" fn(message: ArStr),
    /// `level`: 1 error, 2 warning, 3 info, 4 debug, 5 trace.
    pub log: unsafe extern "C" fn(level: u32, target: ArStr, message: ArStr),
    /// Calls `body(argument, begin, end)` for consecutive ranges of at least `grain` that cover `0..count`, on at most
    /// `threads` threads, and returns when all are done. The ranges depend on `count` and `grain` alone.
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
    /// Once per output: after the first, another shape is refused.
    pub set_output_shape:
        unsafe extern "C" fn(context: *mut c_void, output: u32, dims: *const i32, rank: u32) -> ArStatus,
    /// The shape of this output becomes known in `eval` only, by `resize_output`.
    pub set_output_dynamic: unsafe extern "C" fn(context: *mut c_void, output: u32) -> ArStatus,
    /// The value of this output is known now; its shape must be set first.
    pub set_output_constant:
        unsafe extern "C" fn(context: *mut c_void, output: u32, data: *const c_void, bytes: u64) -> ArStatus,
    /// Zeroed memory for the instance's life, which `eval` may write to. `index` is its position in [`ArEvalV1::persistent`].
    pub request_persistent: unsafe extern "C" fn(
        context: *mut c_void,
        bytes: u64,
        alignment: u64,
        index: *mut u32,
        data: *mut *mut c_void,
    ) -> ArStatus,
    /// Memory for the length of one `eval`. `index` is its position in [`ArEvalV1::scratch`].
    pub request_scratch:
        unsafe extern "C" fn(context: *mut c_void, bytes: u64, alignment: u64, index: *mut u32) -> ArStatus,
    /// `eval` still works when `output` lies in the memory of `input`. `kind`: `SHARE_*`.
    pub share_memory:
        unsafe extern "C" fn(context: *mut c_void, output: u32, input: u32, kind: u32) -> ArStatus,
    /// Asks the interpreter's own planner for a plan of memory that the caller will hold in one buffer.
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
    /// How many threads `parallel_for` may use.
    pub threads: u32,
    pub persistent: *const ArSpan,
    pub persistent_count: usize,
    pub scratch: *const ArSpan,
    pub scratch_count: usize,
    /// For an output that is dynamic: sets its shape and gives it memory, once per call, before its data is used. Of a string tensor
    /// `bytes` is the size; of the others it is ignored.
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

/// An op registration: binds an operator code and a version range to `prepare` and `eval`.
pub struct ArOpV1 {
    pub header: ArHeader,
    /// The schema's number; 32 (CUSTOM) together with `custom_name`.
    pub builtin_code: i32,
    pub min_version: i32,
    pub max_version: i32,
    /// `OP_*`.
    pub flags: u32,
    pub custom_name: ArStr,
    /// Bit `t` is set if the op takes tensors of element type `t`. 0: any.
    pub element_types: u64,
    /// The host places the instance's state and keeps it until `drop`.
    pub state_size: u64,
    pub state_align: u64,
    /// Checks the node, sets its outputs' shapes and initialises `state`. After an error `state` is not dropped.
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

/// Size and life of one buffer; `first_node..=last_node` are positions in the execution plan.
#[derive(PartialEq, Eq)]
pub struct ArUsageRecordV1 {
    pub size: u64,
    /// A power of two; the offset must be a multiple of it.
    pub alignment: u64,
    pub first_node: u32,
    /// `UINT32_MAX`: until the end.
    pub last_node: u32,
    /// `UINT64_MAX`, or the offset where the buffer lies already.
    pub fixed_offset: u64,
    /// The tensor that lies here, or −1 (scratch).
    pub tensor: i32,
    /// −1: the host lays records over one another before it asks a planner.
    pub share_with: i32,
    pub share_kind: u32,
    pub reserved: u32,
}

pub struct ArPlanRequestV1 {
    pub header: ArHeader,
    pub records: *const ArUsageRecordV1,
    pub record_count: usize,
    pub record_stride: usize,
    /// Bytes that the plan should fit into; `UINT64_MAX`: no limit.
    pub capacity: u64,
    /// Time to plan, in nanoseconds; `UINT64_MAX`: no limit.
    pub time_limit: u64,
    pub options: *const ArPair,
    pub option_count: usize,
}

/// Filled in by a planner. Each array has `record_count` places.
pub struct ArAssignmentV1 {
    pub header: ArHeader,
    /// `ASSIGNMENT_*`: which of the arrays below holds the answer.
    pub kind: u32,
    pub object_count: u32,
    pub offsets: *mut u64,
    pub object_ids: *mut u32,
    pub object_sizes: *mut u64,
    /// 1 if the planner has proved that no plan is smaller.
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

/// `plan` of a planner that was handed over with user data, as `query` of [`ArPlannerV1`] gives it (id [`INTERFACE_PLAN`]). The host
/// calls it in place of that struct's own.
pub struct ArPlanV1 {
    pub header: ArHeader,
    pub plan: unsafe extern "C" fn(
        user_data: *mut c_void,
        request: *const ArPlanRequestV1,
        assignment: *mut ArAssignmentV1,
    ) -> ArStatus,
}

/// A subgraph, its nodes in execution order.
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

/// The model's subgraphs, as `query` of [`ArPrepareV1`] and [`ArEvalV1`] lends them (id [`INTERFACE_SUBGRAPHS`]). Each
/// function takes that struct's `context`. A subgraph has one set of tensors: it is not called while it runs.
pub struct ArSubgraphsV1 {
    pub header: ArHeader,
    /// The subgraph with the shapes it has now; `graph` lives as long as the call in progress.
    pub describe: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        graph: *mut *const ArGraphV1,
    ) -> ArStatus,
    /// Gives an input its shape and, in `eval`, its value, which is copied. The types must agree.
    pub set_input: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        input: u32,
        value: *const ArTensorV1,
    ) -> ArStatus,
    /// In `eval`: input `i` of subgraph `to` becomes output `i` of `from`, which ran before. Both may be the same one.
    pub forward: unsafe extern "C" fn(context: *mut c_void, from: u32, to: u32) -> ArStatus,
    /// Makes the subgraph ready for the shapes that its inputs have.
    pub prepare: unsafe extern "C" fn(context: *mut c_void, subgraph: u32) -> ArStatus,
    /// In `eval`: runs it, made ready before if need be.
    pub invoke: unsafe extern "C" fn(context: *mut c_void, subgraph: u32) -> ArStatus,
    /// Output number `output`. After `prepare` it has a shape, and `TENSOR_DYNAMIC` if only a run tells it; after `invoke`
    /// its data too, until the next call with this subgraph.
    pub output: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        output: u32,
        value: *mut ArTensorV1,
    ) -> ArStatus,
}

/// Values that outlive an invocation and that all subgraphs of an interpreter share, as `query` of [`ArPrepareV1`] and
/// [`ArEvalV1`] lends them (id [`INTERFACE_RESOURCES`]). Each function takes that struct's `context`.
pub struct ArResourcesV1 {
    pub header: ArHeader,
    /// The handle of the resource with this name, which may be any bytes; made, without a value, if there is none.
    pub open: unsafe extern "C" fn(context: *mut c_void, name: ArBytes, handle: *mut i32) -> ArStatus,
    /// Its value, valid until it is assigned again. `data` and `dims` are null if it has none yet.
    pub value:
        unsafe extern "C" fn(context: *mut c_void, handle: i32, value: *mut ArTensorV1) -> ArStatus,
    /// In `eval`: gives it a type, a shape and a value, which is copied.
    pub assign:
        unsafe extern "C" fn(context: *mut c_void, handle: i32, value: *const ArTensorV1) -> ArStatus,
}

/// More ways to lay an output over an input, as `query` of [`ArPrepareV1`] lends it (id [`INTERFACE_LAYOUT`]), whose `context` it takes.
pub struct ArLayoutV1 {
    pub header: ArHeader,
    /// `eval` still works when `output` and `input` lie as `kind` says: `SHARE_PART_OF_INPUT`, `SHARE_PART_OF_OUTPUT` or
    /// `SHARE_BEHIND`, each of which says what `bytes` is.
    pub share_part: unsafe extern "C" fn(
        context: *mut c_void,
        output: u32,
        input: u32,
        kind: u32,
        bytes: u64,
    ) -> ArStatus,
}

/// What a delegate says of constants, and may ask, as `query` of [`ArPrepareV1`] and [`ArCompileHostV1`] lends it (id
/// [`INTERFACE_CONSTANTS`]). The functions take that struct's `context`.
pub struct ArConstantsV1 {
    pub header: ArHeader,
    /// The caller has a copy of its own of constant `tensor` and will hardly read it again: the host may take its pages out of
    /// memory. It stays readable.
    pub release: unsafe extern "C" fn(context: *mut c_void, tensor: i32) -> ArStatus,
    /// Four numbers that hint at which file the constants come from: device, inode, size, times of change, and the subgraph. Zeros
    /// if the model is no file. A file of another model can have the same numbers: find what is kept between processes by contents.
    pub origin: unsafe extern "C" fn(context: *mut c_void, numbers: *mut u64) -> ArStatus,
}

/// Memory of a kernel's own, as `query` of [`ArPrepareV1`] and [`ArCompileHostV1`] lends it (id [`INTERFACE_MEMORY`]), whose `context`
/// the functions take. What a kernel holds goes back to the quota when it is destroyed.
pub struct ArMemoryV1 {
    pub header: ArHeader,
    /// Bytes that the quota leaves, besides those that the kernel holds.
    pub room: unsafe extern "C" fn(context: *mut c_void) -> u64,
    /// The kernel holds so many bytes in all from now on. An error if the quota has no room for them.
    pub hold: unsafe extern "C" fn(context: *mut c_void, bytes: u64) -> ArStatus,
}

/// Where a delegate tells how long its own steps take, as `query` of [`ArEvalV1`] lends it (id [`INTERFACE_PROFILE`]); null
/// unless somebody asked for a profile. The function takes that struct's `context`.
pub struct ArProfileV1 {
    pub header: ArHeader,
    /// Step `number` of this node, named `name`, whose first result is `tensor` (−1 if it is none of the graph's), took so long.
    pub note:
        unsafe extern "C" fn(context: *mut c_void, number: u32, name: ArStr, tensor: i32, nanoseconds: u64),
}

/// The model's subgraphs while a delegate claims nodes. The functions take `context`.
pub struct ArDescribeV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    /// The subgraph with the shapes and constants it has now; `graph` lives as long as the call in progress. Those that a node
    /// calls were made ready for the shapes that it gives them.
    pub describe: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        graph: *mut *const ArGraphV1,
    ) -> ArStatus,
}

/// Where a delegate says which nodes it takes. A node that is neither accepted nor refused is refused.
pub struct ArClaimsV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub accept: unsafe extern "C" fn(context: *mut c_void, node: usize),
    pub refuse: unsafe extern "C" fn(context: *mut c_void, node: usize, reason: ArStr),
}

/// `claim` of a delegate that looks into the subgraphs that nodes call, called in place of [`ArDelegateV1`]'s (id [`INTERFACE_CLAIM`]).
pub struct ArClaimV1 {
    pub header: ArHeader,
    pub claim: unsafe extern "C" fn(
        delegate: *mut c_void,
        graph: *const ArGraphV1,
        subgraphs: *const ArDescribeV1,
        claims: *const ArClaimsV1,
    ) -> ArStatus,
}

/// What a delegate says of nodes that no registered op prepared, as `query` of [`ArDelegateV1`] gives it (id [`INTERFACE_VOUCH`]). The
/// shapes of their outputs are what the model's file says. A delegate without this interface gets none of them.
pub struct ArVouchV1 {
    pub header: ArHeader,
    /// 1 if the delegate knows this op, in this version and for these types, and trusts no shape of an output that it did not compute.
    pub vouch: unsafe extern "C" fn(delegate: *mut c_void, node: *const ArNodeV1) -> u8,
}

/// A maximal set of claimed nodes that run as one. `nodes` are positions in `graph.nodes`, in execution order;
/// `inputs` and `outputs` are tensor indices, the order in which the macro node has them.
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
    /// How many threads `parallel_for` may use.
    pub threads: u32,
    /// The subgraphs that nodes call, as `claim` sees them.
    pub subgraphs: *const ArDescribeV1,
    /// Gives an [`ArConstantsV1`] (id [`INTERFACE_CONSTANTS`]), whose functions take `context`.
    pub query: unsafe extern "C" fn(context: *mut c_void, interface: u64) -> *const c_void,
}

/// `compile` of a delegate that packs constants then, as `query` of [`ArDelegateV1`] gives it (id [`INTERFACE_COMPILE`]). The host
/// calls it in place of that struct's own. The kernel serves until its nodes or the constants that they read change: for other
/// shapes it is prepared again.
pub struct ArCompileV1 {
    pub header: ArHeader,
    pub compile: unsafe extern "C" fn(
        delegate: *mut c_void,
        partition: *const ArPartitionV1,
        host: *const ArCompileHostV1,
        kernel: *mut *mut c_void,
    ) -> ArStatus,
}

/// Where a kernel tells what lies in its scratch memory.
pub struct ArPlanNotesV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    /// A buffer `name` lies in scratch memory `scratch` from `offset` on. Its record counts the kernel's own steps, and names the
    /// graph's tensor that it is, if it is one.
    pub note: unsafe extern "C" fn(
        context: *mut c_void,
        scratch: u32,
        record: *const ArUsageRecordV1,
        offset: u64,
        name: ArStr,
    ),
}

/// What a prepared kernel keeps in its scratch memory, as `query` of [`ArDelegateV1`] gives it (id [`INTERFACE_KERNEL_PLAN`]).
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
    /// Once per partition, as the graph shows it now.
    pub compile: unsafe extern "C" fn(
        delegate: *mut c_void,
        partition: *const ArPartitionV1,
        kernel: *mut *mut c_void,
    ) -> ArStatus,
    /// After `compile` and after every change of shape; the macro node's outputs are the partition's.
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

/// `create` of a delegate that was handed over with user data, called in place of [`ArDelegateV1`]'s own (id [`INTERFACE_CREATE`]).
pub struct ArCreateV1 {
    pub header: ArHeader,
    pub create: unsafe extern "C" fn(
        user_data: *mut c_void,
        options: *const ArPair,
        option_count: usize,
        delegate: *mut *mut c_void,
    ) -> ArStatus,
}

/// What a plugin offers; lives as long as the process.
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

/// The body of a parallel loop. To C this is a plain function pointer.
#[repr(transparent)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArRangeFn {
    pub call: unsafe extern "C" fn(argument: *mut c_void, begin: usize, end: usize),
}

/// `arenite_plugin_v1`: stores `host`, lowers `*version` to the highest that the plugin speaks, and returns the
/// descriptor; or sets `*version` to the lowest that it accepts and returns null.
pub type ArEntryV1 = unsafe extern "C" fn(host: *const ArHostV1, version: *mut u32) -> *const ArPluginV1;

/// `major << 16 | minor` of this contract.
pub const ABI_VERSION: u32 = 1 << 16;
/// The lowest version that this host or plugin accepts.
pub const ABI_FLOOR: u32 = 1 << 16;
/// Name of the symbol of type [`ArEntryV1`].
pub const ENTRY_SYMBOL: &str = "arenite_plugin_v1";
