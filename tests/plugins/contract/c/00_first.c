/* Contract 1.0: an op with a state, persistent and scratch memory and a parallel loop, y = 2 x + 1 + earlier calls;
   a planner; a delegate. */
#include "fixture.h"

typedef struct State { uint32_t calls, copy; } State;

static ArStatus prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state) {
  State *s = state;
  void *calls;
  OK(shape_of_input(prepare, node));
  OK(prepare->share_memory(prepare->context, 0, 0, AR_SHARE_IN_PLACE));
  OK(prepare->request_persistent(prepare->context, sizeof(float), 4, &s->calls, &calls));
  REQUIRE(*(float *)calls == 0);
  return prepare->request_scratch(prepare->context, input(node, 0)->bytes, 16, &s->copy);
}

typedef struct Loop { const float *x; float *y, calls; } Loop;
static void body(void *argument, size_t begin, size_t end) {
  Loop *loop = argument;
  for (size_t i = begin; i < end; i++) loop->y[i] = 2 * loop->x[i] + 1 + loop->calls;
}

static ArStatus eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *state) {
  State *s = state;
  const ArTensorV1 *x = input(node, 0);
  REQUIRE(!eval->is_cancelled(eval->context) && eval->persistent_count == 1 && eval->scratch_count == 1);
  REQUIRE(!eval->query(eval->context, 1u << 31));
  float *copy = eval->scratch[s->copy].data, *calls = eval->persistent[s->calls].data;
  memcpy(copy, x->data, x->bytes);
  Loop loop = {copy, output(node, 0)->data, *calls};
  OK(the_host->parallel_for(x->bytes / sizeof(float), 1, eval->threads, body, &loop));
  *calls += 1;
  return AR_STATUS_OK;
}

OP("First", sizeof(State), prepare, eval, AR_OP_STATEFUL);
PLANNER("first", in_a_row, NULL);
DELEGATE("first", create, claim, compile, prepare_kernel, invoke, destroy, NULL);
PLUGIN("test.contract.first", ONE(ops), ONE(planners), ONE(delegates))
