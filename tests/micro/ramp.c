/*
 * ramp.c: a plugin in C with one op that can be embedded, Ramp of f32: y[i] = (i + 1) * x[i] + 0.5.
 *
 *   cc -std=c11 -shared -fPIC -I core/abi/include -o libramp.so tests/micro/ramp.c
 *
 * `arenite embed MODEL --plugin-dir DIR` prepares a node with the library. The program on the board is linked with this
 * file, too, and calls `ramp_eval` alone. The state is the same on every machine: it has no pointers, and names its
 * table by its position.
 */
#include <arenite_plugin.h>

typedef struct State {
  uint32_t table;
  float offset;
} State;

/* The tensor with this index, or null. */
static const ArTensorV1 *tensor(const ArNodeV1 *node, int32_t index) {
  if (index < 0 || (size_t)index >= node->tensor_count) return NULL;
  return (const ArTensorV1 *)((const char *)node->tensors + (size_t)index * node->tensor_stride);
}

static ArStatus ramp_prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *memory) {
  State *state = memory;
  if (node->input_count != 1 || node->output_count != 1) return AR_STATUS_INVALID;
  const ArTensorV1 *x = tensor(node, node->inputs[0]);
  if (x == NULL || x->element_type != AR_TYPE_FLOAT32) return AR_STATUS_UNSUPPORTED;
  ArStatus status = prepare->set_output_shape(prepare->context, 0, x->dims, x->rank);
  if (status != AR_STATUS_OK) return status;
  void *table = NULL;
  status = prepare->request_persistent(prepare->context, x->bytes, sizeof(float), &state->table, &table);
  if (status != AR_STATUS_OK) return status;
  for (size_t i = 0; i < x->bytes / sizeof(float); i++) ((float *)table)[i] = (float)(i + 1);
  state->offset = 0.5f;
  return AR_STATUS_OK;
}

/* Not static: the generated file calls it by its name. */
ArStatus ramp_eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *memory);

ArStatus ramp_eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *memory) {
  const State *state = memory;
  const ArTensorV1 *x = tensor(node, node->inputs[0]), *y = tensor(node, node->outputs[0]);
  if (x == NULL || y == NULL || state->table >= eval->persistent_count) return AR_STATUS_INTERNAL;
  const float *ramp = eval->persistent[state->table].data, *from = x->data;
  float *to = y->data;
  for (size_t i = 0; i < x->bytes / sizeof(float); i++) to[i] = ramp[i] * from[i] + state->offset;
  return AR_STATUS_OK;
}

static ArStatus ramp_embed(const void *state, uint32_t pointer_bytes, void *context, ArPutStateFn put) {
  (void)pointer_bytes;
  const ArStr kernel = AR_LITERAL("ramp_eval");
  return put(context, kernel, state, sizeof(State), _Alignof(State));
}

static const void *ramp_query(uint64_t interface_id) {
  static const ArEmbedV1 embed = {AR_HEADER(ArEmbedV1), ramp_embed};
  return interface_id == AR_INTERFACE_EMBED ? &embed : NULL;
}

static const ArOpV1 ops[] = {{
    .header = AR_HEADER(ArOpV1),
    .builtin_code = AR_BUILTIN_CUSTOM,
    .min_version = 1,
    .max_version = 1,
    .custom_name = AR_LITERAL("Ramp"),
    .element_types = UINT64_C(1) << AR_TYPE_FLOAT32,
    .state_size = sizeof(State),
    .state_align = _Alignof(State),
    .prepare = ramp_prepare,
    .eval = ramp_eval,
    .query = ramp_query,
}};

static const ArPluginV1 plugin = {
    .header = AR_HEADER(ArPluginV1),
    .id = AR_LITERAL("org.arenite.ramp"),
    .version = AR_LITERAL("0.1.0"),
    .description = AR_LITERAL("A test in C: the op Ramp"),
    .ops = ops,
    .op_count = 1,
    .op_stride = sizeof(ArOpV1),
};

static const ArHostV1 *host;
AR_ENTRY(host, plugin)
