/* Contract 1.0 as the first arenite_plugin.h declared it, without comments and layout assertions. Never change it. */
#include <stddef.h>
#include <stdint.h>

#define AR_ABI_VERSION 0x10000u
typedef uint32_t ArStatus;
#define AR_STATUS_OK 0u
#define AR_STATUS_INVALID 1u
#define AR_STATUS_UNSUPPORTED 2u
#define AR_STATUS_OUT_OF_MEMORY 3u
#define AR_STATUS_CANCELLED 4u
#define AR_STATUS_PANICKED 5u
#define AR_STATUS_INTERNAL 6u
#define AR_BUILTIN_CUSTOM 32
#define AR_BUILTIN_DELEGATE 51
#define AR_TENSOR_CONSTANT 1u
#define AR_TENSOR_VARIABLE 2u
#define AR_TENSOR_DYNAMIC 4u
#define AR_SHARE_IN_PLACE 1u
#define AR_SHARE_VIEW 2u
#define AR_OP_STATEFUL 1u
#define AR_ASSIGNMENT_OFFSETS 0u
#define AR_ASSIGNMENT_OBJECTS 1u
#define AR_FOREVER UINT32_MAX
#define AR_ANYWHERE UINT64_MAX
typedef struct ArHeader {
  uint32_t struct_size;
  uint16_t major;
  uint16_t minor;
} ArHeader;
#define AR_HEADER(type) {(uint32_t)sizeof(type), 1, 0}
typedef struct ArStr {
  const uint8_t *data;
  size_t length;
} ArStr;
#define AR_LITERAL(text) {(const uint8_t *)(text), sizeof(text) - 1}
typedef struct ArBytes {
  const uint8_t *data;
  size_t length;
} ArBytes;
typedef struct ArSpan {
  void *data;
  uint64_t bytes;
} ArSpan;
typedef struct ArPair {
  ArStr key;
  ArStr value;
} ArPair;
typedef struct ArTable {
  ArBytes buffer;
  uint64_t position;
  uint32_t tag;
} ArTable;
typedef struct ArQuantizationV1 {
  ArHeader header;
  const float *scales;
  size_t scale_count;
  const int64_t *zero_points;
  size_t zero_point_count;
  int32_t quantized_dimension;
  int32_t block_size;
} ArQuantizationV1;
typedef struct ArTensorV1 {
  uint32_t element_type;
  uint32_t rank;
  const int32_t *dims;
  void *data;
  uint64_t bytes;
  const ArQuantizationV1 *quantization;
  uint32_t flags;
  uint32_t memory_kind;
  uint64_t handle;
  ArStr name;
} ArTensorV1;
typedef struct ArNodeV1 {
  ArHeader header;
  int32_t builtin_code;
  int32_t version;
  ArStr custom_name;
  uint32_t index;
  uint32_t subgraph;
  const ArTensorV1 *tensors;
  size_t tensor_stride;
  size_t tensor_count;
  const int32_t *inputs;
  size_t input_count;
  const int32_t *outputs;
  size_t output_count;
  const int32_t *intermediates;
  size_t intermediate_count;
  ArTable options;
  ArTable options_2;
  ArBytes custom_options;
} ArNodeV1;
typedef void (*ArRangeFn)(void *argument, size_t begin, size_t end);
typedef struct ArHostV1 {
  ArHeader header;
  void (*set_error)(ArStr message);
  void (*log)(uint32_t level, ArStr target, ArStr message);
  ArStatus (*parallel_for)(size_t count, size_t grain, uint32_t threads, ArRangeFn body, void *argument);
  const void *(*query)(uint64_t interface_id);
} ArHostV1;
typedef struct ArPlanRequestV1 ArPlanRequestV1;
typedef struct ArAssignmentV1 ArAssignmentV1;
typedef struct ArPrepareV1 {
  ArHeader header;
  void *context;
  ArStatus (*set_output_shape)(void *context, uint32_t output, const int32_t *dims, uint32_t rank);
  ArStatus (*set_output_dynamic)(void *context, uint32_t output);
  ArStatus (*set_output_constant)(void *context, uint32_t output, const void *data, uint64_t bytes);
  ArStatus (*request_persistent)(void *context, uint64_t bytes, uint64_t alignment, uint32_t *index, void **data);
  ArStatus (*request_scratch)(void *context, uint64_t bytes, uint64_t alignment, uint32_t *index);
  ArStatus (*share_memory)(void *context, uint32_t output, uint32_t input, uint32_t kind);
  ArStatus (*plan)(void *context, const ArPlanRequestV1 *request, ArAssignmentV1 *assignment);
  const void *(*query)(void *context, uint64_t interface_id);
} ArPrepareV1;
typedef struct ArEvalV1 {
  ArHeader header;
  void *context;
  uint32_t threads;
  const ArSpan *persistent;
  size_t persistent_count;
  const ArSpan *scratch;
  size_t scratch_count;
  ArStatus (*resize_output)(void *context, uint32_t output, const int32_t *dims, uint32_t rank, uint64_t bytes);
  uint8_t (*is_cancelled)(void *context);
  const void *(*query)(void *context, uint64_t interface_id);
} ArEvalV1;
typedef struct ArOpV1 {
  ArHeader header;
  int32_t builtin_code;
  int32_t min_version;
  int32_t max_version;
  uint32_t flags;
  ArStr custom_name;
  uint64_t element_types;
  uint64_t state_size;
  uint64_t state_align;
  ArStatus (*prepare)(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state);
  ArStatus (*eval)(const ArEvalV1 *eval, const ArNodeV1 *node, void *state);
  void (*drop)(void *state);
  const void *(*query)(uint64_t interface_id);
} ArOpV1;
typedef struct ArUsageRecordV1 {
  uint64_t size;
  uint64_t alignment;
  uint32_t first_node;
  uint32_t last_node;
  uint64_t fixed_offset;
  int32_t tensor;
  int32_t share_with;
  uint32_t share_kind;
  uint32_t reserved;
} ArUsageRecordV1;
struct ArPlanRequestV1 {
  ArHeader header;
  const ArUsageRecordV1 *records;
  size_t record_count;
  size_t record_stride;
  uint64_t capacity;
  uint64_t time_limit;
  const ArPair *options;
  size_t option_count;
};
struct ArAssignmentV1 {
  ArHeader header;
  uint32_t kind;
  uint32_t object_count;
  uint64_t *offsets;
  uint32_t *object_ids;
  uint64_t *object_sizes;
  uint8_t optimal;
};
typedef struct ArPlannerV1 {
  ArHeader header;
  ArStr name;
  ArStatus (*plan)(const ArPlanRequestV1 *request, ArAssignmentV1 *assignment);
  const void *(*query)(uint64_t interface_id);
} ArPlannerV1;
typedef struct ArGraphV1 {
  ArHeader header;
  const ArTensorV1 *tensors;
  size_t tensor_stride;
  size_t tensor_count;
  const ArNodeV1 *nodes;
  size_t node_stride;
  size_t node_count;
  const int32_t *inputs;
  size_t input_count;
  const int32_t *outputs;
  size_t output_count;
} ArGraphV1;
typedef struct ArClaimsV1 {
  ArHeader header;
  void *context;
  void (*accept)(void *context, size_t node);
  void (*refuse)(void *context, size_t node, ArStr reason);
} ArClaimsV1;
typedef struct ArPartitionV1 {
  ArHeader header;
  const ArGraphV1 *graph;
  const uint32_t *nodes;
  size_t node_count;
  const int32_t *inputs;
  size_t input_count;
  const int32_t *outputs;
  size_t output_count;
} ArPartitionV1;
typedef struct ArDelegateV1 {
  ArHeader header;
  ArStr name;
  ArStatus (*create)(const ArPair *options, size_t option_count, void **delegate);
  ArStatus (*claim)(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims);
  ArStatus (*compile)(void *delegate, const ArPartitionV1 *partition, void **kernel);
  ArStatus (*prepare)(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition);
  ArStatus (*invoke)(void *kernel, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node);
  void (*destroy_kernel)(void *kernel);
  void (*destroy)(void *delegate);
  const void *(*query)(uint64_t interface_id);
} ArDelegateV1;
typedef struct ArPluginV1 {
  ArHeader header;
  ArStr id;
  ArStr version;
  ArStr description;
  const ArOpV1 *ops;
  size_t op_count;
  size_t op_stride;
  const ArPlannerV1 *planners;
  size_t planner_count;
  size_t planner_stride;
  const ArDelegateV1 *delegates;
  size_t delegate_count;
  size_t delegate_stride;
  const void *(*query)(uint64_t interface_id);
} ArPluginV1;
typedef const ArPluginV1 *(*ArEntryV1)(const ArHostV1 *host, uint32_t *version);
#define AR_EXPORT __attribute__((visibility("default")))
