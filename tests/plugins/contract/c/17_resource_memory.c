/* A resource that is written in place: y = x + the number of earlier runs. */
#define AR_INTERFACE_RESOURCE_MEMORY 26u
typedef struct ArResourceMemoryV1 {
  ArHeader header;
  uint64_t (*version)(void *context);
} ArResourceMemoryV1;

#include "fixture.h"

typedef struct Resources { /* from an earlier version */
  ArHeader header;
  ArStatus (*open)(void *context, ArBytes name, int32_t *handle);
  ArStatus (*value)(void *context, int32_t handle, ArTensorV1 *value);
  ArStatus (*assign)(void *context, int32_t handle, const ArTensorV1 *value);
} Resources;

typedef struct State {
  float *runs;
  uint64_t version;
  uint64_t searches;
  int32_t handle;
} State;

static ArStatus prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state) {
  const Resources *resources = prepare->query(prepare->context, 2u);
  ArBytes name = {(const uint8_t *)"runs", 4};
  REQUIRE(resources);
  memset(state, 0, sizeof(State));
  OK(resources->open(prepare->context, name, &((State *)state)->handle));
  return shape_of_input(prepare, node);
}

static ArStatus find(const ArEvalV1 *eval, State *state) {
  const Resources *resources = eval->query(eval->context, 2u);
  float none = 0;
  int32_t length = 1;
  ArTensorV1 value = {0};
  REQUIRE(resources && state->searches++ == 0);
  OK(resources->value(eval->context, state->handle, &value));
  if (!value.dims) {
    value.rank = 1, value.dims = &length, value.data = &none, value.bytes = sizeof(none);
    OK(resources->assign(eval->context, state->handle, &value));
    OK(resources->value(eval->context, state->handle, &value));
  }
  state->runs = value.data;
  return AR_STATUS_OK;
}

static ArStatus eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *state) {
  const ArResourceMemoryV1 *memory = eval->query(eval->context, AR_INTERFACE_RESOURCE_MEMORY);
  State *s = state;
  const float *x = input(node, 0)->data;
  REQUIRE(memory);
  if (!s->runs || memory->version(eval->context) != s->version) OK(find(eval, s));
  s->version = memory->version(eval->context);
  for (size_t i = 0; i < input(node, 0)->bytes / sizeof(float); i++) ((float *)output(node, 0)->data)[i] = x[i] + *s->runs;
  *s->runs += 1;
  return AR_STATUS_OK;
}

OP("CountsRuns", sizeof(State), prepare, eval, AR_OP_STATEFUL);
PLUGIN("test.contract.resource_memory", ONE(ops), NO, NO)
