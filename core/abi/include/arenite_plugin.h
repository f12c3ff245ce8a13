/*
 * arenite_plugin.h: the ABI between arenite and its plugins, for plugins written in C.
 *
 * A plugin is a dynamic library that exports `arenite_plugin_v1` (see ArEntryV1; AR_ENTRY defines it).
 * plugins/template/c/cube.c is a complete example. Plugins written in Rust use the same structures, which never change
 * within major version 1.
 *
 * Rules
 *  - Every structure that is passed by pointer starts with an ArHeader, filled in by its creator.
 *  - Elements of an array of structures are as far apart as the stride next to the array says, not by sizeof.
 *  - Text is UTF-8 with a length, not null-terminated.
 *  - A pointer is borrowed during the call, unless its field says otherwise. Ownership is never transferred.
 *  - A function returns an ArStatus. Before it returns an error, it passes a message to ArHostV1.set_error. The message
 *    should name both values and the remedy; the host adds the op, the node and the tensors' names in front.
 *  - C++ exceptions and longjmp must not cross the boundary.
 *  - A pointer to an array may be null if its count is 0.
 *  - Further interfaces are requested by id, with the `query` functions, which return null for an unknown id. A plugin
 *    may set its own `query` to null.
 *  - A library is never unloaded.
 */
#ifndef ARENITE_PLUGIN_H
#define ARENITE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this ABI, `major << 16 | minor`, and the name of a plugin's entry function. */
#define AR_ABI_VERSION 0x10000u
#define AR_ENTRY_SYMBOL "arenite_plugin_v1"

/* ArStatus: the result of a call. */
typedef uint32_t ArStatus;
#define AR_STATUS_OK 0u
#define AR_STATUS_INVALID 1u       /* the model, a shape or an option is invalid; any plugin would reject it */
#define AR_STATUS_UNSUPPORTED 2u   /* valid, but not supported here: the host tries the next candidate */
#define AR_STATUS_OUT_OF_MEMORY 3u /* the system or a quota refused memory */
#define AR_STATUS_CANCELLED 4u     /* the caller cancelled the invocation */
#define AR_STATUS_PANICKED 5u      /* the plugin panicked; the instance is not called again */
#define AR_STATUS_INTERNAL 6u      /* the host or the plugin violated the rules */
#define AR_STATUS_UNAVAILABLE 7u   /* a device is missing or lost, or its memory is exhausted */

/* Element types of tensors: the numbers of the .tflite schema. */
#define AR_TYPE_FLOAT32 0u
#define AR_TYPE_FLOAT16 1u
#define AR_TYPE_INT32 2u
#define AR_TYPE_UINT8 3u
#define AR_TYPE_INT64 4u
#define AR_TYPE_STRING 5u      /* int32 count, int32 offsets [count + 1], then the bytes */
#define AR_TYPE_BOOL 6u        /* a byte; zero is false */
#define AR_TYPE_INT16 7u
#define AR_TYPE_COMPLEX64 8u   /* two float, the real part first */
#define AR_TYPE_INT8 9u
#define AR_TYPE_FLOAT64 10u
#define AR_TYPE_COMPLEX128 11u /* two double, the real part first */
#define AR_TYPE_UINT64 12u
#define AR_TYPE_RESOURCE 13u   /* the handle of a variable or a table, an int32_t */
#define AR_TYPE_VARIANT 14u    /* a value whose type is not part of the tensor's type */
#define AR_TYPE_UINT32 15u
#define AR_TYPE_UINT16 16u
#define AR_TYPE_INT4 17u       /* two to a byte, the even element in the low half */
#define AR_TYPE_BFLOAT16 18u   /* the upper half of a float */
#define AR_TYPE_INT2 19u       /* four to a byte, the first element in the lowest bits */
#define AR_TYPE_UINT4 20u      /* two to a byte, the even element in the low half */
#define AR_TYPE_FLOAT8_E4M3FN 21u
#define AR_TYPE_FLOAT8_E5M2 22u

/* ArNodeV1.builtin_code of a custom op, and of the node that represents a delegate's partition. */
#define AR_BUILTIN_CUSTOM 32
#define AR_BUILTIN_DELEGATE 51

/* ArTensorV1.flags */
#define AR_TENSOR_CONSTANT 1u /* the value never changes; it has data in `prepare`, too */
#define AR_TENSOR_VARIABLE 2u /* a variable: `eval` may write it although it is an input */
#define AR_TENSOR_DYNAMIC 4u  /* the shape is unknown until the node that writes the tensor has run */
#define AR_TENSOR_IN_FILE 8u  /* a constant in the model file; its address is fixed for all interpreters of the model */

/* ArTensorV1.memory_kind of a value in device memory of the delegate that provided `handle`. */
#define AR_MEMORY_DEVICE 1u

/* ArPrepareV1.share_memory */
#define AR_SHARE_IN_PLACE 1u /* elementwise: the output may overwrite the input if nothing reads the input later */
#define AR_SHARE_VIEW 2u     /* the output has the same bytes as the input; both remain valid */

/* ArLayoutV1.share_part */
#define AR_SHARE_PART_OF_INPUT 3u  /* the output has the input's bytes from offset `bytes`; both remain valid */
#define AR_SHARE_PART_OF_OUTPUT 4u /* the input may be computed in the output, at offset `bytes` */
/* After writing byte q of the output, `eval` reads no byte p of the input with p + bytes <= q. So the output may
   start `bytes` or more before the input and overlap it, if nothing reads the input later. */
#define AR_SHARE_BEHIND 5u

/* ArOpV1.flags */
#define AR_OP_STATEFUL 1u /* the result depends on more than the inputs: never computed in advance or skipped */
#define AR_OP_IN_PLACE 2u /* some nodes use AR_SHARE_IN_PLACE; only for listings */
#define AR_OP_VIEW 4u     /* some nodes use AR_SHARE_VIEW; only for listings */
#define AR_OP_PART_OF_INPUT 8u   /* some nodes use AR_SHARE_PART_OF_INPUT */
#define AR_OP_PART_OF_OUTPUT 16u /* some nodes use AR_SHARE_PART_OF_OUTPUT */
#define AR_OP_BEHIND 32u         /* some nodes use AR_SHARE_BEHIND */
/* The program registered the op with user data: before `prepare` the host writes that pointer to the first word of
   the zeroed state, which must be large enough. Ops of plugins must not set this flag. */
#define AR_OP_USER_DATA 64u
/* Bits 8 to 15 tell the element type of all outputs, which the host sets before it looks for an op that serves the
   node. 0: the type in the file; INPUT + i: the type of input i < 63; FIXED + t: always type t; OPTION: the first field
   of the builtin options (INT32 or INT64). For example (AR_OP_OUTPUT_TYPE_INPUT + 0u) << AR_OP_OUTPUT_TYPE_SHIFT. */
#define AR_OP_OUTPUT_TYPE_SHIFT 8u
#define AR_OP_OUTPUT_TYPE_INPUT 1u
#define AR_OP_OUTPUT_TYPE_FIXED 64u
#define AR_OP_OUTPUT_TYPE_OPTION 255u

/* The ids that `query` takes, each with the structs that have it and with the result. The host calls `query` of
   planners and delegates. */
#define AR_INTERFACE_SUBGRAPHS 1u /* ArPrepareV1, ArEvalV1: an ArSubgraphsV1 */
#define AR_INTERFACE_RESOURCES 2u /* ArPrepareV1, ArEvalV1: an ArResourcesV1 */
#define AR_INTERFACE_LAYOUT 3u /* ArPrepareV1: an ArLayoutV1 */
#define AR_INTERFACE_PROFILE 4u /* ArEvalV1: an ArProfileV1 */
#define AR_INTERFACE_CONSTANTS 5u /* ArPrepareV1, ArCompileHostV1: an ArConstantsV1 */
#define AR_INTERFACE_CLAIM 6u /* ArDelegateV1: an ArClaimV1 */
#define AR_INTERFACE_COMPILE 7u /* ArDelegateV1: an ArCompileV1 */
#define AR_INTERFACE_KERNEL_PLAN 8u /* ArDelegateV1: an ArKernelPlanV1 */
#define AR_INTERFACE_PLAN 9u /* ArPlannerV1 registered with user data: an ArPlanV1 */
#define AR_INTERFACE_CREATE 10u /* ArDelegateV1 registered with user data: an ArCreateV1 */
#define AR_INTERFACE_VOUCH 11u /* ArDelegateV1: an ArVouchV1 */
#define AR_INTERFACE_MEMORY 12u /* ArPrepareV1 of a partition, ArCompileHostV1: an ArMemoryV1 */
#define AR_INTERFACE_OBJECTS 13u /* ArPrepareV1: an ArObjectsV1 */
#define AR_INTERFACE_ASSIGN 14u /* ArPlannerV1: an ArAssignV1 */
#define AR_INTERFACE_DEVICES 15u /* ArDelegateV1: an ArDevicesV1 */
#define AR_INTERFACE_FACTS 16u /* ArDelegateV1: an ArFactsV1 */
#define AR_INTERFACE_DEVICE_MEMORY 17u /* as MEMORY, for bytes of a device */
#define AR_INTERFACE_BUFFERS 18u /* ArDelegateV1: an ArBuffersV1 */
#define AR_INTERFACE_KEEP 19u /* ArEvalV1: an ArKeepV1 */
#define AR_INTERFACE_SIZES 20u /* ArPrepareV1: an ArSizesV1 */
#define AR_INTERFACE_OP_SCHEMAS 21u /* ArHostV1: an ArOpSchemasV1 */
#define AR_INTERFACE_NO_SHARING 22u /* ArPlannerV1: an ArNoSharingV1 */
#define AR_INTERFACE_CLAIM_WITH_HOST 23u /* ArDelegateV1: an ArClaimWithHostV1 */
#define AR_INTERFACE_BIND 24u /* ArDelegateV1: an ArBindV1 */
#define AR_INTERFACE_EMBED 25u /* ArOpV1: an ArEmbedV1 */
#define AR_INTERFACE_RESOURCE_MEMORY 26u /* ArEvalV1: an ArResourceMemoryV1 */

/* ArClaimHostV1.partitions: the round of a node that is refused */
#define AR_ROUND_REFUSED UINT32_MAX

/* ArServerV1.kind */
#define AR_SERVER_NOTHING 0u  /* nothing serves the node unless the delegate that claims does */
#define AR_SERVER_OP 1u       /* the reference op of a plugin */
#define AR_SERVER_DELEGATE 2u /* another delegate: it has the node already, or is asked later and accepts it */

/* ArOperandV1.flags */
#define AR_OPERAND_OPTIONAL 1u /* a node may omit it: -1, or missing at the end of the list */
#define AR_OPERAND_VARIADIC 2u /* a list of tensors, with at least one unless it is optional */

/* ArOptionV1.flags */
#define AR_OPTION_VECTOR 1u

/* ArAssignmentV1.kind */
#define AR_ASSIGNMENT_OFFSETS 0u
#define AR_ASSIGNMENT_OBJECTS 1u

/* ArUsageRecordV1.last_node of a buffer that is alive until the end; fixed_offset of one that may be anywhere. */
#define AR_FOREVER UINT32_MAX
#define AR_ANYWHERE UINT64_MAX

/* ArPluginBuildV1.sanitizers */
#define AR_SANITIZER_ADDRESS 1u
#define AR_SANITIZER_THREAD 2u
#define AR_SANITIZER_MEMORY 4u
#define AR_SANITIZER_UNDEFINED 8u

/* ArPluginBuildV1.panic: the effect of a panic in a Rust plugin */
#define AR_PANIC_NONE 0u   /* not Rust */
#define AR_PANIC_UNWIND 1u /* converted to an error */
#define AR_PANIC_ABORT 2u  /* aborts the process: rejected by hosts that survive panics */

/* First member of every structure that is passed by pointer. */
typedef struct ArHeader {
  uint32_t struct_size; /* sizeof the structure for its creator */
  uint16_t major;       /* 1 */
  uint16_t minor;       /* 0 */
} ArHeader;

/* The header of a structure of this type: `.header = AR_HEADER(ArOpV1)`. */
#define AR_HEADER(type) {(uint32_t)sizeof(type), 1, 0}

/* Borrowed UTF-8 text, not null-terminated. */
typedef struct ArStr {
  const uint8_t *data;
  size_t length; /* bytes */
} ArStr;

/* Initializer of an ArStr with a string literal. */
#define AR_LITERAL(text) {(const uint8_t *)(text), sizeof(text) - 1}

/* Borrowed bytes. */
typedef struct ArBytes {
  const uint8_t *data;
  size_t length;
} ArBytes;

/* A range of writable memory. */
typedef struct ArSpan {
  void *data;
  uint64_t bytes;
} ArSpan;

/* An option, `key = value`, as text. */
typedef struct ArPair {
  ArStr key;
  ArStr value;
} ArPair;

/* A table of the model's flatbuffer, which the host has verified. */
typedef struct ArTable {
  ArBytes buffer;    /* the flatbuffer */
  uint64_t position; /* of the table in `buffer` */
  uint32_t tag;      /* type of the table in its union; 0 if absent */
} ArTable;

/* real = scale * (q - zero_point), with one pair per slice of a dimension, or a single one. */
typedef struct ArQuantizationV1 {
  ArHeader header;
  const float *scales;
  size_t scale_count;
  const int64_t *zero_points;
  size_t zero_point_count;     /* scale_count, or 1, or 0 if all are zero */
  int32_t quantized_dimension; /* the dimension along which scales vary */
  int32_t block_size;          /* number of elements along it that share a scale; 0 unless blockwise */
} ArQuantizationV1;

/* A tensor; an element of ArNodeV1.tensors, whose stride is tensor_stride. */
typedef struct ArTensorV1 {
  uint32_t element_type;                /* AR_TYPE_* */
  uint32_t rank;                        /* number of dimensions; 0 for a scalar */
  const int32_t *dims;                  /* outermost first; never negative */
  void *data;                           /* dense, in row-major order; in `prepare` null unless constant */
  uint64_t bytes;                       /* size of data */
  const ArQuantizationV1 *quantization; /* null if not quantized */
  uint32_t flags;                       /* AR_TENSOR_* */
  uint32_t memory_kind;                 /* 0: `data` is host memory; other kinds belong to the delegate of `handle` */
  uint64_t handle;
  ArStr name;                           /* in the model; the micro interpreter sets it only in `prepare` */
} ArTensorV1;

/* A node: one use of an op. */
typedef struct ArNodeV1 {
  ArHeader header;
  int32_t builtin_code;        /* the schema's code; AR_BUILTIN_CUSTOM together with custom_name */
  int32_t version;             /* the version of the op that the model requires */
  ArStr custom_name;           /* empty for a builtin op */
  uint32_t index;              /* position in the subgraph's execution plan */
  uint32_t subgraph;           /* index of the subgraph */
  const ArTensorV1 *tensors;   /* all tensors of the subgraph */
  size_t tensor_stride;        /* bytes from one tensor to the next */
  size_t tensor_count;
  const int32_t *inputs;       /* indices into tensors; -1 for an absent optional one */
  size_t input_count;
  const int32_t *outputs;      /* as inputs */
  size_t output_count;
  const int32_t *intermediates; /* tensors that only have quantization */
  size_t intermediate_count;
  ArTable options;             /* of the first union (BuiltinOptions) */
  ArTable options_2;           /* of the second union (BuiltinOptions2) */
  ArBytes custom_options;      /* the options of a custom op, usually a flexbuffer */
} ArNodeV1;

/* The body of a parallel loop: processes begin..end. */
typedef void (*ArRangeFn)(void *argument, size_t begin, size_t end);

/* The host's services for every plugin, valid as long as the process. Callable from any thread. */
typedef struct ArHostV1 {
  ArHeader header;
  /* Stores a copy of the message for the call in progress on this thread. */
  void (*set_error)(ArStr message);
  /* Logs a message. level: 1 error, 2 warning, 3 info, 4 debug, 5 trace. target: the plugin's id. */
  void (*log)(uint32_t level, ArStr target, ArStr message);
  /* Calls body(argument, begin, end) for consecutive ranges that cover 0..count, each of at least grain, on at most
     `threads` threads, and returns when all are done. The ranges depend only on count and grain. */
  ArStatus (*parallel_for)(size_t count, size_t grain, uint32_t threads, ArRangeFn body, void *argument);
  const void *(*query)(uint64_t interface_id);
} ArHostV1;

typedef struct ArPlanRequestV1 ArPlanRequestV1;
typedef struct ArAssignmentV1 ArAssignmentV1;

/* The host's services during `prepare`. Every function takes `context` first. If one fails, return its status
   unchanged; the host has stored the message. */
typedef struct ArPrepareV1 {
  ArHeader header;
  void *context;
  /* Sets the shape of output number `output`. Fails if `rank` is above 8, a dimension is negative, the size
     overflows, or `dims` is null and `rank` is not 0; for a delegate's partition also if the model's ops give a
     different shape. */
  ArStatus (*set_output_shape)(void *context, uint32_t output, const int32_t *dims, uint32_t rank);
  /* Declares that the shape of this output depends on data: `eval` must call ArEvalV1.resize_output. */
  ArStatus (*set_output_dynamic)(void *context, uint32_t output);
  /* Sets the constant value of this output, whose shape must be set first. The bytes are copied. */
  ArStatus (*set_output_constant)(void *context, uint32_t output, const void *data, uint64_t bytes);
  /* Allocates zeroed memory at *data for the life of the instance; `eval` may write to it. *index is its position in
     ArEvalV1.persistent. */
  ArStatus (*request_persistent)(void *context, uint64_t bytes, uint64_t alignment, uint32_t *index, void **data);
  /* Requests memory for the duration of each `eval`, with undefined contents. *index is its position in
     ArEvalV1.scratch. */
  ArStatus (*request_scratch)(void *context, uint64_t bytes, uint64_t alignment, uint32_t *index);
  /* Declares that `eval` works if `output` shares the memory of `input`. kind: AR_SHARE_*. */
  ArStatus (*share_memory)(void *context, uint32_t output, uint32_t input, uint32_t kind);
  /* Has the interpreter's planner place records in a single buffer of the caller. assignment->offsets needs one element
     per record; the other arrays may be null. */
  ArStatus (*plan)(void *context, const ArPlanRequestV1 *request, ArAssignmentV1 *assignment);
  const void *(*query)(void *context, uint64_t interface_id);
} ArPrepareV1;

/* The host's services during `eval`. */
typedef struct ArEvalV1 {
  ArHeader header;
  void *context;
  uint32_t threads;         /* number of threads that parallel_for may use */
  const ArSpan *persistent; /* the results of request_persistent, in the same order */
  size_t persistent_count;
  const ArSpan *scratch;    /* the results of request_scratch, in the same order */
  size_t scratch_count;
  /* Sets the shape of a dynamic output and allocates its memory; call it before using the data. `bytes` is the size
     of a string tensor, and ignored for other types. The node's tensor changes, so read it again. */
  ArStatus (*resize_output)(void *context, uint32_t output, const int32_t *dims, uint32_t rank, uint64_t bytes);
  /* Not 0 if the caller cancelled the invocation: return AR_STATUS_CANCELLED. Long loops should check this. */
  uint8_t (*is_cancelled)(void *context);
  const void *(*query)(void *context, uint64_t interface_id);
} ArEvalV1;

/* The registration of an op: binds an operator code and a range of versions to `prepare` and `eval`. */
typedef struct ArOpV1 {
  ArHeader header;
  int32_t builtin_code;   /* the schema's code; AR_BUILTIN_CUSTOM together with custom_name */
  int32_t min_version;    /* both inclusive */
  int32_t max_version;
  uint32_t flags;         /* AR_OP_* */
  ArStr custom_name;
  uint64_t element_types; /* bit t is set if the op supports element type t; 0 means any */
  uint64_t state_size;    /* size of an instance's state, allocated by the host; may be 0 */
  uint64_t state_align;   /* a power of two */
  /* Checks the node, sets the shapes of its outputs and initializes `state`, which is never null. Called again with
     another state after shapes changed. After an error, `state` is not dropped. May be null: then the outputs have
     the shapes of the model's file, and `state` is zeroed. Other functions of a registration may be null only if
     documented. */
  ArStatus (*prepare)(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state);
  /* Computes the outputs without allocating. Calls for one state never overlap, but may come from different threads. */
  ArStatus (*eval)(const ArEvalV1 *eval, const ArNodeV1 *node, void *state);
  void (*drop)(void *state); /* may be null */
  const void *(*query)(uint64_t interface_id); /* may be null */
} ArOpV1;

/* Size and lifetime of one buffer. Nodes are positions in the execution plan. */
typedef struct ArUsageRecordV1 {
  uint64_t size;         /* bytes */
  uint64_t alignment;    /* a power of two; the offset must be a multiple of it */
  uint32_t first_node;   /* both inclusive */
  uint32_t last_node;    /* AR_FOREVER if alive until the end */
  uint64_t fixed_offset; /* AR_ANYWHERE, or the offset of a buffer that must not move */
  int32_t tensor;        /* the tensor in this buffer; -1 for scratch memory */
  int32_t share_with;    /* always -1: the host decides about sharing before it calls */
  uint32_t share_kind;   /* 0 */
  uint32_t reserved;     /* 0 */
} ArUsageRecordV1;

/* The input of a planner. */
struct ArPlanRequestV1 {
  ArHeader header;
  const ArUsageRecordV1 *records;
  size_t record_count;
  size_t record_stride;  /* bytes from one record to the next */
  uint64_t capacity;     /* maximum size of the plan in bytes; UINT64_MAX for no limit */
  uint64_t time_limit;   /* maximum planning time in nanoseconds; UINT64_MAX for no limit */
  const ArPair *options; /* from the configuration */
  size_t option_count;
};

/* The result of a planner. Each array has record_count elements. */
struct ArAssignmentV1 {
  ArHeader header;
  uint32_t kind;          /* AR_ASSIGNMENT_*: which of the arrays below holds the result */
  uint32_t object_count;  /* for AR_ASSIGNMENT_OBJECTS */
  uint64_t *offsets;      /* AR_ASSIGNMENT_OFFSETS: the offset of each record */
  uint32_t *object_ids;   /* AR_ASSIGNMENT_OBJECTS: the object of each record, less than object_count */
  uint64_t *object_sizes; /* and the size of each object in bytes */
  uint8_t optimal;        /* 1 if the planner proved that no plan is smaller */
};

/* The registration of a planner. */
typedef struct ArPlannerV1 {
  ArHeader header;
  ArStr name; /* the name by which users select it */
  /* Must be pure: the same request gives the same assignment. The host checks every assignment. */
  ArStatus (*plan)(const ArPlanRequestV1 *request, ArAssignmentV1 *assignment);
  const void *(*query)(uint64_t interface_id); /* may be null */
} ArPlannerV1;

/* `plan` of a planner registered with user data; the host calls it instead of ArPlannerV1.plan. */
typedef struct ArPlanV1 {
  ArHeader header;
  ArStatus (*plan)(void *user_data, const ArPlanRequestV1 *request, ArAssignmentV1 *assignment);
} ArPlanV1;

/* A subgraph. */
typedef struct ArGraphV1 {
  ArHeader header;
  const ArTensorV1 *tensors;
  size_t tensor_stride; /* bytes from one tensor to the next */
  size_t tensor_count;
  const ArNodeV1 *nodes; /* in execution order */
  size_t node_stride;    /* bytes from one node to the next */
  size_t node_count;
  const int32_t *inputs; /* tensor indices */
  size_t input_count;
  const int32_t *outputs;
  size_t output_count;
} ArGraphV1;

/* The model's subgraphs. `context` is that of the ArPrepareV1 or ArEvalV1 whose query returned this. A subgraph has
   only one set of tensors, so it cannot be called while it runs. */
typedef struct ArSubgraphsV1 {
  ArHeader header;
  /* The subgraph with its current shapes, valid until the call in progress returns. */
  ArStatus (*describe)(void *context, uint32_t subgraph, const ArGraphV1 **graph);
  /* Sets the shape of an input and, in `eval`, copies its value. The types must be equal. */
  ArStatus (*set_input)(void *context, uint32_t subgraph, uint32_t input, const ArTensorV1 *value);
  /* In `eval`: input i of subgraph `to` becomes output i of `from`, which must have run and may be `to`. */
  ArStatus (*forward)(void *context, uint32_t from, uint32_t to);
  /* Prepares the subgraph for the current shapes of its inputs. */
  ArStatus (*prepare)(void *context, uint32_t subgraph);
  /* In `eval`: runs the subgraph, after preparing it if necessary. */
  ArStatus (*invoke)(void *context, uint32_t subgraph);
  /* After `prepare` an output has a shape, or AR_TENSOR_DYNAMIC if that is known only after a run. After `invoke` it
     also has data, until the next call with this subgraph. */
  ArStatus (*output)(void *context, uint32_t subgraph, uint32_t output, ArTensorV1 *value);
} ArSubgraphsV1;

/* Values that outlive an invocation and that all subgraphs share. `context` as for ArSubgraphsV1. */
typedef struct ArResourcesV1 {
  ArHeader header;
  /* The handle of the resource with this name, which may be any bytes. Creates it without a value if necessary. */
  ArStatus (*open)(void *context, ArBytes name, int32_t *handle);
  /* The value, valid until it is assigned again. `data` and `dims` are null before the first assignment. */
  ArStatus (*value)(void *context, int32_t handle, ArTensorV1 *value);
  /* In `eval`: assigns a type, a shape and a copy of a value. */
  ArStatus (*assign)(void *context, int32_t handle, const ArTensorV1 *value);
} ArResourcesV1;

/* Lets a node write resources in place. `context` is the ArEvalV1's. Not every host has this interface. */
typedef struct ArResourceMemoryV1 {
  ArHeader header;
  /* A number that changes whenever the type, the shape or the address of a resource's value does. While it is the same,
     what ArResourcesV1.value returned is valid in each `eval` of the interpreter, and the node may write `data`. */
  uint64_t (*version)(void *context);
} ArResourceMemoryV1;

/* Information exchanged with hosts without a heap, which allocate everything in advance. `context` is that of the
   ArPrepareV1. Other hosts may lack this interface. */
typedef struct ArSizesV1 {
  ArHeader header;
  /* The number of inputs and outputs of a subgraph. */
  ArStatus (*ports)(void *context, uint32_t subgraph, uint64_t *inputs, uint64_t *outputs);
  /* Announces that `eval` may assign a value of this type, rank and size to the resource. `data` is not read. */
  ArStatus (*reserve)(void *context, int32_t handle, const ArTensorV1 *value);
} ArSizesV1;

/* More ways for an output to share memory with an input. `context` is that of the ArPrepareV1. */
typedef struct ArLayoutV1 {
  ArHeader header;
  /* Declares that `eval` works if `output` and `input` are placed according to `kind`: AR_SHARE_PART_OF_INPUT,
     AR_SHARE_PART_OF_OUTPUT or AR_SHARE_BEHIND. */
  ArStatus (*share_part)(void *context, uint32_t output, uint32_t input, uint32_t kind, uint64_t bytes);
} ArLayoutV1;

/* Information about constants. `context` is that of the ArPrepareV1 or ArCompileHostV1. */
typedef struct ArConstantsV1 {
  ArHeader header;
  /* Tells the host that the caller has its own copy of constant `tensor` and will hardly read it again. The host may
     then evict its pages from memory. The tensor stays readable. */
  ArStatus (*release)(void *context, int32_t tensor);
  /* Four numbers that hint at the file of the constants: device, inode, size, times of change, combined with the
     subgraph. Zeros if the model is not a file. Different files can have the same numbers, so find data that is
     cached between processes by its contents. */
  ArStatus (*origin)(void *context, uint64_t *numbers);
} ArConstantsV1;

/* Memory that a kernel allocates, returned to the quota with it. `context` is an ArPrepareV1's or ArCompileHostV1's. */
typedef struct ArMemoryV1 {
  ArHeader header;
  /* The bytes that the quota allows the kernel to hold in total. */
  uint64_t (*room)(void *context);
  /* Sets the total number of bytes that the kernel holds. An error if the quota does not allow them. */
  ArStatus (*hold)(void *context, uint64_t bytes);
} ArMemoryV1;

/* Receives the times of a delegate's steps; null unless a profile was requested. `context` is that of the ArEvalV1. */
typedef struct ArProfileV1 {
  ArHeader header;
  /* Records the time of step `number`, called `name`; its first result is `tensor` (-1 if not in the graph). */
  void (*note)(void *context, uint32_t number, ArStr name, int32_t tensor, uint64_t nanoseconds);
} ArProfileV1;

/* The model's subgraphs while a delegate claims nodes. */
typedef struct ArDescribeV1 {
  ArHeader header;
  void *context;
  /* The subgraph with its current shapes and constants; *graph is valid until the call in progress returns.
     Subgraphs called by a node were prepared for the shapes it passes to them. */
  ArStatus (*describe)(void *context, uint32_t subgraph, const ArGraphV1 **graph);
} ArDescribeV1;

/* Receives a delegate's decisions about nodes. Nodes that are not accepted are refused. */
typedef struct ArClaimsV1 {
  ArHeader header;
  void *context;
  /* Accepts the node at this position of ArGraphV1.nodes. */
  void (*accept)(void *context, size_t node);
  /* Refuses the node, with a reason for the user. */
  void (*refuse)(void *context, size_t node, ArStr reason);
} ArClaimsV1;

/* `claim` of a delegate that inspects called subgraphs; the host calls it instead of ArDelegateV1.claim. */
typedef struct ArClaimV1 {
  ArHeader header;
  ArStatus (*claim)(void *delegate, const ArGraphV1 *graph, const ArDescribeV1 *subgraphs, const ArClaimsV1 *claims);
} ArClaimV1;

/* A delegate's decisions about nodes that no registered op prepared. The shapes of their outputs come from the
   model's file. A delegate without this interface is not shown such nodes. */
typedef struct ArVouchV1 {
  ArHeader header;
  /* 1 if the delegate knows this op, version and types, and relies on no output shapes but those it computes. */
  uint8_t (*vouch)(void *delegate, const ArNodeV1 *node);
} ArVouchV1;

/* A maximal set of claimed nodes that run as one node. */
typedef struct ArPartitionV1 {
  ArHeader header;
  const ArGraphV1 *graph;
  const uint32_t *nodes;  /* positions in graph->nodes, in execution order */
  size_t node_count;
  const int32_t *inputs;  /* tensors read from outside, including constants, ascending: the inputs of that node */
  size_t input_count;
  const int32_t *outputs; /* tensors read outside, ascending: the outputs of that node */
  size_t output_count;
} ArPartitionV1;

/* The op or delegate that serves a node if the delegate that claims does not. The caller sets the header only. */
typedef struct ArServerV1 {
  ArHeader header;
  uint32_t kind; /* AR_SERVER_* */
  uint32_t reserved;
  ArStr name; /* the delegate, or the plugin that provides the op; valid until the `claim` in progress returns */
} ArServerV1;

/* The host's services during ArClaimWithHostV1.claim. Nodes are positions in ArGraphV1.nodes. */
typedef struct ArClaimHostV1 {
  ArHeader header;
  void *context;                 /* first argument of the functions */
  const ArClaimsV1 *claims;      /* receives the decisions */
  const ArDescribeV1 *subgraphs; /* the subgraphs called by nodes */
  /* Accepts a node in a round; ArClaimsV1.accept accepts in round 0. Partitions are formed round by round in ascending
     order: each has nodes of one round, and a later round sees earlier partitions as single nodes. */
  void (*accept_in)(void *context, size_t node, uint32_t round);
  /* The partitions that would result if each node i was accepted in rounds[i], or refused if that is AR_ROUND_REFUSED.
     `count` must be the number of nodes. The array at *partitions, of *partition_count structs that are *stride bytes
     apart, is valid until the next call or until `claim` returns. */
  ArStatus (*partitions)(void *context, const uint32_t *rounds, size_t count, const ArPartitionV1 **partitions,
                         size_t *stride, size_t *partition_count);
  /* The op or delegate that serves the node if this delegate refuses it. */
  ArStatus (*server)(void *context, size_t node, ArServerV1 *server);
  const void *(*query)(void *context, uint64_t interface_id); /* null for all ids so far */
} ArClaimHostV1;

/* `claim` of a delegate that asks the host before it decides; the host calls it instead of ArDelegateV1.claim and
   ArClaimV1.claim. */
typedef struct ArClaimWithHostV1 {
  ArHeader header;
  ArStatus (*claim)(void *delegate, const ArGraphV1 *graph, const ArClaimHostV1 *host);
} ArClaimWithHostV1;

/* The host's services during ArCompileV1.compile. */
typedef struct ArCompileHostV1 {
  ArHeader header;
  void *context;                 /* first argument of query */
  uint32_t threads;              /* number of threads that ArHostV1.parallel_for may use */
  const ArDescribeV1 *subgraphs; /* the subgraphs called by nodes, as in `claim`; may be null */
  const void *(*query)(void *context, uint64_t interface_id); /* AR_INTERFACE_CONSTANTS, AR_INTERFACE_MEMORY */
} ArCompileHostV1;

/* `compile` of a delegate that packs constants in it; the host calls it instead of ArDelegateV1.compile. The kernel
   is used until its nodes or the constants they read change; for other shapes it is prepared again. */
typedef struct ArCompileV1 {
  ArHeader header;
  ArStatus (*compile)(void *delegate, const ArPartitionV1 *partition, const ArCompileHostV1 *host, void **kernel);
} ArCompileV1;

/* Receives the buffers inside a kernel's scratch memory. */
typedef struct ArPlanNotesV1 {
  ArHeader header;
  void *context;
  /* Reports a buffer `name` at `offset` of scratch memory `scratch` (the index from request_scratch). Its record
     counts the kernel's own steps, and names the tensor of the graph it holds, if any. */
  void (*note)(void *context, uint32_t scratch, const ArUsageRecordV1 *record, uint64_t offset, ArStr name);
} ArPlanNotesV1;

/* Reports the buffers inside the scratch memory of a prepared kernel. */
typedef struct ArKernelPlanV1 {
  ArHeader header;
  ArStatus (*plan)(void *kernel, const ArPlanNotesV1 *notes);
} ArKernelPlanV1;

/* The registration of a delegate. */
typedef struct ArDelegateV1 {
  ArHeader header;
  ArStr name; /* the name by which users select it */
  /* Creates a delegate with these options, for one interpreter. An unknown option is an error. */
  ArStatus (*create)(const ArPair *options, size_t option_count, void **delegate);
  /* Accepts or refuses each node of the graph. */
  ArStatus (*claim)(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims);
  /* Called once per partition, with the current graph. */
  ArStatus (*compile)(void *delegate, const ArPartitionV1 *partition, void **kernel);
  /* After `compile` and after each change of shapes: sets the shapes of the partition's outputs and requests memory. */
  ArStatus (*prepare)(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition);
  /* Runs all nodes of the partition. `node` represents the partition, with the data of its inputs and outputs. */
  ArStatus (*invoke)(void *kernel, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node);
  void (*destroy_kernel)(void *kernel);
  void (*destroy)(void *delegate); /* called after all its kernels are destroyed */
  const void *(*query)(uint64_t interface_id); /* may be null */
} ArDelegateV1;

/* `create` of a delegate registered with user data; the host calls it instead of ArDelegateV1.create. */
typedef struct ArCreateV1 {
  ArHeader header;
  ArStatus (*create)(void *user_data, const ArPair *options, size_t option_count, void **delegate);
} ArCreateV1;

/* The contents of a plugin. It and everything it points to must be valid as long as the process, and never change. */
typedef struct ArPluginV1 {
  ArHeader header;
  ArStr id;          /* a reverse domain name */
  ArStr version;     /* of the plugin */
  ArStr description; /* one line */
  const ArOpV1 *ops;
  size_t op_count;
  size_t op_stride;  /* sizeof(ArOpV1) */
  const ArPlannerV1 *planners;
  size_t planner_count;
  size_t planner_stride; /* sizeof(ArPlannerV1) */
  const ArDelegateV1 *delegates;
  size_t delegate_count;
  size_t delegate_stride; /* sizeof(ArDelegateV1) */
  const void *(*query)(uint64_t interface_id); /* may be null */
} ArPluginV1;

/* A record that needs a shared object: its extents, of which a request uses one to three (unused ones are 1), and
   its lifetime as in ArUsageRecordV1. */
typedef struct ArObjectRecordV1 {
  uint64_t extents[3];
  uint32_t first_node;
  uint32_t last_node;
  int32_t tensor; /* the tensor stored in it, or -1 */
  uint32_t reserved;
} ArObjectRecordV1;

/* Records that need shared objects, such as buffers and textures of a device. */
typedef struct ArObjectRequestV1 {
  ArHeader header;
  uint32_t extents; /* number of extents of a record: 1 (bytes), 2 or 3 (textures) */
  const ArObjectRecordV1 *records;
  size_t record_count;
  size_t record_stride;
  /* Null if nodes run in sequence. Otherwise they run in any order in which each node follows those whose results it
     reads: the records computed from record i are readers[reader_starts[i]] to readers[reader_starts[i + 1] - 1],
     with one start more than records. */
  const uint32_t *reader_starts;
  const uint32_t *readers;
  const ArPair *options;
  size_t option_count;
} ArObjectRequestV1;

/* The result of a planner. Both arrays have `record_count` elements. */
typedef struct ArObjectAssignmentV1 {
  ArHeader header;
  uint32_t object_count;
  uint32_t *ids;      /* for each record, the number of its object */
  uint64_t (*sizes)[3]; /* for each object, its extents */
} ArObjectAssignmentV1;

/* A planner that assigns shared objects. */
typedef struct ArAssignV1 {
  ArHeader header;
  ArStatus (*assign)(const ArObjectRequestV1 *request, ArObjectAssignmentV1 *assignment);
} ArAssignV1;

/* Declares that a planner never lets two records share memory, so that every value can be read after its last use. The
   host then overlaps no tensors either, as with `preserve_all`. */
typedef struct ArNoSharingV1 {
  ArHeader header;
} ArNoSharingV1;

/* Shared objects for a kernel. `context` is that of the ArPrepareV1. */
typedef struct ArObjectsV1 {
  ArHeader header;
  /* Runs the planner with this name, or the interpreter's own for an empty name, with the request's options or the
     configured ones. The host checks the result along each axis and in time. */
  ArStatus (*assign)(void *context, ArStr planner, const ArObjectRequestV1 *request, ArObjectAssignmentV1 *assignment);
} ArObjectsV1;

/* A device that a delegate can run on. */
typedef struct ArDeviceV1 {
  ArHeader header;
  ArStr name;   /* the name by which users select it */
  ArStr driver; /* vendor and version of the driver */
  ArStr kind;   /* "gpu", "cpu", or another kind */
  uint64_t memory; /* bytes; 0 if unknown */
  const ArPair *limits; /* further properties, as keys and values */
  size_t limit_count;
} ArDeviceV1;

/* Receives a delegate's devices. */
typedef struct ArDeviceNotesV1 {
  ArHeader header;
  void *context;
  void (*note)(void *context, const ArDeviceV1 *device);
} ArDeviceNotesV1;

/* The devices of a delegate; listing them needs no instance of it. */
typedef struct ArDevicesV1 {
  ArHeader header;
  /* Lists them in the order in which options number them. AR_STATUS_UNAVAILABLE if the driver is missing. */
  ArStatus (*list)(const ArDeviceNotesV1 *notes);
} ArDevicesV1;

/* Receives facts of a kernel. */
typedef struct ArFactNotesV1 {
  ArHeader header;
  void *context;
  void (*number)(void *context, ArStr key, uint64_t value, ArStr unit); /* unit: "bytes", "ns"; empty for counts */
  void (*text)(void *context, ArStr key, ArStr value);
} ArFactNotesV1;

/* Reports facts of a prepared kernel. */
typedef struct ArFactsV1 {
  ArHeader header;
  ArStatus (*tell)(void *kernel, const ArFactNotesV1 *notes);
} ArFactsV1;

/* A delegate whose kernels may keep outputs on their device. A value kept by ArKeepV1.keep does not change until its
   kernel is invoked again, prepared or destroyed. Until then, partitions of the same delegate find the handle in the
   ArTensorV1 of their input, with memory_kind AR_MEMORY_DEVICE, and must not read its data. */
typedef struct ArBuffersV1 {
  ArHeader header;
  /* Copies the value kept under `handle` to host memory, which has the size of the tensor. */
  ArStatus (*read)(void *kernel, uint64_t handle, void *data, uint64_t bytes);
} ArBuffersV1;

/* A delegate whose device memory a program can share. All functions take the delegate from create; no other call uses
   it or its kernels at the same time. A program creates memory with the API of the device, such as a cl_mem, on the
   objects that `object` names. Bound memory contains a tensor's elements in their order, without padding, in the
   tensor's type. */
typedef struct ArBindV1 {
  ArHeader header;
  /* An object of the API with this name, such as the "context"; AR_STATUS_UNSUPPORTED with the known names. */
  ArStatus (*object)(void *delegate, ArStr name, uint64_t *object);
  /* Binds `bytes` bytes at `offset` of an object that lives until unbind. Partitions of the delegate find `handle` in
     the ArTensorV1 of an input, with memory_kind AR_MEMORY_DEVICE, as they find values that were kept. An error names
     the sizes, or says that the object belongs to another device. */
  ArStatus (*bind)(void *delegate, uint64_t object, uint64_t offset, uint64_t bytes, uint64_t *handle);
  void (*unbind)(void *delegate, uint64_t handle);
  /* Copies from the start of bound memory to host memory. */
  ArStatus (*read)(void *delegate, uint64_t handle, void *data, uint64_t bytes);
  /* Copies host memory to the start of bound memory. */
  ArStatus (*write)(void *delegate, uint64_t handle, const void *data, uint64_t bytes);
  /* Copies a value of `bytes` bytes that a kernel keeps under `kept` to bound memory. AR_STATUS_UNSUPPORTED if the
     device stores it in another type: the host then reads and writes. */
  ArStatus (*copy)(void *delegate, uint64_t kept, uint64_t handle, uint64_t bytes);
} ArBindV1;

/* Lets a kernel keep an output on its device. `context` is the ArEvalV1's; null if the host needs all outputs. */
typedef struct ArKeepV1 {
  ArHeader header;
  /* The kernel keeps the value of output `output` under `handle`, and does not write the output's data. */
  ArStatus (*keep)(void *context, uint32_t output, uint64_t handle);
} ArKeepV1;

/* An input or output of an op; an element of ArOpSchemaV1.inputs, whose stride is operand_stride. */
typedef struct ArOperandV1 {
  ArStr name; /* as in TensorFlow Lite's documentation: "filter" */
  uint32_t flags; /* AR_OPERAND_* */
  uint32_t reserved;
} ArOperandV1;

/* A field of an op's options; an element of ArOpSchemaV1.options, whose stride is option_stride. */
typedef struct ArOptionV1 {
  ArStr name;            /* as in the .tflite schema: "stride_w" */
  uint32_t slot;         /* its position among the fields of the table */
  uint32_t element_type; /* AR_TYPE_* of the field or of a vector's elements; AR_TYPE_STRING for text */
  uint32_t flags;        /* AR_OPTION_* */
  uint32_t reserved;
  double default_value;  /* if the file omits the field; 0 or 1 for a bool. Vectors and texts are then empty */
} ArOptionV1;

/* The host's information about a builtin op. The caller creates the struct with its header; `find` fills in the
   rest. Texts and arrays are valid as long as the process. */
typedef struct ArOpSchemaV1 {
  ArHeader header;
  int32_t code;
  uint32_t registered;    /* 1 if an op with this code is registered in this process */
  ArStr name;             /* "CONV_2D" */
  uint64_t element_types; /* bit t is set if a registered op supports AR_TYPE_* t; 0 means any */
  const ArOperandV1 *inputs;
  size_t input_count;
  const ArOperandV1 *outputs;
  size_t output_count;
  size_t operand_stride;
  ArStr options_table;    /* "Conv2DOptions"; empty: the op has no options */
  uint32_t options_union; /* 1: ArNodeV1.options has them, 2: options_2; 0: there are none */
  uint32_t options_tag;   /* ArTable.tag of the table */
  const ArOptionV1 *options;
  size_t option_count;
  size_t option_stride;
} ArOpSchemaV1;

/* Names of operands, and types and defaults of options, for delegates. A delegate that claims nodes by them needs no
   tables of its own. */
typedef struct ArOpSchemasV1 {
  ArHeader header;
  /* Describes the builtin op with this code. AR_STATUS_UNSUPPORTED if the host does not know it, or its operands
     have no fixed names (AR_BUILTIN_CUSTOM). The inputs of LSTM are the full kernel's. */
  ArStatus (*find)(int32_t code, ArOpSchemaV1 *schema);
} ArOpSchemasV1;

/* How a plugin was built, exported as `arenite_plugin_build_v1` (AR_BUILD defines it). The host reads it before it
   calls the entry and refuses a plugin whose sanitizer would end or mislead the process. A library may have none. */
typedef struct ArPluginBuildV1 {
  ArHeader header;
  uint32_t sanitizers; /* AR_SANITIZER_* */
  uint32_t panic;      /* AR_PANIC_* */
} ArPluginBuildV1;
#define AR_BUILD_SYMBOL "arenite_plugin_build_v1"

/* The entry function, exported as `arenite_plugin_v1`. *version is the highest version that the host supports. The
   plugin stores `host`, lowers *version to the highest version that it also supports, and returns its descriptor. If
   there is none, it sets *version to the lowest version that it accepts and returns null. It may be called more than
   once. */
typedef const ArPluginV1 *(*ArEntryV1)(const ArHostV1 *host, uint32_t *version);

/* Put this before the definition of the entry function. */
#if defined(_WIN32)
#define AR_EXPORT __declspec(dllexport)
#else
#define AR_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define AR_EXTERN_C extern "C"
#else
#define AR_EXTERN_C extern
#endif

/* The sanitizers used by the compiler. Only clang reports UndefinedBehaviorSanitizer. */
#if defined(__has_feature)
#define AR_HAS_FEATURE(name) __has_feature(name)
#else
#define AR_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || AR_HAS_FEATURE(address_sanitizer)
#define AR_BUILT_ADDRESS AR_SANITIZER_ADDRESS
#else
#define AR_BUILT_ADDRESS 0u
#endif
#if defined(__SANITIZE_THREAD__) || AR_HAS_FEATURE(thread_sanitizer)
#define AR_BUILT_THREAD AR_SANITIZER_THREAD
#else
#define AR_BUILT_THREAD 0u
#endif
#if AR_HAS_FEATURE(memory_sanitizer)
#define AR_BUILT_MEMORY AR_SANITIZER_MEMORY
#else
#define AR_BUILT_MEMORY 0u
#endif
#if AR_HAS_FEATURE(undefined_behavior_sanitizer)
#define AR_BUILT_UNDEFINED AR_SANITIZER_UNDEFINED
#else
#define AR_BUILT_UNDEFINED 0u
#endif

/* Defines the symbol that describes how the plugin was built, for plugins that define their entry function without
   AR_ENTRY. */
#define AR_BUILD()                                                                      \
  AR_EXTERN_C AR_EXPORT const ArPluginBuildV1 arenite_plugin_build_v1;                  \
  const ArPluginBuildV1 arenite_plugin_build_v1 = {                                     \
      AR_HEADER(ArPluginBuildV1),                                                       \
      AR_BUILT_ADDRESS | AR_BUILT_THREAD | AR_BUILT_MEMORY | AR_BUILT_UNDEFINED,        \
      AR_PANIC_NONE,                                                                    \
  }

/* Defines the entry function of a plugin that needs this version of the ABI. It stores the host in `kept`, a
   `const ArHostV1 *`, and returns `descriptor`, an ArPluginV1. Also defines AR_BUILD. */
#ifdef __cplusplus
#define AR_ENTRY(kept, descriptor) AR_BUILD(); extern "C" AR_EXPORT AR_ENTRY_BODY(kept, descriptor)
#else
#define AR_ENTRY(kept, descriptor) AR_BUILD(); AR_EXPORT AR_ENTRY_BODY(kept, descriptor)
#endif
#define AR_ENTRY_BODY(kept, descriptor)                                                 \
  const ArPluginV1 *arenite_plugin_v1(const ArHostV1 *the_host, uint32_t *the_version) { \
    uint32_t speaks = the_version ? *the_version : 0;                                   \
    if (the_version) *the_version = AR_ABI_VERSION;                                     \
    if (!the_host || speaks < AR_ABI_VERSION) return 0;                                 \
    (kept) = the_host;                                                                  \
    return &(descriptor);                                                               \
  }

/* Receives the state of a node: the C name of the function that runs it, with the signature of ArOpV1.eval, and the
   state that this function expects. An empty name stands for the registered `eval`. */
typedef ArStatus (*ArPutStateFn)(void *context, ArStr kernel, const void *state, uint64_t bytes, uint64_t alignment);

/* Writes the state of a prepared node as another machine stores it, so that a program for that machine can contain it:
   `arenite embed`. Returned by `query` of ArOpV1 (AR_INTERFACE_EMBED). An op without it cannot be embedded. */
typedef struct ArEmbedV1 {
  ArHeader header;
  /* Calls `put` once, for a little-endian machine whose pointers have pointer_bytes bytes. A state of numbers of fixed
     width, without pointers and size_t, is passed as it is. AR_STATUS_UNSUPPORTED if this node cannot be embedded. */
  ArStatus (*embed)(const void *state, uint32_t pointer_bytes, void *context, ArPutStateFn put);
} ArEmbedV1;

/* Checks the layout for 64-bit pointers, on which the compilers of plugin and host must agree. */
#if UINTPTR_MAX == UINT64_MAX
#ifdef __cplusplus
#define AR_ASSERT_LAYOUT(condition, text) static_assert(condition, text)
#else
#define AR_ASSERT_LAYOUT(condition, text) _Static_assert(condition, text)
#endif
#define AR_SIZE(type, size) AR_ASSERT_LAYOUT(sizeof(type) == (size), #type " does not have " #size " bytes")
#define AR_AT(type, field, at) AR_ASSERT_LAYOUT(offsetof(type, field) == (at), #type "." #field " is not at " #at)
AR_SIZE(ArHeader, 8);
AR_AT(ArHeader, struct_size, 0);
AR_AT(ArHeader, major, 4);
AR_AT(ArHeader, minor, 6);
AR_SIZE(ArStr, 16);
AR_AT(ArStr, data, 0);
AR_AT(ArStr, length, 8);
AR_SIZE(ArBytes, 16);
AR_AT(ArBytes, data, 0);
AR_AT(ArBytes, length, 8);
AR_SIZE(ArSpan, 16);
AR_AT(ArSpan, data, 0);
AR_AT(ArSpan, bytes, 8);
AR_SIZE(ArPair, 32);
AR_AT(ArPair, key, 0);
AR_AT(ArPair, value, 16);
AR_SIZE(ArTable, 32);
AR_AT(ArTable, buffer, 0);
AR_AT(ArTable, position, 16);
AR_AT(ArTable, tag, 24);
AR_SIZE(ArQuantizationV1, 48);
AR_AT(ArQuantizationV1, header, 0);
AR_AT(ArQuantizationV1, scales, 8);
AR_AT(ArQuantizationV1, scale_count, 16);
AR_AT(ArQuantizationV1, zero_points, 24);
AR_AT(ArQuantizationV1, zero_point_count, 32);
AR_AT(ArQuantizationV1, quantized_dimension, 40);
AR_AT(ArQuantizationV1, block_size, 44);
AR_SIZE(ArTensorV1, 72);
AR_AT(ArTensorV1, element_type, 0);
AR_AT(ArTensorV1, rank, 4);
AR_AT(ArTensorV1, dims, 8);
AR_AT(ArTensorV1, data, 16);
AR_AT(ArTensorV1, bytes, 24);
AR_AT(ArTensorV1, quantization, 32);
AR_AT(ArTensorV1, flags, 40);
AR_AT(ArTensorV1, memory_kind, 44);
AR_AT(ArTensorV1, handle, 48);
AR_AT(ArTensorV1, name, 56);
AR_SIZE(ArNodeV1, 192);
AR_AT(ArNodeV1, header, 0);
AR_AT(ArNodeV1, builtin_code, 8);
AR_AT(ArNodeV1, version, 12);
AR_AT(ArNodeV1, custom_name, 16);
AR_AT(ArNodeV1, index, 32);
AR_AT(ArNodeV1, subgraph, 36);
AR_AT(ArNodeV1, tensors, 40);
AR_AT(ArNodeV1, tensor_stride, 48);
AR_AT(ArNodeV1, tensor_count, 56);
AR_AT(ArNodeV1, inputs, 64);
AR_AT(ArNodeV1, input_count, 72);
AR_AT(ArNodeV1, outputs, 80);
AR_AT(ArNodeV1, output_count, 88);
AR_AT(ArNodeV1, intermediates, 96);
AR_AT(ArNodeV1, intermediate_count, 104);
AR_AT(ArNodeV1, options, 112);
AR_AT(ArNodeV1, options_2, 144);
AR_AT(ArNodeV1, custom_options, 176);
AR_SIZE(ArHostV1, 40);
AR_AT(ArHostV1, header, 0);
AR_AT(ArHostV1, set_error, 8);
AR_AT(ArHostV1, log, 16);
AR_AT(ArHostV1, parallel_for, 24);
AR_AT(ArHostV1, query, 32);
AR_SIZE(ArPrepareV1, 80);
AR_AT(ArPrepareV1, header, 0);
AR_AT(ArPrepareV1, context, 8);
AR_AT(ArPrepareV1, set_output_shape, 16);
AR_AT(ArPrepareV1, set_output_dynamic, 24);
AR_AT(ArPrepareV1, set_output_constant, 32);
AR_AT(ArPrepareV1, request_persistent, 40);
AR_AT(ArPrepareV1, request_scratch, 48);
AR_AT(ArPrepareV1, share_memory, 56);
AR_AT(ArPrepareV1, plan, 64);
AR_AT(ArPrepareV1, query, 72);
AR_SIZE(ArEvalV1, 80);
AR_AT(ArEvalV1, header, 0);
AR_AT(ArEvalV1, context, 8);
AR_AT(ArEvalV1, threads, 16);
AR_AT(ArEvalV1, persistent, 24);
AR_AT(ArEvalV1, persistent_count, 32);
AR_AT(ArEvalV1, scratch, 40);
AR_AT(ArEvalV1, scratch_count, 48);
AR_AT(ArEvalV1, resize_output, 56);
AR_AT(ArEvalV1, is_cancelled, 64);
AR_AT(ArEvalV1, query, 72);
AR_SIZE(ArOpV1, 96);
AR_AT(ArOpV1, header, 0);
AR_AT(ArOpV1, builtin_code, 8);
AR_AT(ArOpV1, min_version, 12);
AR_AT(ArOpV1, max_version, 16);
AR_AT(ArOpV1, flags, 20);
AR_AT(ArOpV1, custom_name, 24);
AR_AT(ArOpV1, element_types, 40);
AR_AT(ArOpV1, state_size, 48);
AR_AT(ArOpV1, state_align, 56);
AR_AT(ArOpV1, prepare, 64);
AR_AT(ArOpV1, eval, 72);
AR_AT(ArOpV1, drop, 80);
AR_AT(ArOpV1, query, 88);
AR_SIZE(ArUsageRecordV1, 48);
AR_AT(ArUsageRecordV1, size, 0);
AR_AT(ArUsageRecordV1, alignment, 8);
AR_AT(ArUsageRecordV1, first_node, 16);
AR_AT(ArUsageRecordV1, last_node, 20);
AR_AT(ArUsageRecordV1, fixed_offset, 24);
AR_AT(ArUsageRecordV1, tensor, 32);
AR_AT(ArUsageRecordV1, share_with, 36);
AR_AT(ArUsageRecordV1, share_kind, 40);
AR_AT(ArUsageRecordV1, reserved, 44);
AR_SIZE(ArPlanRequestV1, 64);
AR_AT(ArPlanRequestV1, header, 0);
AR_AT(ArPlanRequestV1, records, 8);
AR_AT(ArPlanRequestV1, record_count, 16);
AR_AT(ArPlanRequestV1, record_stride, 24);
AR_AT(ArPlanRequestV1, capacity, 32);
AR_AT(ArPlanRequestV1, time_limit, 40);
AR_AT(ArPlanRequestV1, options, 48);
AR_AT(ArPlanRequestV1, option_count, 56);
AR_SIZE(ArAssignmentV1, 48);
AR_AT(ArAssignmentV1, header, 0);
AR_AT(ArAssignmentV1, kind, 8);
AR_AT(ArAssignmentV1, object_count, 12);
AR_AT(ArAssignmentV1, offsets, 16);
AR_AT(ArAssignmentV1, object_ids, 24);
AR_AT(ArAssignmentV1, object_sizes, 32);
AR_AT(ArAssignmentV1, optimal, 40);
AR_SIZE(ArPlannerV1, 40);
AR_AT(ArPlannerV1, header, 0);
AR_AT(ArPlannerV1, name, 8);
AR_AT(ArPlannerV1, plan, 24);
AR_AT(ArPlannerV1, query, 32);
AR_SIZE(ArPlanV1, 16);
AR_AT(ArPlanV1, header, 0);
AR_AT(ArPlanV1, plan, 8);
AR_SIZE(ArGraphV1, 88);
AR_AT(ArGraphV1, header, 0);
AR_AT(ArGraphV1, tensors, 8);
AR_AT(ArGraphV1, tensor_stride, 16);
AR_AT(ArGraphV1, tensor_count, 24);
AR_AT(ArGraphV1, nodes, 32);
AR_AT(ArGraphV1, node_stride, 40);
AR_AT(ArGraphV1, node_count, 48);
AR_AT(ArGraphV1, inputs, 56);
AR_AT(ArGraphV1, input_count, 64);
AR_AT(ArGraphV1, outputs, 72);
AR_AT(ArGraphV1, output_count, 80);
AR_SIZE(ArSubgraphsV1, 56);
AR_AT(ArSubgraphsV1, header, 0);
AR_AT(ArSubgraphsV1, describe, 8);
AR_AT(ArSubgraphsV1, set_input, 16);
AR_AT(ArSubgraphsV1, forward, 24);
AR_AT(ArSubgraphsV1, prepare, 32);
AR_AT(ArSubgraphsV1, invoke, 40);
AR_AT(ArSubgraphsV1, output, 48);
AR_SIZE(ArResourcesV1, 32);
AR_AT(ArResourcesV1, header, 0);
AR_AT(ArResourcesV1, open, 8);
AR_AT(ArResourcesV1, value, 16);
AR_AT(ArResourcesV1, assign, 24);
AR_SIZE(ArLayoutV1, 16);
AR_AT(ArLayoutV1, header, 0);
AR_AT(ArLayoutV1, share_part, 8);
AR_SIZE(ArConstantsV1, 24);
AR_AT(ArConstantsV1, header, 0);
AR_AT(ArConstantsV1, release, 8);
AR_AT(ArConstantsV1, origin, 16);
AR_SIZE(ArMemoryV1, 24);
AR_AT(ArMemoryV1, header, 0);
AR_AT(ArMemoryV1, room, 8);
AR_AT(ArMemoryV1, hold, 16);
AR_SIZE(ArProfileV1, 16);
AR_AT(ArProfileV1, header, 0);
AR_AT(ArProfileV1, note, 8);
AR_SIZE(ArDescribeV1, 24);
AR_AT(ArDescribeV1, header, 0);
AR_AT(ArDescribeV1, context, 8);
AR_AT(ArDescribeV1, describe, 16);
AR_SIZE(ArClaimsV1, 32);
AR_AT(ArClaimsV1, header, 0);
AR_AT(ArClaimsV1, context, 8);
AR_AT(ArClaimsV1, accept, 16);
AR_AT(ArClaimsV1, refuse, 24);
AR_SIZE(ArClaimV1, 16);
AR_AT(ArClaimV1, header, 0);
AR_AT(ArClaimV1, claim, 8);
AR_SIZE(ArVouchV1, 16);
AR_AT(ArVouchV1, header, 0);
AR_AT(ArVouchV1, vouch, 8);
AR_SIZE(ArPartitionV1, 64);
AR_AT(ArPartitionV1, header, 0);
AR_AT(ArPartitionV1, graph, 8);
AR_AT(ArPartitionV1, nodes, 16);
AR_AT(ArPartitionV1, node_count, 24);
AR_AT(ArPartitionV1, inputs, 32);
AR_AT(ArPartitionV1, input_count, 40);
AR_AT(ArPartitionV1, outputs, 48);
AR_AT(ArPartitionV1, output_count, 56);
AR_SIZE(ArCompileHostV1, 40);
AR_AT(ArCompileHostV1, header, 0);
AR_AT(ArCompileHostV1, context, 8);
AR_AT(ArCompileHostV1, threads, 16);
AR_AT(ArCompileHostV1, subgraphs, 24);
AR_AT(ArCompileHostV1, query, 32);
AR_SIZE(ArCompileV1, 16);
AR_AT(ArCompileV1, header, 0);
AR_AT(ArCompileV1, compile, 8);
AR_SIZE(ArPlanNotesV1, 24);
AR_AT(ArPlanNotesV1, header, 0);
AR_AT(ArPlanNotesV1, context, 8);
AR_AT(ArPlanNotesV1, note, 16);
AR_SIZE(ArKernelPlanV1, 16);
AR_AT(ArKernelPlanV1, header, 0);
AR_AT(ArKernelPlanV1, plan, 8);
AR_SIZE(ArDelegateV1, 88);
AR_AT(ArDelegateV1, header, 0);
AR_AT(ArDelegateV1, name, 8);
AR_AT(ArDelegateV1, create, 24);
AR_AT(ArDelegateV1, claim, 32);
AR_AT(ArDelegateV1, compile, 40);
AR_AT(ArDelegateV1, prepare, 48);
AR_AT(ArDelegateV1, invoke, 56);
AR_AT(ArDelegateV1, destroy_kernel, 64);
AR_AT(ArDelegateV1, destroy, 72);
AR_AT(ArDelegateV1, query, 80);
AR_SIZE(ArCreateV1, 16);
AR_AT(ArCreateV1, header, 0);
AR_AT(ArCreateV1, create, 8);
AR_SIZE(ArPluginV1, 136);
AR_AT(ArPluginV1, header, 0);
AR_AT(ArPluginV1, id, 8);
AR_AT(ArPluginV1, version, 24);
AR_AT(ArPluginV1, description, 40);
AR_AT(ArPluginV1, ops, 56);
AR_AT(ArPluginV1, op_count, 64);
AR_AT(ArPluginV1, op_stride, 72);
AR_AT(ArPluginV1, planners, 80);
AR_AT(ArPluginV1, planner_count, 88);
AR_AT(ArPluginV1, planner_stride, 96);
AR_AT(ArPluginV1, delegates, 104);
AR_AT(ArPluginV1, delegate_count, 112);
AR_AT(ArPluginV1, delegate_stride, 120);
AR_AT(ArPluginV1, query, 128);
AR_SIZE(ArObjectRecordV1, 40);
AR_AT(ArObjectRecordV1, extents, 0);
AR_AT(ArObjectRecordV1, first_node, 24);
AR_AT(ArObjectRecordV1, last_node, 28);
AR_AT(ArObjectRecordV1, tensor, 32);
AR_AT(ArObjectRecordV1, reserved, 36);
AR_SIZE(ArObjectRequestV1, 72);
AR_AT(ArObjectRequestV1, header, 0);
AR_AT(ArObjectRequestV1, extents, 8);
AR_AT(ArObjectRequestV1, records, 16);
AR_AT(ArObjectRequestV1, record_count, 24);
AR_AT(ArObjectRequestV1, record_stride, 32);
AR_AT(ArObjectRequestV1, reader_starts, 40);
AR_AT(ArObjectRequestV1, readers, 48);
AR_AT(ArObjectRequestV1, options, 56);
AR_AT(ArObjectRequestV1, option_count, 64);
AR_SIZE(ArObjectAssignmentV1, 32);
AR_AT(ArObjectAssignmentV1, header, 0);
AR_AT(ArObjectAssignmentV1, object_count, 8);
AR_AT(ArObjectAssignmentV1, ids, 16);
AR_AT(ArObjectAssignmentV1, sizes, 24);
AR_SIZE(ArAssignV1, 16);
AR_AT(ArAssignV1, header, 0);
AR_AT(ArAssignV1, assign, 8);
AR_SIZE(ArNoSharingV1, 8);
AR_AT(ArNoSharingV1, header, 0);
AR_SIZE(ArObjectsV1, 16);
AR_AT(ArObjectsV1, header, 0);
AR_AT(ArObjectsV1, assign, 8);
AR_SIZE(ArDeviceV1, 80);
AR_AT(ArDeviceV1, header, 0);
AR_AT(ArDeviceV1, name, 8);
AR_AT(ArDeviceV1, driver, 24);
AR_AT(ArDeviceV1, kind, 40);
AR_AT(ArDeviceV1, memory, 56);
AR_AT(ArDeviceV1, limits, 64);
AR_AT(ArDeviceV1, limit_count, 72);
AR_SIZE(ArDeviceNotesV1, 24);
AR_AT(ArDeviceNotesV1, header, 0);
AR_AT(ArDeviceNotesV1, context, 8);
AR_AT(ArDeviceNotesV1, note, 16);
AR_SIZE(ArDevicesV1, 16);
AR_AT(ArDevicesV1, header, 0);
AR_AT(ArDevicesV1, list, 8);
AR_SIZE(ArFactNotesV1, 32);
AR_AT(ArFactNotesV1, header, 0);
AR_AT(ArFactNotesV1, context, 8);
AR_AT(ArFactNotesV1, number, 16);
AR_AT(ArFactNotesV1, text, 24);
AR_SIZE(ArFactsV1, 16);
AR_AT(ArFactsV1, header, 0);
AR_AT(ArFactsV1, tell, 8);
AR_SIZE(ArBuffersV1, 16);
AR_AT(ArBuffersV1, header, 0);
AR_AT(ArBuffersV1, read, 8);
AR_SIZE(ArBindV1, 56);
AR_AT(ArBindV1, header, 0);
AR_AT(ArBindV1, object, 8);
AR_AT(ArBindV1, bind, 16);
AR_AT(ArBindV1, unbind, 24);
AR_AT(ArBindV1, read, 32);
AR_AT(ArBindV1, write, 40);
AR_AT(ArBindV1, copy, 48);
AR_SIZE(ArKeepV1, 16);
AR_AT(ArKeepV1, header, 0);
AR_AT(ArKeepV1, keep, 8);
AR_SIZE(ArResourceMemoryV1, 16);
AR_AT(ArResourceMemoryV1, header, 0);
AR_AT(ArResourceMemoryV1, version, 8);
AR_SIZE(ArSizesV1, 24);
AR_AT(ArSizesV1, header, 0);
AR_AT(ArSizesV1, ports, 8);
AR_AT(ArSizesV1, reserve, 16);
AR_SIZE(ArOperandV1, 24);
AR_AT(ArOperandV1, name, 0);
AR_AT(ArOperandV1, flags, 16);
AR_AT(ArOperandV1, reserved, 20);
AR_SIZE(ArOptionV1, 40);
AR_AT(ArOptionV1, name, 0);
AR_AT(ArOptionV1, slot, 16);
AR_AT(ArOptionV1, element_type, 20);
AR_AT(ArOptionV1, flags, 24);
AR_AT(ArOptionV1, reserved, 28);
AR_AT(ArOptionV1, default_value, 32);
AR_SIZE(ArOpSchemaV1, 128);
AR_AT(ArOpSchemaV1, header, 0);
AR_AT(ArOpSchemaV1, code, 8);
AR_AT(ArOpSchemaV1, registered, 12);
AR_AT(ArOpSchemaV1, name, 16);
AR_AT(ArOpSchemaV1, element_types, 32);
AR_AT(ArOpSchemaV1, inputs, 40);
AR_AT(ArOpSchemaV1, input_count, 48);
AR_AT(ArOpSchemaV1, outputs, 56);
AR_AT(ArOpSchemaV1, output_count, 64);
AR_AT(ArOpSchemaV1, operand_stride, 72);
AR_AT(ArOpSchemaV1, options_table, 80);
AR_AT(ArOpSchemaV1, options_union, 96);
AR_AT(ArOpSchemaV1, options_tag, 100);
AR_AT(ArOpSchemaV1, options, 104);
AR_AT(ArOpSchemaV1, option_count, 112);
AR_AT(ArOpSchemaV1, option_stride, 120);
AR_SIZE(ArOpSchemasV1, 16);
AR_AT(ArOpSchemasV1, header, 0);
AR_AT(ArOpSchemasV1, find, 8);
AR_SIZE(ArServerV1, 32);
AR_AT(ArServerV1, header, 0);
AR_AT(ArServerV1, kind, 8);
AR_AT(ArServerV1, reserved, 12);
AR_AT(ArServerV1, name, 16);
AR_SIZE(ArClaimHostV1, 64);
AR_AT(ArClaimHostV1, header, 0);
AR_AT(ArClaimHostV1, context, 8);
AR_AT(ArClaimHostV1, claims, 16);
AR_AT(ArClaimHostV1, subgraphs, 24);
AR_AT(ArClaimHostV1, accept_in, 32);
AR_AT(ArClaimHostV1, partitions, 40);
AR_AT(ArClaimHostV1, server, 48);
AR_AT(ArClaimHostV1, query, 56);
AR_SIZE(ArClaimWithHostV1, 16);
AR_AT(ArClaimWithHostV1, header, 0);
AR_AT(ArClaimWithHostV1, claim, 8);
AR_SIZE(ArPluginBuildV1, 16);
AR_AT(ArPluginBuildV1, header, 0);
AR_AT(ArPluginBuildV1, sanitizers, 8);
AR_AT(ArPluginBuildV1, panic, 12);
AR_SIZE(ArEmbedV1, 16);
AR_AT(ArEmbedV1, header, 0);
AR_AT(ArEmbedV1, embed, 8);
#undef AR_AT
#undef AR_SIZE
#undef AR_ASSERT_LAYOUT
#endif

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_PLUGIN_H */
