/* failures FOLDER: ops and delegates of the program that fail. Each failure is a clear error, and the interpreter
 * stays usable. */
#include "check.h"
#include <arenite_plugin.h>

static ArStatus fail(ArStatus status, const char *message) {
  ar_host()->set_error((ArStr){(const uint8_t *)message, strlen(message)});
  return status;
}

static const ArTensorV1 *tensor(const ArNodeV1 *node, int32_t index) {
  return (const ArTensorV1 *)((const char *)node->tensors + (size_t)index * node->tensor_stride);
}

/* How and when an op or a delegate fails. */
typedef struct {
  enum { NOTHING, IN_PREPARE, IN_EVAL, SAYS_NOTHING, WRONG_SHAPE, WRONG_RANK, NO_SHAPE, WRONG_STATUS } fault;
  float factor;
  int freed;
} Plan;

typedef struct {
  Plan *plan;
} Node;

static ArStatus prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state) {
  static const int32_t negative[1] = {-2}, many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const ArTensorV1 *x = tensor(node, node->inputs[0]);
  switch (((Node *)state)->plan->fault) {
    case IN_PREPARE: return fail(AR_STATUS_INVALID, "the factor must not be 0.5");
    case WRONG_SHAPE: return prepare->set_output_shape(prepare->context, 0, negative, 1);
    case WRONG_RANK: return prepare->set_output_shape(prepare->context, 0, many, 9);
    case NO_SHAPE: return prepare->set_output_shape(prepare->context, 7, x->dims, x->rank);
    default: return prepare->set_output_shape(prepare->context, 0, x->dims, x->rank);
  }
}

static ArStatus eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *state) {
  const Plan *plan = ((Node *)state)->plan;
  (void)eval;
  if (plan->fault == IN_EVAL) return fail(AR_STATUS_INTERNAL, "the sensor is cold");
  if (plan->fault == SAYS_NOTHING) return AR_STATUS_INVALID;
  if (plan->fault == WRONG_STATUS) return 12345;
  *(float *)tensor(node, node->outputs[0])->data = plan->factor * *(const float *)tensor(node, node->inputs[0])->data;
  return AR_STATUS_OK;
}

static void freed(void *plan) { ((Plan *)plan)->freed++; }

static const ArOpV1 op = {
    .header = AR_HEADER(ArOpV1),
    .builtin_code = AR_BUILTIN_CUSTOM,
    .min_version = 1,
    .max_version = 1,
    .flags = AR_OP_USER_DATA,
    .custom_name = AR_LITERAL("NoSuchOp"),
    .state_size = sizeof(Node),
    .state_align = sizeof(void *),
    .prepare = prepare,
    .eval = eval,
};

/* The output of the interpreter for the input 2. */
static float answer(ArInterpreter *interpreter) {
  ArTensor *input;
  const ArTensor *output;
  float x = 2.0f, y;
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_output(interpreter, 0, &output));
  OK(ar_tensor_copy_from(input, &x, sizeof x));
  OK(ar_interpreter_invoke(interpreter));
  OK(ar_tensor_copy_to(output, &y, sizeof y));
  return y;
}

/* The interpreter reports the fault of an op, and runs again as soon as the op is correct. */
static void ops(const ArModel *model) {
  static const struct {
    Plan plan;
    bool in_prepare;
    ArErrorCode code;
    const char *text;
  } cases[] = {
      {{IN_PREPARE, 0.5f, 0}, true, AR_ERROR_FAILED, "NoSuchOp (node 0, output 'y'): the factor must not be 0.5"},
      {{WRONG_SHAPE, 0.5f, 0}, true, AR_ERROR_FAILED, "NoSuchOp (node 0, output 'y'): "},
      {{WRONG_RANK, 0.5f, 0}, true, AR_ERROR_FAILED, "rank 9, the highest is 8"},
      {{NO_SHAPE, 0.5f, 0}, true, AR_ERROR_FAILED, "output 7"},
      {{IN_EVAL, 0.5f, 0}, false, AR_ERROR_FAILED, "NoSuchOp (node 0, output 'y'): the sensor is cold"},
      {{SAYS_NOTHING, 0.5f, 0}, false, AR_ERROR_FAILED, "NoSuchOp (node 0, output 'y'): "},
      {{WRONG_STATUS, 0.5f, 0}, false, AR_ERROR_FAILED, "NoSuchOp (node 0, output 'y'): "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Plan plan = cases[i].plan;
    ArInterpreter *interpreter;
    ArOptions *options = ar_options_new();
    OK(ar_options_register_op(options, &op, &plan, freed));
    OK(ar_interpreter_new(model, options, &interpreter));
    ar_options_free(options);
    if (cases[i].in_prepare) {
      FAILS(cases[i].code, cases[i].text, ar_interpreter_allocate(interpreter));
      FAILS(AR_ERROR_STATE, "allocate", ar_interpreter_invoke(interpreter));
    } else {
      OK(ar_interpreter_allocate(interpreter));
      FAILS(cases[i].code, cases[i].text, ar_interpreter_invoke(interpreter));
    }
    plan.fault = NOTHING;
    OK(ar_interpreter_allocate(interpreter));
    REQUIRE(answer(interpreter) == 1.0f);
    ar_interpreter_free(interpreter);
    REQUIRE(plan.freed == 1);
  }
}

/* An op reads its data after options and registry were freed: the interpreter keeps the data and frees it once. */
static void data_without_registry(const ArModel *model) {
  Plan plan = {NOTHING, 3.0f, 0};
  ArRegistry *registry;
  ArInterpreter *interpreter;
  ArOptions *own = ar_options_new(), *shared = ar_options_new();
  OK(ar_options_register_op(own, &op, &plan, freed));
  OK(ar_registry_new(own, &registry));
  ar_options_free(own);
  OK(ar_options_set_registry(shared, registry));
  Plan other = {NOTHING, 1.0f, 0};
  FAILS(AR_ERROR_STATE, "these options already have a registry", ar_options_register_op(shared, &op, &other, freed));
  REQUIRE(other.freed == 1);
  OK(ar_interpreter_new(model, shared, &interpreter));
  ar_options_free(shared);
  ar_registry_free(registry);
  REQUIRE(plan.freed == 0);
  OK(ar_interpreter_allocate(interpreter));
  REQUIRE(answer(interpreter) == 6.0f && plan.freed == 0);
  ar_interpreter_free(interpreter);
  REQUIRE(plan.freed == 1);
}

/* A delegate that claims every node. */
static ArStatus create(void *plan, const ArPair *options, size_t count, void **delegate) {
  (void)options;
  *delegate = plan;
  return count == 0 ? AR_STATUS_OK : fail(AR_STATUS_INVALID, "it does not support options");
}

static ArStatus create_without(const ArPair *options, size_t count, void **delegate) {
  (void)options, (void)count, (void)delegate;
  return fail(AR_STATUS_INTERNAL, "it was created without its data");
}

static const void *query(uint64_t id) {
  static const ArCreateV1 with = {AR_HEADER(ArCreateV1), create};
  return id == AR_INTERFACE_CREATE ? &with : NULL;
}

static ArStatus claim(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  (void)delegate;
  for (size_t i = 0; i < graph->node_count; i++) claims->accept(claims->context, i);
  return AR_STATUS_OK;
}

static ArStatus compile(void *delegate, const ArPartitionV1 *partition, void **kernel) {
  (void)partition;
  *kernel = delegate;
  return AR_STATUS_OK;
}

static ArStatus prepare_kernel(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition) {
  static const int32_t one[1] = {1};
  (void)partition;
  if (((Plan *)kernel)->fault == IN_PREPARE) return fail(AR_STATUS_UNSUPPORTED, "no room on the device");
  return prepare->set_output_shape(prepare->context, 0, one, 1);
}

static ArStatus invoke(void *kernel, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  (void)eval, (void)partition;
  if (((Plan *)kernel)->fault == IN_EVAL) return fail(AR_STATUS_UNAVAILABLE, "the device is gone");
  if (((Plan *)kernel)->fault == SAYS_NOTHING) return fail(AR_STATUS_INTERNAL, "the device is confused");
  *(float *)tensor(node, node->outputs[0])->data = 100.0f;
  return AR_STATUS_OK;
}

static void nothing(void *it) { (void)it; }

static ArInterpreter *delegated(const ArModel *model, Plan *plan, ArOnFailure on_failure) {
  static const ArDelegateV1 delegate = {AR_HEADER(ArDelegateV1), AR_LITERAL("greedy"), create_without, claim, compile,
                                        prepare_kernel,          invoke,               nothing,        nothing, query};
  ArInterpreter *interpreter;
  ArOptions *options = ar_options_new();
  OK(ar_options_register_delegate(options, &delegate, plan, freed));
  OK(ar_options_add_delegate(options, "greedy", AR_ON_MISSING_ERROR, NULL, 0));
  OK(ar_options_set_on_failure(options, "greedy", on_failure));
  OK(ar_interpreter_new(model, options, &interpreter));
  ar_options_free(options);
  return interpreter;
}

/* A delegate that fails in `prepare` is skipped, and the reference op runs instead. If a delegate fails in `invoke`,
 * the invocation fails, or the model runs without the delegate. */
static void delegates(const ArModel *root) {
  Plan refusing = {IN_PREPARE, 0, 0};
  ArInterpreter *interpreter = delegated(root, &refusing, AR_ON_FAILURE_ERROR);
  OK(ar_interpreter_allocate(interpreter));
  REQUIRE(ar_interpreter_left_out_count(interpreter) == 1);
  REQUIRE(strcmp(ar_interpreter_left_out(interpreter, 0), "delegate greedy (node 0, output 'y'): no room on the device") == 0);
  REQUIRE(answer(interpreter) > 1.41f && answer(interpreter) < 1.42f);
  ar_interpreter_free(interpreter);

  Plan lost = {IN_EVAL, 0, 0};
  interpreter = delegated(root, &lost, AR_ON_FAILURE_ERROR);
  OK(ar_interpreter_allocate(interpreter));
  FAILS(AR_ERROR_UNAVAILABLE, "the device is gone", ar_interpreter_invoke(interpreter));
  lost.fault = SAYS_NOTHING;
  FAILS(AR_ERROR_FAILED, "the device is confused", ar_interpreter_invoke(interpreter));
  lost.fault = NOTHING;
  REQUIRE(answer(interpreter) == 100.0f && ar_interpreter_left_out_count(interpreter) == 0);
  ar_interpreter_free(interpreter);

  lost.fault = NOTHING;
  interpreter = delegated(root, &lost, AR_ON_FAILURE_FALLBACK);
  OK(ar_interpreter_allocate(interpreter));
  REQUIRE(answer(interpreter) == 100.0f);
  lost.fault = IN_EVAL;
  REQUIRE(answer(interpreter) < 1.42f && ar_interpreter_left_out_count(interpreter) == 1);
  REQUIRE(strstr(ar_interpreter_left_out(interpreter, 0), "the device is gone"));
  ar_interpreter_free(interpreter);
  REQUIRE(refusing.freed == 1 && lost.freed == 2);
}

int main(int argc, char **argv) {
  ArModel *custom, *root;
  REQUIRE(argc == 2);
  OK(ar_model_from_file(in_folder(argv[1], "custom.tflite"), &custom));
  OK(ar_model_from_file(in_folder(argv[1], "root.tflite"), &root));
  ops(custom);
  data_without_registry(custom);
  delegates(root);
  ar_model_free(custom);
  ar_model_free(root);
  return 0;
}
