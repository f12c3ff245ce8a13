/* An op, a planner and a delegate with user data, a float: y = data x, y = x + c + data; the planner adds 1 to it. */
#define AR_STATUS_UNAVAILABLE 7u
#define AR_OP_USER_DATA 64u
#define AR_INTERFACE_PLAN 9u
#define AR_INTERFACE_CREATE 10u
typedef struct ArPlanV1 {
  ArHeader header;
  ArStatus (*plan)(void *user_data, const ArPlanRequestV1 *request, ArAssignmentV1 *assignment);
} ArPlanV1;
typedef struct ArCreateV1 {
  ArHeader header;
  ArStatus (*create)(void *user_data, const ArPair *options, size_t option_count, void **delegate);
} ArCreateV1;

#include "fixture.h"

static ArStatus prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state) {
  REQUIRE(*(float **)state);
  return shape_of_input(prepare, node);
}

static ArStatus eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *state) {
  const float *x = input(node, 0)->data, factor = **(float **)state;
  (void)eval;
  for (size_t i = 0; i < input(node, 0)->bytes / sizeof(float); i++) ((float *)output(node, 0)->data)[i] = factor * x[i];
  return AR_STATUS_OK;
}

static ArStatus plan_not(const ArPlanRequestV1 *request, ArAssignmentV1 *assignment) {
  (void)request, (void)assignment;
  return fail("the host has the other plan");
}
static ArStatus plan_counting(void *data, const ArPlanRequestV1 *request, ArAssignmentV1 *assignment) {
  *(float *)data += 1;
  return in_a_row(request, assignment);
}
static const void *planner_query(uint64_t id) {
  static const ArPlanV1 plans = {AR_HEADER(ArPlanV1), plan_counting};
  return id == AR_INTERFACE_PLAN ? &plans : NULL;
}

static ArStatus create_not(const ArPair *options, size_t count, void **delegate) {
  (void)options, (void)count, (void)delegate;
  return fail("the host has the other create");
}
static ArStatus create_with(void *data, const ArPair *options, size_t count, void **delegate) {
  (void)options, (void)count;
  *delegate = data;
  return AR_STATUS_OK;
}
static ArStatus invoke_adding(void *kernel, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  OK(invoke(kernel, eval, partition, node));
  for (int i = 0; i < 4; i++) ((float *)output(node, 0)->data)[i] += *(float *)((Kernel *)kernel)->delegate;
  return AR_STATUS_OK;
}
static void keep_data(void *delegate) { (void)delegate; }
static const void *delegate_query(uint64_t id) {
  static const ArCreateV1 creates = {AR_HEADER(ArCreateV1), create_with};
  return id == AR_INTERFACE_CREATE ? &creates : NULL;
}

OP("UserData", sizeof(float *), prepare, eval, AR_OP_USER_DATA);
PLANNER("user-data", plan_not, planner_query);
DELEGATE("user-data", create_not, claim, compile, prepare_kernel, invoke_adding, keep_data, delegate_query);
PLUGIN("test.contract.user-data", ONE(ops), ONE(planners), ONE(delegates))
