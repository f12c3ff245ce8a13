//! The constants of the ABI, part of [`raw`](crate::raw).
#![allow(missing_docs)] // as there

/// The schema's code for a custom op, and for the node that represents a delegate's partition.
pub const BUILTIN_CUSTOM: i32 = 32;
pub const BUILTIN_DELEGATE: i32 = 51;

pub const TENSOR_CONSTANT: u32 = 1;
pub const TENSOR_VARIABLE: u32 = 2;
pub const TENSOR_DYNAMIC: u32 = 4;
pub const TENSOR_IN_FILE: u32 = 8;

/// `memory_kind` of a tensor whose value is in device memory of the delegate that provided `handle`.
pub const MEMORY_DEVICE: u32 = 1;

/// Elementwise: the output may overwrite the input if nothing reads the input later.
pub const SHARE_IN_PLACE: u32 = 1;
/// The output has the same bytes as the input. Both remain valid.
pub const SHARE_VIEW: u32 = 2;
/// The output has the bytes of the input from offset `bytes`. Both remain valid.
pub const SHARE_PART_OF_INPUT: u32 = 3;
/// The input becomes the part of the output at offset `bytes`, so the input may be computed there. Both are valid after
/// `eval`; before, the rest of the output is undefined.
pub const SHARE_PART_OF_OUTPUT: u32 = 4;
/// `eval` reads the input in ascending order, ahead of its writes: after writing byte `q` of the output, it reads no
/// byte `p` of the input with `p + bytes <= q`. So the output may start `bytes` or more before the input and overlap
/// it, if nothing reads the input later. 0 means element by element, with elements of one size.
pub const SHARE_BEHIND: u32 = 5;

/// The result depends on more than the inputs (randomness, resources), so it is never computed in advance and never
/// skipped.
pub const OP_STATEFUL: u32 = 1;
/// At least one node of this op runs in place ([`SHARE_IN_PLACE`]). Only for listings: `prepare` declares the output
/// and the input.
pub const OP_IN_PLACE: u32 = 2;
/// At least one node of this op has an output with the bytes of an input ([`SHARE_VIEW`]). Only for listings.
pub const OP_VIEW: u32 = 4;
/// At least one node of this op has an output that is a part of an input ([`SHARE_PART_OF_INPUT`]). Only for listings,
/// as are the next two.
pub const OP_PART_OF_INPUT: u32 = 8;
pub const OP_PART_OF_OUTPUT: u32 = 16;
pub const OP_BEHIND: u32 = 32;
/// The op was registered with user data: before `prepare` the host writes that pointer to the first word of the zeroed
/// state.
pub const OP_USER_DATA: u32 = 64;
/// Position of eight bits that tell the element type of all outputs: 0 if it is the file's; `OP_OUTPUT_TYPE_INPUT + i`
/// if it is the type of input `i < 63`; `OP_OUTPUT_TYPE_FIXED + t` if it is always type `t`; `OP_OUTPUT_TYPE_OPTION` if
/// the first field of the builtin options gives it (INT32 or INT64).
pub const OP_OUTPUT_TYPE_SHIFT: u32 = 8;
pub const OP_OUTPUT_TYPE_INPUT: u32 = 1;
pub const OP_OUTPUT_TYPE_FIXED: u32 = 64;
pub const OP_OUTPUT_TYPE_OPTION: u32 = 255;

/// Ids for `query` of [`ArPrepareV1`](crate::raw::ArPrepareV1) and [`ArEvalV1`](crate::raw::ArEvalV1), unless
/// documented otherwise.
pub const INTERFACE_SUBGRAPHS: u64 = 1;
pub const INTERFACE_RESOURCES: u64 = 2;
/// Only for [`ArPrepareV1`](crate::raw::ArPrepareV1).
pub const INTERFACE_LAYOUT: u64 = 3;
/// Only for [`ArEvalV1`](crate::raw::ArEvalV1).
pub const INTERFACE_PROFILE: u64 = 4;
/// For [`ArPrepareV1`](crate::raw::ArPrepareV1) and [`ArCompileHostV1`](crate::raw::ArCompileHostV1).
pub const INTERFACE_CONSTANTS: u64 = 5;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1); queried by the host.
pub const INTERFACE_CLAIM: u64 = 6;
pub const INTERFACE_COMPILE: u64 = 7;
pub const INTERFACE_KERNEL_PLAN: u64 = 8;
/// For [`ArPlannerV1`](crate::raw::ArPlannerV1); queried by the host.
pub const INTERFACE_PLAN: u64 = 9;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1); queried by the host.
pub const INTERFACE_CREATE: u64 = 10;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1); queried by the host.
pub const INTERFACE_VOUCH: u64 = 11;
/// For [`ArPrepareV1`](crate::raw::ArPrepareV1) of a partition and [`ArCompileHostV1`](crate::raw::ArCompileHostV1).
pub const INTERFACE_MEMORY: u64 = 12;
/// Only for [`ArPrepareV1`](crate::raw::ArPrepareV1).
pub const INTERFACE_OBJECTS: u64 = 13;
/// For [`ArPlannerV1`](crate::raw::ArPlannerV1); queried by the host.
pub const INTERFACE_ASSIGN: u64 = 14;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1); queried by the host.
pub const INTERFACE_DEVICES: u64 = 15;
pub const INTERFACE_FACTS: u64 = 16;
/// For [`ArPrepareV1`](crate::raw::ArPrepareV1) of a partition and [`ArCompileHostV1`](crate::raw::ArCompileHostV1): an
/// [`ArMemoryV1`](crate::raw::ArMemoryV1) that counts bytes of a device.
pub const INTERFACE_DEVICE_MEMORY: u64 = 17;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1); queried by the host.
pub const INTERFACE_BUFFERS: u64 = 18;
/// Only for [`ArEvalV1`](crate::raw::ArEvalV1).
pub const INTERFACE_KEEP: u64 = 19;
/// Only for [`ArPrepareV1`](crate::raw::ArPrepareV1).
pub const INTERFACE_SIZES: u64 = 20;
/// For [`ArHostV1`](crate::raw::ArHostV1).
pub const INTERFACE_OP_SCHEMAS: u64 = 21;
/// For [`ArPlannerV1`](crate::raw::ArPlannerV1); queried by the host.
pub const INTERFACE_NO_SHARING: u64 = 22;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1); queried by the host.
pub const INTERFACE_CLAIM_WITH_HOST: u64 = 23;
/// For [`ArDelegateV1`](crate::raw::ArDelegateV1); queried by the host.
pub const INTERFACE_BIND: u64 = 24;
/// For [`ArOpV1`](crate::raw::ArOpV1); queried by the host.
pub const INTERFACE_EMBED: u64 = 25;
/// Only for [`ArEvalV1`](crate::raw::ArEvalV1).
pub const INTERFACE_RESOURCE_MEMORY: u64 = 26;

/// The round of a node that is refused, for `partitions` of [`ArClaimHostV1`](crate::raw::ArClaimHostV1).
pub const ROUND_REFUSED: u32 = u32::MAX;

/// Nothing serves the node unless the delegate that claims does.
pub const SERVER_NOTHING: u32 = 0;
/// The reference op of a plugin.
pub const SERVER_OP: u32 = 1;
/// Another delegate: one that has the node already, or one that is asked later and accepts it.
pub const SERVER_DELEGATE: u32 = 2;

/// The operand is optional: −1, or missing at the end of the list.
pub const OPERAND_OPTIONAL: u32 = 1;
/// The operand is a list of tensors, with at least one unless it is optional.
pub const OPERAND_VARIADIC: u32 = 2;
/// The option is a vector.
pub const OPTION_VECTOR: u32 = 1;

pub const ASSIGNMENT_OFFSETS: u32 = 0;
pub const ASSIGNMENT_OBJECTS: u32 = 1;
