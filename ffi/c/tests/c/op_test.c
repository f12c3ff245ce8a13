/* op_test: tests the harness for ops in C with a correct op and with faulty ones. */
#include <arenite_testing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../plugins/template/c/cube.c"

static void require(int line, int condition, const char *text) {
  if (condition) return;
  fprintf(stderr, "line %d: %s\n", line, text ? text : "no text");
  exit(1);
}
#define OK(call) ok(__LINE__, (call))
static void ok(int line, const char *wrong) { require(line, !wrong, wrong); }
#define WRONG(text, call) wrong(__LINE__, (text), (call))
static void wrong(int line, const char *text, const char *said) { require(line, said && strstr(said, text), said); }

static const int32_t dims[2] = {2, 2};
static const float x[4] = {1.0f, -2.0f, 0.5f, 3.0f}, y[4] = {1.0f, -8.0f, 0.125f, 27.0f};
static const ArTestTensor in = {x, sizeof x, dims, 2, 0, 0.0f, AR_TYPE_FLOAT32};
static const ArTestTensor out = {y, sizeof y, dims, 2, 0, 0.0f, AR_TYPE_FLOAT32};

static ArOpTest *unary(const ArOpV1 *op, void *user_data) {
  ArOpTest *test = ar_op_test_new(op, user_data);
  require(__LINE__, test != NULL, "no test");
  OK(ar_op_test_input(test, &in));
  OK(ar_op_test_output(test, &out));
  return test;
}

static void good(void) {
  ArTestTensor result, other = out;
  ArOpTest *test = unary(ar_op_test_op(arenite_plugin_v1, 0), NULL);
  WRONG("Call ar_op_test_run first", ar_op_test_expect(test, 0, &out, 0.0f));
  OK(ar_op_test_in_place(test));
  OK(ar_op_test_run(test));
  OK(ar_op_test_expect(test, 0, &out, 0.0f));
  OK(ar_op_test_result(test, 0, &result));
  require(__LINE__, ar_op_test_output_count(test) == 1 && result.rank == 2 && result.bytes == sizeof y, "the result");
  other.data = x;
  WRONG("output 0: element 1 is -8, expected -2", ar_op_test_expect(test, 0, &other, 0.5f));
  other.bytes = 7;
  WRONG("needs 16 bytes, but 7 were passed", ar_op_test_expect(test, 0, &other, 0.5f));
  other = out;
  other.element_type = 99;
  WRONG("element type 99", ar_op_test_input(test, &other));
  WRONG("'tensor' is null", ar_op_test_input(test, NULL));
  WRONG("'test' is null", ar_op_test_run(NULL));
  OK(ar_op_test_absent(test));
  WRONG("it has 2 inputs and 1 outputs, but Cube has one of each", ar_op_test_run(test));
  ar_op_test_free(test);
  test = unary(ar_op_test_op(arenite_plugin_v1, 0), NULL);
  OK(ar_op_test_version(test, 2));
  WRONG("the node has version 2, but the op supports 1 to 1", ar_op_test_run(test));
  ar_op_test_free(test);
  require(__LINE__, !ar_op_test_op(arenite_plugin_v1, 1) && !ar_op_test_op(NULL, 0) && !ar_op_test_new(NULL, NULL), "null");
}

/* Depending on its user data, the op adds a number, does not write the last element, or writes past the end. It
 * reads its options. */
typedef struct {
  enum { GOOD, SHORT, LONG } fault;
  float term;
} Plan;

static ArStatus add_prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state) {
  const ArTensorV1 *from = tensor(node, node->inputs[0]);
  (void)state;
  if (node->custom_options.length == 1 && node->custom_options.data[0] == 7) return fail(AR_STATUS_INVALID, "not 7");
  return prepare->set_output_shape(prepare->context, 0, from->dims, from->rank);
}

static ArStatus add_eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *state) {
  const Plan *plan = *(const Plan **)state;
  const ArTensorV1 *from = tensor(node, node->inputs[0]), *to = tensor(node, node->outputs[0]);
  size_t count = (size_t)(from->bytes / sizeof(float));
  (void)eval;
  if (plan->fault == SHORT) count--;
  for (size_t i = 0; i < count; i++) ((float *)to->data)[i] = ((const float *)from->data)[i] + plan->term;
  if (plan->fault == LONG) ((float *)to->data)[count] = 0.0f;
  return AR_STATUS_OK;
}

static void bad(void) {
  ArOpV1 op = {.header = AR_HEADER(ArOpV1), .builtin_code = AR_BUILTIN_CUSTOM, .min_version = 1, .max_version = 1};
  const float sum[4] = {2.5f, -0.5f, 2.0f, 4.5f};
  ArTestTensor expected = out;
  Plan plan = {GOOD, 1.5f};
  const uint8_t seven = 7;
  op.custom_name = (ArStr)AR_LITERAL("Add");
  op.flags = AR_OP_USER_DATA;
  op.state_size = sizeof(Plan *);
  op.state_align = sizeof(Plan *);
  op.prepare = add_prepare;
  op.eval = add_eval;
  expected.data = sum;
  host = ar_op_test_host();
  ArOpTest *test = unary(&op, &plan);
  OK(ar_op_test_run(test));
  OK(ar_op_test_expect(test, 0, &expected, 0.0f));
  plan.fault = SHORT;
  WRONG("a second evaluation, with other contents of undefined memory, gives different outputs", ar_op_test_run(test));
  plan.fault = LONG;
  WRONG("eval wrote past the end of", ar_op_test_run(test));
  plan.fault = GOOD;
  OK(ar_op_test_custom_options(test, &seven, 1));
  WRONG("not 7", ar_op_test_run(test));
  ar_op_test_free(test);
  op.state_size = 4;
  require(__LINE__, !ar_op_test_new(&op, &plan), "no room for user data");
  op.flags = 0;
  require(__LINE__, !ar_op_test_new(&op, &plan), "user data without the flag");
}

int main(void) {
  good();
  bad();
  return 0;
}
