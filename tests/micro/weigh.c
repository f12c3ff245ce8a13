/*
 * weigh.c: a plugin in C with one op, Weigh of f32: y[i] = (i + 1) * x[i] + offset. It uses all host functions that a
 * kernel of TensorFlow Lite Micro may use. Linked into a program for the micro interpreter, and built as a library for
 * the large runtime:
 *
 *   cc -std=c11 -shared -fPIC -I core/abi/include -I ffi/micro/include -o libweigh.so tests/micro/weigh.c
 *
 * The program sets the offset with ar_micro_set_external; in the large runtime it is 0.
 */
#include <arenite_micro_kernel.h>

#ifdef WITH_EXTERNAL
#include <arenite_micro.h>
#define EXTERNAL ar_micro_external()
#else
#define EXTERNAL NULL
#endif

static const ArHostV1 *host;

/* The state that `prepare` passes to `eval`: the weights, and the index of a scratch buffer. */
typedef struct State {
  float *weights;
  uint32_t scratch;
} State;

static ArStatus fail(const ArKernelContext *context, ArStatus status, const char *text) {
  ar_kernel_report_error(context, text);
  return status;
}

static ArStatus weigh_prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *memory) {
  const ArKernelContext context = {.host = host, .prepare = prepare, .node = node, .external = EXTERNAL};
  State *state = memory;
  if (node->input_count != 1 || node->output_count != 1) {
    return fail(&context, AR_STATUS_INVALID, "Weigh has one input and one output");
  }
  const ArTensorV1 *x = ar_kernel_get_tensor(&context, node->inputs[0]);
  if (x == NULL || x->element_type != AR_TYPE_FLOAT32) {
    return fail(&context, AR_STATUS_UNSUPPORTED, "Weigh supports only FLOAT32");
  }
  ArStatus status = prepare->set_output_shape(prepare->context, 0, x->dims, x->rank);
  if (status != AR_STATUS_OK) return status;
  state->weights = ar_kernel_allocate_persistent(&context, x->bytes);
  if (state->weights == NULL) return AR_STATUS_OUT_OF_MEMORY;
  for (size_t i = 0; i < x->bytes / sizeof(float); i++) state->weights[i] = (float)(i + 1);
  return ar_kernel_request_scratch(&context, x->bytes, &state->scratch);
}

static ArStatus weigh_eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *memory) {
  const ArKernelContext context = {.host = host, .eval = eval, .node = node, .external = EXTERNAL};
  const State *state = memory;
  const ArTensorV1 *x = ar_kernel_get_eval_tensor(&context, node->inputs[0]);
  const ArTensorV1 *y = ar_kernel_get_eval_tensor(&context, node->outputs[0]);
  float *weighed = ar_kernel_get_scratch(&context, state->scratch);
  if (x == NULL || y == NULL || weighed == NULL) return fail(&context, AR_STATUS_INTERNAL, "a tensor or the scratch buffer is absent");
  const float *offset = ar_kernel_external_context(&context);
  size_t count = x->bytes / sizeof(float);
  for (size_t i = 0; i < count; i++) weighed[i] = state->weights[i] * ((const float *)x->data)[i];
  for (size_t i = 0; i < count; i++) ((float *)y->data)[i] = weighed[i] + (offset ? *offset : 0.0f);
  return AR_STATUS_OK;
}

const ArOpV1 weigh_ops[] = {{
    .header = AR_HEADER(ArOpV1),
    .builtin_code = AR_BUILTIN_CUSTOM,
    .min_version = 1,
    .max_version = 1,
    .custom_name = AR_LITERAL("Weigh"),
    .element_types = UINT64_C(1) << AR_TYPE_FLOAT32,
    .state_size = sizeof(State),
    .state_align = _Alignof(State),
    .prepare = weigh_prepare,
    .eval = weigh_eval,
}};

static const ArPluginV1 plugin = {
    .header = AR_HEADER(ArPluginV1),
    .id = AR_LITERAL("org.arenite.weigh"),
    .version = AR_LITERAL("0.1.0"),
    .description = AR_LITERAL("A test in C: the op Weigh"),
    .ops = weigh_ops,
    .op_count = 1,
    .op_stride = sizeof(ArOpV1),
};

AR_EXPORT const ArPluginV1 *arenite_plugin_v1(const ArHostV1 *the_host, uint32_t *version) {
  if (version == NULL) return NULL;
  int served = the_host != NULL && *version >= AR_ABI_VERSION;
  *version = AR_ABI_VERSION;
  if (!served) return NULL;
  host = the_host;
  return &plugin;
}
