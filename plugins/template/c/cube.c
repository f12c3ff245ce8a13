/*
 * A plugin in C: the custom op Cube, y = x * x * x, for f32. The output may overwrite the input.
 *
 *   cc -std=c11 -O2 -shared -fPIC -I core/abi/include -o libcube.so plugins/template/c/cube.c
 */
#include <stdio.h>
#include <string.h>

#include "arenite_plugin.h"

/* Set once, by the entry. */
static const ArHostV1 *host;

static ArStatus fail(ArStatus status, const char *message) {
  ArStr text = {(const uint8_t *)message, strlen(message)};
  host->set_error(text);
  return status;
}

/* The tensor with this index, or null if it is absent. Arrays are indexed by their stride. */
static const ArTensorV1 *tensor(const ArNodeV1 *node, int32_t index) {
  if (index < 0 || (size_t)index >= node->tensor_count) return NULL;
  return (const ArTensorV1 *)((const char *)node->tensors + (size_t)index * node->tensor_stride);
}

static ArStatus cube_prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state) {
  (void)state;
  if (node->input_count != 1 || node->output_count != 1) {
    char message[96];
    snprintf(message, sizeof message, "it has %zu inputs and %zu outputs, but Cube has one of each", node->input_count,
             node->output_count);
    return fail(AR_STATUS_INVALID, message);
  }
  const ArTensorV1 *x = tensor(node, node->inputs[0]), *y = tensor(node, node->outputs[0]);
  if (!x || !y) return fail(AR_STATUS_INVALID, "its input or its output is absent");
  if (x->element_type != AR_TYPE_FLOAT32 || y->element_type != AR_TYPE_FLOAT32) {
    char message[96];
    snprintf(message, sizeof message, "element types are %u and %u, only FLOAT32 (0) is supported",
             (unsigned)x->element_type, (unsigned)y->element_type);
    return fail(AR_STATUS_UNSUPPORTED, message);
  }
  ArStatus status = prepare->set_output_shape(prepare->context, 0, x->dims, x->rank);
  if (status != AR_STATUS_OK) return status;
  return prepare->share_memory(prepare->context, 0, 0, AR_SHARE_IN_PLACE);
}

static ArStatus cube_eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *state) {
  (void)eval;
  (void)state;
  const ArTensorV1 *x = tensor(node, node->inputs[0]), *y = tensor(node, node->outputs[0]);
  if (!x || !y || x->bytes != y->bytes) return fail(AR_STATUS_INTERNAL, "its tensors changed after prepare");
  const float *from = x->data;
  float *to = y->data;
  for (uint64_t i = 0; i < x->bytes / sizeof(float); ++i) to[i] = from[i] * from[i] * from[i];
  return AR_STATUS_OK;
}

static const ArOpV1 ops[] = {{
    .header = AR_HEADER(ArOpV1),
    .builtin_code = AR_BUILTIN_CUSTOM,
    .min_version = 1,
    .max_version = 1,
    .flags = AR_OP_IN_PLACE,
    .custom_name = AR_LITERAL("Cube"),
    .element_types = UINT64_C(1) << AR_TYPE_FLOAT32,
    .state_align = 1,
    .prepare = cube_prepare,
    .eval = cube_eval,
}};

static const ArPluginV1 plugin = {
    .header = AR_HEADER(ArPluginV1),
    .id = AR_LITERAL("org.arenite.cube"),
    .version = AR_LITERAL("0.1.0"),
    .description = AR_LITERAL("Example in C: the op Cube"),
    .ops = ops,
    .op_count = sizeof ops / sizeof ops[0],
    .op_stride = sizeof(ArOpV1),
};

AR_ENTRY(host, plugin)
