/* A plugin in C with an op Twice, y = 2 x, a planner and a delegate. Each of these macros violates one rule of the
 * contract; without macros it is correct.
 *
 *   NULL_FUNCTION        this function of the registrations below is null
 *   OP_STRIDE, OP_COUNT, OP_HEADER   fields of the descriptor about its ops
 *   OP_BASE              the descriptor's pointer to its ops
 *   CLAIM_INTERFACE, ASSIGN_INTERFACE   the answer of the delegate's and the planner's `query`
 *   SHAPE_FROM_NULL      a shape of 3 dimensions at a null pointer
 *   SHAPE_OF_RANK        a shape of this rank at an invalid address
 *   ASSIGN               `eval` assigns this tensor to a resource
 *   UNDEFINED_SYMBOL     `eval` calls a function that does not exist
 *   BUILD                the library's build record
 *   OTHER_SHAPE          the delegate gives its output another shape than the op
 */
#include "arenite_plugin.h"
#include <stddef.h>

#ifndef OP_COUNT
#define OP_COUNT 1
#endif
#ifndef OP_BASE
#define OP_BASE ops
#endif
#ifndef OP_STRIDE
#define OP_STRIDE sizeof(ArOpV1)
#endif
#ifndef OP_HEADER
#define OP_HEADER AR_HEADER(ArOpV1)
#endif

static const ArTensorV1 *tensor(const ArNodeV1 *node, int32_t t) {
  return (const ArTensorV1 *)((const char *)node->tensors + (size_t)t * node->tensor_stride);
}

static uint32_t prepare(const ArPrepareV1 *host, const ArNodeV1 *node, void *state) {
  const ArTensorV1 *x = tensor(node, node->inputs[0]);
  (void)state;
#ifdef SHAPE_FROM_NULL
  return host->set_output_shape(host->context, 0, NULL, 3);
#endif
#ifdef SHAPE_OF_RANK
  return host->set_output_shape(host->context, 0, (const int32_t *)16, SHAPE_OF_RANK);
#endif
  return host->set_output_shape(host->context, 0, x->dims, x->rank);
}

#ifdef UNDEFINED_SYMBOL
extern int no_library_has_this(void);
#endif

static void twice(const ArNodeV1 *node) {
  const ArTensorV1 *x = tensor(node, node->inputs[0]), *y = tensor(node, node->outputs[0]);
  for (uint64_t i = 0; i < y->bytes / sizeof(float); i++) ((float *)y->data)[i] = 2 * ((const float *)x->data)[i];
}

static uint32_t eval(const ArEvalV1 *host, const ArNodeV1 *node, void *state) {
  (void)host, (void)state;
#ifdef UNDEFINED_SYMBOL
  if (no_library_has_this()) return 1;
#endif
#ifdef ASSIGN
  {
    static const ArBytes name = AR_LITERAL("r");
    const ArResourcesV1 *resources = host->query(host->context, AR_INTERFACE_RESOURCES);
    const ArTensorV1 value = ASSIGN;
    int32_t handle = -1;
    uint32_t status = resources ? resources->open(host->context, name, &handle) : AR_STATUS_INTERNAL;
    if (status == AR_STATUS_OK) status = resources->assign(host->context, handle, &value);
    if (status != AR_STATUS_OK) return status;
  }
#endif
  twice(node);
  return 0;
}

static uint32_t plan(const ArPlanRequestV1 *request, ArAssignmentV1 *assignment) {
  uint64_t end = 0;
  for (size_t i = 0; i < request->record_count; i++) {
    const ArUsageRecordV1 *record = (const ArUsageRecordV1 *)((const char *)request->records + i * request->record_stride);
    end = (end + record->alignment - 1) / record->alignment * record->alignment;
    assignment->offsets[i] = end;
    end += record->size;
  }
  assignment->kind = AR_ASSIGNMENT_OFFSETS;
  return 0;
}

static int instance;

static uint32_t create(const ArPair *options, size_t count, void **delegate) {
  (void)options, (void)count;
  *delegate = &instance;
  return 0;
}
static uint32_t claim(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  (void)delegate;
  for (size_t i = 0; i < graph->node_count; i++) claims->accept(claims->context, i);
  return 0;
}
static uint32_t compile(void *delegate, const ArPartitionV1 *partition, void **kernel) {
  (void)delegate, (void)partition;
  *kernel = &instance;
  return 0;
}
static uint32_t prepare_kernel(void *kernel, const ArPrepareV1 *host, const ArPartitionV1 *partition) {
  const ArGraphV1 *graph = partition->graph;
  const ArTensorV1 *y =
      (const ArTensorV1 *)((const char *)graph->tensors + (size_t)partition->outputs[0] * graph->tensor_stride);
  (void)kernel;
#ifdef OTHER_SHAPE
  static const int32_t large[2] = {1000, 1000};
  (void)y;
  return host->set_output_shape(host->context, 0, large, 2);
#endif
  return host->set_output_shape(host->context, 0, y->dims, y->rank);
}
static uint32_t invoke(void *kernel, const ArEvalV1 *host, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  (void)kernel, (void)host, (void)partition;
  twice(node);
  return 0;
}
static void destroy_kernel(void *kernel) { (void)kernel; }
static void destroy(void *delegate) { (void)delegate; }

#ifdef CLAIM_INTERFACE
static const ArClaimV1 claim_interface = CLAIM_INTERFACE;
#endif
#ifdef ASSIGN_INTERFACE
static const ArAssignV1 assign_interface = ASSIGN_INTERFACE;
#endif
static const void *query_delegate(uint64_t id) {
#ifdef CLAIM_INTERFACE
  if (id == AR_INTERFACE_CLAIM) return &claim_interface;
#endif
  (void)id;
  return NULL;
}
static const void *query_planner(uint64_t id) {
#ifdef ASSIGN_INTERFACE
  if (id == AR_INTERFACE_ASSIGN) return &assign_interface;
#endif
  (void)id;
  return NULL;
}

static ArOpV1 ops[] = {{
    .header = OP_HEADER,
    .builtin_code = AR_BUILTIN_CUSTOM,
    .min_version = 1,
    .max_version = 1,
    .custom_name = AR_LITERAL("Twice"),
    .state_align = 1,
    .prepare = prepare,
    .eval = eval,
}};
static ArPlannerV1 planners[] = {{
    .header = AR_HEADER(ArPlannerV1),
    .name = AR_LITERAL("in-a-row"),
    .plan = plan,
    .query = query_planner,
}};
static ArDelegateV1 delegates[] = {{
    .header = AR_HEADER(ArDelegateV1),
    .name = AR_LITERAL("doubler"),
    .create = create,
    .claim = claim,
    .compile = compile,
    .prepare = prepare_kernel,
    .invoke = invoke,
    .destroy_kernel = destroy_kernel,
    .destroy = destroy,
    .query = query_delegate,
}};
static const ArPluginV1 plugin = {
    .header = AR_HEADER(ArPluginV1),
    .id = AR_LITERAL("test.misbehaving"),
    .version = AR_LITERAL("1"),
    .description = AR_LITERAL("violates one rule of the contract at a time"),
    .ops = OP_BASE,
    .op_count = OP_COUNT,
    .op_stride = OP_STRIDE,
    .planners = planners,
    .planner_count = 1,
    .planner_stride = sizeof(ArPlannerV1),
    .delegates = delegates,
    .delegate_count = 1,
    .delegate_stride = sizeof(ArDelegateV1),
};

#ifdef BUILD
AR_EXPORT const ArPluginBuildV1 arenite_plugin_build_v1 = BUILD;
#else
AR_BUILD();
#endif

AR_EXPORT const ArPluginV1 *arenite_plugin_v1(const ArHostV1 *host, uint32_t *version) {
  (void)host;
  *version = AR_ABI_VERSION;
  (void)ops;
#ifdef NULL_FUNCTION
  NULL_FUNCTION = NULL;
#endif
  return &plugin;
}
