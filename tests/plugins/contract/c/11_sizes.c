/* The numbers of a subgraph's inputs and outputs, and resizing a resource: y = x + 10 inputs + outputs of
 * subgraph 1. */
#define AR_INTERFACE_SIZES 20u
typedef struct ArSizesV1 {
  ArHeader header;
  ArStatus (*ports)(void *context, uint32_t subgraph, uint64_t *inputs, uint64_t *outputs);
  ArStatus (*reserve)(void *context, int32_t handle, const ArTensorV1 *value);
} ArSizesV1;

#include "fixture.h"

typedef struct Resources { /* the first fields, from an earlier version */
  ArHeader header;
  ArStatus (*open)(void *context, ArBytes name, int32_t *handle);
} Resources;

static ArStatus prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state) {
  const ArSizesV1 *sizes = prepare->query(prepare->context, AR_INTERFACE_SIZES);
  const Resources *resources = prepare->query(prepare->context, 2u);
  ArBytes name = {(const uint8_t *)"reserved", 8};
  uint64_t inputs = 0, outputs = 0;
  int32_t handle;
  REQUIRE(sizes && resources);
  OK(sizes->ports(prepare->context, 1, &inputs, &outputs));
  OK(resources->open(prepare->context, name, &handle));
  OK(sizes->reserve(prepare->context, handle, input(node, 0)));
  *(float *)state = (float)(10 * inputs + outputs);
  return shape_of_input(prepare, node);
}

static ArStatus eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *state) {
  const float *x = input(node, 0)->data;
  (void)eval;
  for (size_t i = 0; i < input(node, 0)->bytes / sizeof(float); i++) ((float *)output(node, 0)->data)[i] = x[i] + *(float *)state;
  return AR_STATUS_OK;
}

OP("Sizes", sizeof(float), prepare, eval, 0);
PLUGIN("test.contract.sizes", ONE(ops), NO, NO)
