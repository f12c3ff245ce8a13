/*
 * A plugin in C: the delegate `negate`, which runs NEG of float32. A chain of NEG nodes becomes one step.
 *
 *   cc -std=c11 -O2 -shared -fPIC -I core/abi/include -o libnegate.so ffi/c/examples/plugins/negate.c
 */
#include <arenite_plugin.h>
#include <stdlib.h>
#include <string.h>

#define NEG 59 /* the schema's builtin code */

static const ArHostV1 *host;

static ArStatus fail(ArStatus status, const char *message) {
  ArStr text = {(const uint8_t *)message, strlen(message)};
  host->set_error(text);
  return status;
}

static const ArTensorV1 *tensor(const void *tensors, size_t stride, int32_t index) {
  return (const ArTensorV1 *)((const char *)tensors + (size_t)index * stride);
}

static const ArNodeV1 *node_of(const ArGraphV1 *graph, size_t position) {
  return (const ArNodeV1 *)((const char *)graph->nodes + position * graph->node_stride);
}

/* Called once per interpreter. This delegate has no state, but the pointer must not be null. */
static ArStatus create(const ArPair *options, size_t option_count, void **delegate) {
  (void)options;
  if (option_count != 0) return fail(AR_STATUS_INVALID, "the delegate negate has no options");
  *delegate = malloc(1);
  return *delegate ? AR_STATUS_OK : fail(AR_STATUS_OUT_OF_MEMORY, "no memory");
}

static ArStatus claim(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  (void)delegate;
  for (size_t i = 0; i < graph->node_count; i++) {
    const ArNodeV1 *node = node_of(graph, i);
    if (node->builtin_code != NEG) {
      claims->refuse(claims->context, i, (ArStr)AR_LITERAL("negate supports only NEG"));
    } else if (tensor(graph->tensors, graph->tensor_stride, node->inputs[0])->element_type != AR_TYPE_FLOAT32) {
      claims->refuse(claims->context, i, (ArStr)AR_LITERAL("negate supports only FLOAT32"));
    } else {
      claims->accept(claims->context, i);
    }
  }
  return AR_STATUS_OK;
}

/* An output of a partition is an input or its negative. */
typedef struct {
  size_t input;
  int negative;
} Output;

typedef struct {
  size_t output_count;
  Output outputs[];
} Kernel;

/* Traces an output back to an input of the partition. */
static ArStatus trace(const ArPartitionV1 *partition, int32_t tensor_index, Output *found) {
  int negative = 0;
  for (size_t i = partition->node_count; i-- > 0;) {
    const ArNodeV1 *node = node_of(partition->graph, partition->nodes[i]);
    if (node->outputs[0] != tensor_index) continue;
    tensor_index = node->inputs[0];
    negative = !negative;
  }
  for (size_t i = 0; i < partition->input_count; i++) {
    if (partition->inputs[i] != tensor_index) continue;
    *found = (Output){i, negative};
    return AR_STATUS_OK;
  }
  return fail(AR_STATUS_INTERNAL, "an output does not depend on an input of the partition");
}

static ArStatus compile(void *delegate, const ArPartitionV1 *partition, void **kernel) {
  (void)delegate;
  Kernel *made = malloc(sizeof *made + partition->output_count * sizeof made->outputs[0]);
  if (!made) return fail(AR_STATUS_OUT_OF_MEMORY, "no memory");
  made->output_count = partition->output_count;
  for (size_t o = 0; o < made->output_count; o++) {
    ArStatus status = trace(partition, partition->outputs[o], &made->outputs[o]);
    if (status != AR_STATUS_OK) return free(made), status;
  }
  *kernel = made;
  return AR_STATUS_OK;
}

static ArStatus prepare(void *state, const ArPrepareV1 *preparing, const ArPartitionV1 *partition) {
  const Kernel *kernel = state;
  const ArGraphV1 *graph = partition->graph;
  for (size_t o = 0; o < kernel->output_count; o++) {
    const ArTensorV1 *x = tensor(graph->tensors, graph->tensor_stride, partition->inputs[kernel->outputs[o].input]);
    ArStatus status = preparing->set_output_shape(preparing->context, (uint32_t)o, x->dims, x->rank);
    if (status != AR_STATUS_OK) return status;
  }
  return AR_STATUS_OK;
}

static ArStatus invoke(void *state, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  const Kernel *kernel = state;
  (void)eval, (void)partition;
  for (size_t o = 0; o < kernel->output_count; o++) {
    const ArTensorV1 *x = tensor(node->tensors, node->tensor_stride, node->inputs[kernel->outputs[o].input]);
    const ArTensorV1 *y = tensor(node->tensors, node->tensor_stride, node->outputs[o]);
    const float *from = x->data, sign = kernel->outputs[o].negative ? -1.0f : 1.0f;
    float *to = y->data;
    for (uint64_t i = 0; i < x->bytes / sizeof(float); i++) to[i] = sign * from[i];
  }
  return AR_STATUS_OK;
}

static void destroy(void *it) { free(it); }

static const ArDelegateV1 delegates[] = {{
    .header = AR_HEADER(ArDelegateV1),
    .name = AR_LITERAL("negate"),
    .create = create,
    .claim = claim,
    .compile = compile,
    .prepare = prepare,
    .invoke = invoke,
    .destroy_kernel = destroy,
    .destroy = destroy,
}};

static const ArPluginV1 plugin = {
    .header = AR_HEADER(ArPluginV1),
    .id = AR_LITERAL("org.arenite.example.negate"),
    .version = AR_LITERAL("0.1.0"),
    .description = AR_LITERAL("Example in C: the delegate negate"),
    .delegates = delegates,
    .delegate_count = 1,
    .delegate_stride = sizeof(ArDelegateV1),
};

AR_ENTRY(host, plugin)
