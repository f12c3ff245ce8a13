//! The numbers of the boundary, part of [`raw`](crate::raw).
#![allow(missing_docs)] // as there

/// The schema's number for a custom op, and for the macro node that stands for a delegate's partition.
pub const BUILTIN_CUSTOM: i32 = 32;
pub const BUILTIN_DELEGATE: i32 = 51;

pub const TENSOR_CONSTANT: u32 = 1;
pub const TENSOR_VARIABLE: u32 = 2;
pub const TENSOR_DYNAMIC: u32 = 4;

/// `memory_kind` of a tensor whose value is in memory of the device of the delegate that gave `handle`.
pub const MEMORY_DEVICE: u32 = 1;

/// Elementwise: the input may be overwritten if nothing reads it later.
pub const SHARE_IN_PLACE: u32 = 1;
/// The output has the input's bytes; both may live.
pub const SHARE_VIEW: u32 = 2;
/// The output has the input's bytes from `bytes` on; both may live.
pub const SHARE_PART_OF_INPUT: u32 = 3;
/// The input's bytes become the output's from `bytes` on: the input may be made there. Both may live once `eval` is done;
/// before it the rest of the output is undefined.
pub const SHARE_PART_OF_OUTPUT: u32 = 4;
/// `eval` reads the input in ascending order, ahead of what it writes: when it has written byte `q` of the output, it reads
/// no byte `p` of the input with `p + bytes <= q` any more. So the output may begin `bytes` or more in front of the input's
/// beginning and overlap it, if nothing reads the input later. 0: in order, element by element of one size.
pub const SHARE_BEHIND: u32 = 5;

/// The result depends on more than the inputs (randomness, resources): never computed ahead or left out.
pub const OP_STATEFUL: u32 = 1;
/// Some node of this op runs in place ([`SHARE_IN_PLACE`]). For listings: `prepare` says which output and input.
pub const OP_IN_PLACE: u32 = 2;
/// Some node of this op has an output with the bytes of an input ([`SHARE_VIEW`]). For listings, as well.
pub const OP_VIEW: u32 = 4;
/// Some node of this op has an output that is a part of an input ([`SHARE_PART_OF_INPUT`]), and so on.
pub const OP_PART_OF_INPUT: u32 = 8;
pub const OP_PART_OF_OUTPUT: u32 = 16;
pub const OP_BEHIND: u32 = 32;
/// The op was handed over with user data: before `prepare` the host writes that pointer into the first word of the zeroed state.
pub const OP_USER_DATA: u32 = 64;

/// Ids for `query`, of [`ArPrepareV1`](crate::raw::ArPrepareV1) and [`ArEvalV1`](crate::raw::ArEvalV1) where nothing else is said.
pub const INTERFACE_SUBGRAPHS: u64 = 1;
pub const INTERFACE_RESOURCES: u64 = 2;
/// For [`ArPrepareV1`](crate::raw::ArPrepareV1) alone.
pub const INTERFACE_LAYOUT: u64 = 3;
/// For [`ArEvalV1`](crate::raw::ArEvalV1) alone.
pub const INTERFACE_PROFILE: u64 = 4;
/// For [`ArPrepareV1`](crate::raw::ArPrepareV1) and [`ArCompileHostV1`](crate::raw::ArCompileHostV1).
pub const INTERFACE_CONSTANTS: u64 = 5;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1), which the host asks.
pub const INTERFACE_CLAIM: u64 = 6;
pub const INTERFACE_COMPILE: u64 = 7;
pub const INTERFACE_KERNEL_PLAN: u64 = 8;
/// For [`ArPlannerV1`](crate::raw::ArPlannerV1), which the host asks.
pub const INTERFACE_PLAN: u64 = 9;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1), which the host asks.
pub const INTERFACE_CREATE: u64 = 10;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1), which the host asks.
pub const INTERFACE_VOUCH: u64 = 11;
/// For [`ArPrepareV1`](crate::raw::ArPrepareV1) of a partition and [`ArCompileHostV1`](crate::raw::ArCompileHostV1).
pub const INTERFACE_MEMORY: u64 = 12;
/// For [`ArPrepareV1`](crate::raw::ArPrepareV1) alone.
pub const INTERFACE_OBJECTS: u64 = 13;
/// For [`ArPlannerV1`](crate::raw::ArPlannerV1), which the host asks.
pub const INTERFACE_ASSIGN: u64 = 14;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1), which the host asks.
pub const INTERFACE_DEVICES: u64 = 15;
pub const INTERFACE_FACTS: u64 = 16;
/// For [`ArPrepareV1`](crate::raw::ArPrepareV1) of a partition and [`ArCompileHostV1`](crate::raw::ArCompileHostV1): an
/// [`ArMemoryV1`](crate::raw::ArMemoryV1) that counts bytes of a device.
pub const INTERFACE_DEVICE_MEMORY: u64 = 17;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1), which the host asks.
pub const INTERFACE_BUFFERS: u64 = 18;
/// For [`ArEvalV1`](crate::raw::ArEvalV1) alone.
pub const INTERFACE_KEEP: u64 = 19;
/// For [`ArPrepareV1`](crate::raw::ArPrepareV1) alone.
pub const INTERFACE_SIZES: u64 = 20;
/// For [`ArHostV1`](crate::raw::ArHostV1).
pub const INTERFACE_OP_SCHEMAS: u64 = 21;

/// The operand may be left out: by −1, or at the end by a shorter list.
pub const OPERAND_OPTIONAL: u32 = 1;
/// The operand stands for any number of tensors, for at least one unless it is optional.
pub const OPERAND_VARIADIC: u32 = 2;
/// The option is a vector.
pub const OPTION_VECTOR: u32 = 1;

pub const ASSIGNMENT_OFFSETS: u32 = 0;
pub const ASSIGNMENT_OBJECTS: u32 = 1;
