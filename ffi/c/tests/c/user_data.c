/* user_data FOLDER: an op, a planner and a delegate of the program, each with user data. */
#include "check.h"
#include <arenite_plugin.h>

typedef struct {
  float factor;
  int prepared, freed;
} Scale;

/* The state of a node. The library writes the first word. */
typedef struct {
  Scale *scale;
  uint64_t elements;
} Node;

static ArStatus fail(ArStatus status, const char *message) {
  ar_host()->set_error((ArStr){(const uint8_t *)message, strlen(message)});
  return status;
}

static const ArTensorV1 *tensor(const ArNodeV1 *node, int32_t index) {
  return (const ArTensorV1 *)((const char *)node->tensors + (size_t)index * node->tensor_stride);
}

static ArStatus prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state) {
  Node *self = state;
  const ArTensorV1 *x = tensor(node, node->inputs[0]);
  if (self->elements != 0) return fail(AR_STATUS_INTERNAL, "the state is not zero");
  self->elements = 1;
  for (uint32_t i = 0; i < x->rank; i++) self->elements *= (uint64_t)x->dims[i];
  if (self->scale->factor == 0.0f) return fail(AR_STATUS_INVALID, "the factor must not be 0");
  self->scale->prepared++;
  return prepare->set_output_shape(prepare->context, 0, x->dims, x->rank);
}

static ArStatus eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *state) {
  const Node *self = state;
  const float *x = tensor(node, node->inputs[0])->data;
  float *y = tensor(node, node->outputs[0])->data;
  (void)eval;
  for (uint64_t i = 0; i < self->elements; i++) y[i] = self->scale->factor * x[i];
  return AR_STATUS_OK;
}

static void freed(void *user_data) { ((Scale *)user_data)->freed++; }

static const ArOpV1 op = {
    .header = AR_HEADER(ArOpV1),
    .builtin_code = AR_BUILTIN_CUSTOM,
    .min_version = 1,
    .max_version = 3,
    .flags = AR_OP_USER_DATA,
    .custom_name = AR_LITERAL("NoSuchOp"),
    .state_size = sizeof(Node),
    .state_align = sizeof(void *),
    .prepare = prepare,
    .eval = eval,
};

static float result_of(ArInterpreter *interpreter, float x) {
  ArTensor *input;
  const ArTensor *output;
  float y;
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_output(interpreter, 0, &output));
  OK(ar_tensor_copy_from(input, &x, sizeof x));
  OK(ar_interpreter_invoke(interpreter));
  OK(ar_tensor_copy_to(output, &y, sizeof y));
  return y;
}

static void ops(const ArModel *model) {
  Scale three = {3.0f, 0, 0};
  ArInterpreter *first, *second;
  ArOptions *options = ar_options_new();
  {
    /* The library has copied the struct, so changing it has no effect. */
    char name[] = "NoSuchOp";
    ArOpV1 copied = op;
    copied.custom_name = (ArStr){(const uint8_t *)name, strlen(name)};
    OK(ar_options_register_op(options, &copied, &three, freed));
    memset(name, 'x', sizeof name);
    memset(&copied, 0, sizeof copied);
  }
  OK(ar_options_set_config_text(options, "schema = 1\n"));
  OK(ar_interpreter_new(model, options, &first));
  OK(ar_interpreter_new(model, options, &second));
  ar_options_free(options);
  const ArPlugin *program = ar_interpreter_plugin(first, 0);
  REQUIRE(strcmp(ar_plugin_id(program), "program") == 0 && ar_plugin_op_count(program) == 1);
  REQUIRE(strcmp(ar_plugin_origin(program), "handed over by the program") == 0);
  REQUIRE(result_of(first, 2.0f) == 6.0f && result_of(second, -1.0f) == -3.0f);
  three.factor = 4.0f;
  REQUIRE(result_of(second, 1.0f) == 4.0f && three.prepared >= 2);
  ar_interpreter_free(second);
  REQUIRE(result_of(first, 1.0f) == 4.0f && three.freed == 0);
  ar_interpreter_free(first);
  REQUIRE(three.freed == 1);
}

static void refused(const ArModel *model) {
  Scale scale = {0.0f, 0, 0};
  ArInterpreter *interpreter;
  ArOptions *options = ar_options_new();
  ArOpV1 other = op;
  FAILS(AR_ERROR_ARGUMENT, "'op' is null", ar_options_register_op(options, NULL, &scale, freed));
  FAILS(AR_ERROR_ARGUMENT, "'options' is null", ar_options_register_op(NULL, &op, &scale, freed));
  other.min_version = 4;
  FAILS(AR_ERROR_ARGUMENT, "NoSuchOp has versions 4 to 3", ar_options_register_op(options, &other, &scale, freed));
  other = op;
  other.state_size = 4;
  FAILS(AR_ERROR_ARGUMENT, "no room for its user data", ar_options_register_op(options, &other, &scale, freed));
  other = op;
  other.flags = 0;
  FAILS(AR_ERROR_ARGUMENT, "it comes with user data", ar_options_register_op(options, &other, &scale, freed));
  other = op;
  other.custom_name = (ArStr)AR_LITERAL("");
  FAILS(AR_ERROR_ARGUMENT, "name is \"\"", ar_options_register_op(options, &other, &scale, freed));
  other = op;
  other.eval = NULL;
  FAILS(AR_ERROR_ARGUMENT, "op is not registered: the op ('NoSuchOp') has no function 'eval', which the host calls: set it; it is null",
        ar_options_register_op(options, &other, &scale, freed));
  memset(&other, 0, sizeof other);
  FAILS(AR_ERROR_ARGUMENT, "op is not registered: the op has 0 bytes in version 0.0, this host needs 96",
        ar_options_register_op(options, &other, &scale, freed));
  REQUIRE(scale.freed == 8);
  OK(ar_options_register_op(options, &op, &scale, freed));
  FAILS(AR_ERROR_ARGUMENT, "versions 1 to 3, and the program handed over an op with versions 1 to 3 before",
        ar_options_register_op(options, &op, &scale, freed));
  REQUIRE(scale.freed == 9);
  OK(ar_interpreter_new(model, options, &interpreter));
  FAILS(AR_ERROR_FAILED, "NoSuchOp (node 0, output 'y'): the factor must not be 0",
        ar_interpreter_allocate(interpreter));
  ar_interpreter_free(interpreter);
  REQUIRE(scale.freed == 9);
  ar_options_free(options);
  REQUIRE(scale.freed == 10);
}

/* Places each buffer after the previous one. */
static ArStatus plan(void *user_data, const ArPlanRequestV1 *request, ArAssignmentV1 *assignment) {
  uint64_t end = 0;
  assignment->kind = AR_ASSIGNMENT_OFFSETS;
  for (size_t i = 0; i < request->record_count; i++) {
    const char *at = (const char *)request->records + i * request->record_stride;
    const ArUsageRecordV1 *record = (const ArUsageRecordV1 *)at;
    assignment->offsets[i] = record->fixed_offset == AR_ANYWHERE ? end : record->fixed_offset;
    end = (assignment->offsets[i] + record->size + 63) / 64 * 64;
  }
  *(int *)user_data += 1;
  return AR_STATUS_OK;
}

static ArStatus plan_without(const ArPlanRequestV1 *request, ArAssignmentV1 *assignment) {
  (void)request, (void)assignment;
  return fail(AR_STATUS_INTERNAL, "it was called without its data");
}

static const void *query_planner(uint64_t id) {
  static const ArPlanV1 with = {AR_HEADER(ArPlanV1), plan};
  return id == AR_INTERFACE_PLAN ? &with : NULL;
}

/* A delegate that claims no nodes. Its handle is its user data. */
static ArStatus create(void *user_data, const ArPair *options, size_t count, void **delegate) {
  (void)options;
  if (count != 0) return fail(AR_STATUS_INVALID, "it does not support options");
  *(int *)user_data += 1;
  *delegate = user_data;
  return AR_STATUS_OK;
}

static ArStatus create_without(const ArPair *options, size_t count, void **delegate) {
  (void)options, (void)count, (void)delegate;
  return fail(AR_STATUS_INTERNAL, "it was created without its data");
}

static const void *query_delegate(uint64_t id) {
  static const ArCreateV1 with = {AR_HEADER(ArCreateV1), create};
  return id == AR_INTERFACE_CREATE ? &with : NULL;
}

static ArStatus claim(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  *(int *)delegate += 100;
  for (size_t i = 0; i < graph->node_count; i++) claims->refuse(claims->context, i, (ArStr)AR_LITERAL("not today"));
  return AR_STATUS_OK;
}

static ArStatus compile(void *delegate, const ArPartitionV1 *partition, void **kernel) {
  (void)delegate, (void)partition, (void)kernel;
  return fail(AR_STATUS_INTERNAL, "it claims no nodes");
}

static ArStatus prepare_kernel(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition) {
  (void)kernel, (void)prepare, (void)partition;
  return AR_STATUS_INTERNAL;
}

static ArStatus invoke(void *kernel, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  (void)kernel, (void)eval, (void)partition, (void)node;
  return AR_STATUS_INTERNAL;
}

static void nothing(void *delegate) { (void)delegate; }
static void thousand(void *user_data) { *(int *)user_data += 1000; }

static void planner_and_delegate(const ArModel *model) {
  ArPlannerV1 planner = {AR_HEADER(ArPlannerV1), AR_LITERAL("stacked"), plan_without, query_planner};
  ArDelegateV1 delegate = {AR_HEADER(ArDelegateV1), AR_LITERAL("shy"), create_without, claim, compile,
                           prepare_kernel,          invoke,            nothing,        nothing, query_delegate};
  int plans = 0, made = 0;
  ArInterpreter *interpreter;
  ArOptions *options = ar_options_new();
  OK(ar_options_register_planner(options, &planner, &plans, thousand));
  OK(ar_options_register_delegate(options, &delegate, &made, thousand));
  OK(ar_options_set_planner(options, "stacked", NULL, 0));
  OK(ar_options_add_delegate(options, "shy", AR_ON_MISSING_ERROR, NULL, 0));
  FAILS(AR_ERROR_ARGUMENT, "planner 'stacked' is not registered: the program handed over a planner of this name before",
        ar_options_register_planner(options, &planner, NULL, NULL));
  FAILS(AR_ERROR_ARGUMENT, "delegate 'shy' is not registered: the program handed over a delegate of this name before",
        ar_options_register_delegate(options, &delegate, NULL, NULL));
  OK(ar_interpreter_new(model, options, &interpreter));
  ar_options_free(options);
  REQUIRE(result_of(interpreter, 16.0f) == 4.0f);
  REQUIRE(plans >= 1 && plans < 1000 && made == 101);
  ar_interpreter_free(interpreter);
  REQUIRE(plans > 1000 && made == 1101);

  /* Without user data, the functions without it are called; with user data, those would not receive it. */
  planner.query = NULL;
  options = ar_options_new();
  FAILS(AR_ERROR_ARGUMENT, "it comes with user data", ar_options_register_planner(options, &planner, &plans, NULL));
  OK(ar_options_register_planner(options, &planner, NULL, NULL));
  OK(ar_options_set_planner(options, "stacked", NULL, 0));
  FAILS(AR_ERROR_FAILED, "planner 'stacked': it was called without its data",
        ar_interpreter_new(model, options, &interpreter));
  ar_options_free(options);
}

int main(int argc, char **argv) {
  ArModel *custom, *root;
  REQUIRE(argc == 2);
  OK(ar_model_from_file(in_folder(argv[1], "custom.tflite"), &custom));
  OK(ar_model_from_file(in_folder(argv[1], "root.tflite"), &root));
  ops(custom);
  refused(custom);
  planner_and_delegate(root);
  ar_model_free(custom);
  ar_model_free(root);
  return 0;
}
