/* A delegate in C for tests: claims each node Scale, y = x * (the sum of all constants of the partition). Constants are
   summed when the partition is compiled; x is copied to scratch memory. */
#include <stdlib.h>
#include <string.h>

#include "arenite_plugin.h"

typedef struct Kernel {
  float sum;
  uint32_t scratch;
  ArUsageRecordV1 record; /* the scratch memory; its size is set by prepare */
} Kernel;

static const ArHostV1 *host;

static ArStatus fail(ArStatus status, const char *message) {
  ArStr text = {(const uint8_t *)message, strlen(message)};
  host->set_error(text);
  return status;
}

static const ArTensorV1 *tensor(const ArGraphV1 *graph, int32_t index) {
  return (const ArTensorV1 *)((const char *)graph->tensors + (size_t)index * graph->tensor_stride);
}

static ArStatus create(const ArPair *options, size_t option_count, void **delegate) {
  (void)options;
  if (option_count) return fail(AR_STATUS_INVALID, "this delegate has no options");
  *delegate = malloc(1);
  return *delegate ? AR_STATUS_OK : fail(AR_STATUS_OUT_OF_MEMORY, "no memory");
}

static ArStatus claim(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  (void)delegate;
  for (size_t i = 0; i < graph->node_count; ++i) claims->accept(claims->context, i);
  return AR_STATUS_OK;
}

static ArStatus compile(void *delegate, const ArPartitionV1 *partition, void **kernel) {
  (void)delegate, (void)partition, (void)kernel;
  return fail(AR_STATUS_UNSUPPORTED, "the host cannot release constants");
}

static ArStatus compile_with(void *delegate, const ArPartitionV1 *partition, const ArCompileHostV1 *compiling, void **kernel) {
  (void)delegate;
  const ArConstantsV1 *constants = compiling->query(compiling->context, AR_INTERFACE_CONSTANTS);
  if (!constants || !compiling->threads) return fail(AR_STATUS_UNSUPPORTED, "the host lacks the interface for constants");
  const ArMemoryV1 *memory = compiling->query(compiling->context, AR_INTERFACE_MEMORY);
  if (!memory || memory->room(compiling->context) < sizeof(Kernel)) return fail(AR_STATUS_OUT_OF_MEMORY, "the quota is exhausted");
  Kernel *made = calloc(1, sizeof *made);
  if (!made) return fail(AR_STATUS_OUT_OF_MEMORY, "no memory");
  ArStatus held = memory->hold(compiling->context, sizeof *made);
  if (held != AR_STATUS_OK) return free(made), held;
  for (size_t i = 0; i < partition->input_count; ++i) {
    const ArTensorV1 *input = tensor(partition->graph, partition->inputs[i]);
    if (!(input->flags & AR_TENSOR_CONSTANT)) continue;
    for (uint64_t k = 0; k < input->bytes / sizeof(float); ++k) made->sum += ((const float *)input->data)[k];
    ArStatus status = constants->release(compiling->context, partition->inputs[i]);
    if (status != AR_STATUS_OK) return free(made), status;
  }
  *kernel = made;
  return AR_STATUS_OK;
}

static ArStatus prepare(void *state, const ArPrepareV1 *preparing, const ArPartitionV1 *partition) {
  Kernel *kernel = state;
  const ArTensorV1 *x = tensor(partition->graph, partition->inputs[0]);
  uint64_t count = 1;
  for (uint32_t d = 0; d < x->rank; ++d) count *= (uint64_t)x->dims[d];
  ArStatus status = preparing->set_output_shape(preparing->context, 0, x->dims, x->rank);
  if (status != AR_STATUS_OK) return status;
  ArUsageRecordV1 record = {.size = count * sizeof(float), .alignment = 64, .first_node = 0, .last_node = 1};
  record.fixed_offset = AR_ANYWHERE;
  record.tensor = partition->inputs[0];
  record.share_with = -1;
  kernel->record = record;
  return preparing->request_scratch(preparing->context, record.size, record.alignment, &kernel->scratch);
}

static ArStatus invoke(void *state, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  (void)partition;
  const Kernel *kernel = state;
  ArGraphV1 graph = {.tensors = node->tensors, .tensor_stride = node->tensor_stride};
  const ArTensorV1 *x = tensor(&graph, node->inputs[0]), *y = tensor(&graph, node->outputs[0]);
  ArSpan scratch = eval->scratch[kernel->scratch];
  if (scratch.bytes < kernel->record.size) return fail(AR_STATUS_INTERNAL, "the scratch memory is too small");
  memcpy(scratch.data, x->data, kernel->record.size);
  for (uint64_t i = 0; i < kernel->record.size / sizeof(float); ++i) {
    ((float *)y->data)[i] = ((const float *)scratch.data)[i] * kernel->sum;
  }
  return AR_STATUS_OK;
}

static ArStatus plan(void *state, const ArPlanNotesV1 *notes) {
  const Kernel *kernel = state;
  ArStr name = AR_LITERAL("a copy of x");
  notes->note(notes->context, kernel->scratch, &kernel->record, 0, name);
  return AR_STATUS_OK;
}

static void destroy(void *state) { free(state); }

static const ArCompileV1 compile_interface = {.header = AR_HEADER(ArCompileV1), .compile = compile_with};
static const ArKernelPlanV1 plan_interface = {.header = AR_HEADER(ArKernelPlanV1), .plan = plan};

static const void *query(uint64_t interface_id) {
  switch (interface_id) {
    case AR_INTERFACE_COMPILE: return &compile_interface;
    case AR_INTERFACE_KERNEL_PLAN: return &plan_interface;
    default: return NULL;
  }
}

static const ArDelegateV1 delegates[] = {{
    .header = AR_HEADER(ArDelegateV1),
    .name = AR_LITERAL("scale"),
    .create = create,
    .claim = claim,
    .compile = compile,
    .prepare = prepare,
    .invoke = invoke,
    .destroy_kernel = destroy,
    .destroy = destroy,
    .query = query,
}};

static const ArPluginV1 plugin = {
    .header = AR_HEADER(ArPluginV1),
    .id = AR_LITERAL("org.arenite.scale"),
    .version = AR_LITERAL("0.1.0"),
    .description = AR_LITERAL("A delegate in C"),
    .delegates = delegates,
    .delegate_count = 1,
    .delegate_stride = sizeof(ArDelegateV1),
};

AR_ENTRY(host, plugin)
