/* Code that the fixtures share: access to tensors, errors, and a delegate of contract 1.0 that computes y = x + c for
   four floats. A fixture defines the functions that it replaces. This file is compiled after contract_1_0.h and the
   declarations of the fixture's version. */
#include <stdlib.h>
#include <string.h>

static const ArHostV1 *the_host;

static inline ArStatus fail(const char *message) {
  ArStr text = {(const uint8_t *)message, strlen(message)};
  the_host->set_error(text);
  return AR_STATUS_INTERNAL;
}
#define REQUIRE(condition) do { if (!(condition)) return fail("does not hold: " #condition); } while (0)
#define OK(call) do { ArStatus status_ = (call); if (status_) return status_; } while (0)

static inline const ArTensorV1 *tensor(const ArTensorV1 *tensors, size_t stride, int32_t index) {
  return (const ArTensorV1 *)((const char *)tensors + (size_t)index * stride);
}
static inline const ArTensorV1 *input(const ArNodeV1 *node, size_t i) {
  return tensor(node->tensors, node->tensor_stride, node->inputs[i]);
}
static inline const ArTensorV1 *output(const ArNodeV1 *node, size_t i) {
  return tensor(node->tensors, node->tensor_stride, node->outputs[i]);
}
static inline const ArNodeV1 *graph_node(const ArGraphV1 *graph, size_t i) {
  return (const ArNodeV1 *)((const char *)graph->nodes + i * graph->node_stride);
}
static inline ArStatus shape_of_input(const ArPrepareV1 *prepare, const ArNodeV1 *node) {
  return prepare->set_output_shape(prepare->context, 0, input(node, 0)->dims, input(node, 0)->rank);
}

static inline ArStatus in_a_row(const ArPlanRequestV1 *request, ArAssignmentV1 *assignment) {
  uint64_t end = 0;
  for (size_t i = 0; i < request->record_count; i++) {
    const ArUsageRecordV1 *record =
        (const ArUsageRecordV1 *)((const char *)request->records + i * request->record_stride);
    end = (end + record->alignment - 1) / record->alignment * record->alignment;
    assignment->offsets[i] = end;
    end += record->size;
  }
  assignment->kind = AR_ASSIGNMENT_OFFSETS;
  return AR_STATUS_OK;
}

typedef struct Kernel {
  float c[4];
  float y[4];
  uint64_t runs;
  uint32_t scratch;
  void *delegate;
} Kernel;

static inline ArStatus create(const ArPair *options, size_t count, void **delegate) {
  (void)options, (void)count;
  *delegate = calloc(1, sizeof(uint64_t));
  return *delegate ? AR_STATUS_OK : AR_STATUS_OUT_OF_MEMORY;
}
static inline ArStatus claim(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  (void)delegate;
  for (size_t i = 0; i < graph->node_count; i++) {
    const ArNodeV1 *node = graph_node(graph, i);
    if (node->input_count == 2 && input(node, 1)->flags & AR_TENSOR_CONSTANT) claims->accept(claims->context, i);
  }
  return AR_STATUS_OK;
}
static inline const ArTensorV1 *constant(const ArPartitionV1 *partition, int32_t *index) {
  *index = graph_node(partition->graph, partition->nodes[0])->inputs[1];
  return tensor(partition->graph->tensors, partition->graph->tensor_stride, *index);
}
static inline ArStatus compile(void *delegate, const ArPartitionV1 *partition, void **kernel) {
  int32_t index;
  const ArTensorV1 *c = constant(partition, &index);
  REQUIRE(partition->node_count == 1 && c->flags & AR_TENSOR_CONSTANT && c->bytes == 16);
  Kernel *made = calloc(1, sizeof(Kernel));
  if (!made) return AR_STATUS_OUT_OF_MEMORY;
  memcpy(made->c, c->data, 16);
  made->delegate = delegate;
  *kernel = made;
  return AR_STATUS_OK;
}
static inline ArStatus prepare_kernel(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition) {
  const ArGraphV1 *graph = partition->graph;
  const ArTensorV1 *x = tensor(graph->tensors, graph->tensor_stride, partition->inputs[0]);
  (void)kernel;
  return prepare->set_output_shape(prepare->context, 0, x->dims, x->rank);
}
static inline void add(Kernel *kernel, const ArNodeV1 *node, float *y) {
  const float *x = input(node, 0)->data;
  for (int i = 0; i < 4; i++) y[i] = x[i] + kernel->c[i];
  kernel->runs++;
}
static inline ArStatus invoke(void *kernel, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  (void)eval, (void)partition;
  add(kernel, node, output(node, 0)->data);
  return AR_STATUS_OK;
}
static inline void destroy_kernel(void *kernel) { free(kernel); }
static inline void destroy(void *delegate) { free(delegate); }

#define OP(name, state, prepare, eval, flags) \
  static const ArOpV1 ops[] = {{AR_HEADER(ArOpV1), AR_BUILTIN_CUSTOM, 1, 1, flags, AR_LITERAL(name), 1, state, 8, prepare, eval, NULL, NULL}}
#define PLANNER(name, plan, query) \
  static const ArPlannerV1 planners[] = {{AR_HEADER(ArPlannerV1), AR_LITERAL(name), plan, query}}
#define DELEGATE(name, create, claim, compile, prepare, invoke, destroy, query) \
  static const ArDelegateV1 delegates[] = {{AR_HEADER(ArDelegateV1), AR_LITERAL(name), create, claim, compile, prepare, \
                                            invoke, destroy_kernel, destroy, query}}
#define ONE(things) things, 1, sizeof *(things)
#define NO NULL, 0, 0
#define PLUGIN(id, ops, planners, delegates) PLUGIN_(id, ops, planners, delegates)
#define PLUGIN_(id, ...) \
  static const ArPluginV1 plugin = {AR_HEADER(ArPluginV1), AR_LITERAL(id), AR_LITERAL("1"), AR_LITERAL("A fixture"), __VA_ARGS__, NULL}; \
  AR_EXPORT const ArPluginV1 *arenite_plugin_v1(const ArHostV1 *host, uint32_t *version) { \
    uint32_t speaks = version ? *version : 0; \
    if (version) *version = AR_ABI_VERSION; \
    if (!host || speaks < AR_ABI_VERSION) return NULL; \
    the_host = host; \
    return &plugin; \
  }
