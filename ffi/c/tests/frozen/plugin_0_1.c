/* The op NoSuchOp, y = 2 x, as a plugin of contract 1.0. It includes no header: what it declares is what the first
   ones said. Never change it; the library must load it for as long as the contract's major version is 1. */
#include <stddef.h>
#include <stdint.h>

typedef struct { uint32_t struct_size; uint16_t major, minor; } Header;
typedef struct { const uint8_t *data; size_t length; } Str;
typedef struct {
  uint32_t element_type, rank;
  const int32_t *dims;
  void *data;
  uint64_t bytes;
  const void *quantization;
  uint32_t flags, memory_kind;
  uint64_t handle;
  Str name;
} Tensor;
typedef struct {
  Header header;
  int32_t builtin_code, version;
  Str custom_name;
  uint32_t index, subgraph;
  const Tensor *tensors;
  size_t tensor_stride, tensor_count;
  const int32_t *inputs;
  size_t input_count;
  const int32_t *outputs;
  size_t output_count;
} Node; /* its beginning */
typedef struct {
  Header header;
  void *context;
  uint32_t (*set_output_shape)(void *context, uint32_t output, const int32_t *dims, uint32_t rank);
} Prepare; /* its beginning */
typedef struct {
  Header header;
  int32_t builtin_code, min_version, max_version;
  uint32_t flags;
  Str custom_name;
  uint64_t element_types, state_size, state_align;
  uint32_t (*prepare)(const Prepare *, const Node *, void *);
  uint32_t (*eval)(const void *, const Node *, void *);
  void (*drop)(void *);
  const void *(*query)(uint64_t);
} Op;
typedef struct {
  Header header;
  Str id, version, description;
  const Op *ops;
  size_t op_count, op_stride;
  const void *planners;
  size_t planner_count, planner_stride;
  const void *delegates;
  size_t delegate_count, delegate_stride;
  const void *(*query)(uint64_t);
} Plugin;

#define TEXT(text) {(const uint8_t *)text, sizeof(text) - 1}

static const Tensor *tensor(const Node *node, int32_t index) {
  return (const Tensor *)((const char *)node->tensors + (size_t)index * node->tensor_stride);
}

static uint32_t prepare(const Prepare *prepare, const Node *node, void *state) {
  const Tensor *x = tensor(node, node->inputs[0]);
  (void)state;
  return prepare->set_output_shape(prepare->context, 0, x->dims, x->rank);
}

static uint32_t eval(const void *eval, const Node *node, void *state) {
  const Tensor *x = tensor(node, node->inputs[0]), *y = tensor(node, node->outputs[0]);
  (void)eval, (void)state;
  for (uint64_t i = 0; i < x->bytes / sizeof(float); i++) ((float *)y->data)[i] = 2.0f * ((const float *)x->data)[i];
  return 0;
}

static const Op ops[] = {{{sizeof(Op), 1, 0}, 32, 1, 1, 0, TEXT("NoSuchOp"), 1, 0, 1, prepare, eval, NULL, NULL}};
static const Plugin plugin = {
    {sizeof(Plugin), 1, 0}, TEXT("org.example.frozen"), TEXT("0.1.0"), TEXT("Built from the first headers"), ops, 1, sizeof(Op),
    NULL, 0, 0, NULL, 0, 0, NULL};

__attribute__((visibility("default"))) const Plugin *arenite_plugin_v1(const void *host, uint32_t *version) {
  if (!version) return NULL;
  uint32_t speaks = *version;
  *version = 0x10000;
  return host && speaks >= 0x10000 ? &plugin : NULL;
}
