/* Subgraphs and resources: y = (x²)² + earlier calls, computed by the model's subgraph 1 and a counter that keeps
 * its value between calls. */
#define AR_OP_IN_PLACE 2u
#define AR_OP_VIEW 4u
#define AR_INTERFACE_SUBGRAPHS 1u
#define AR_INTERFACE_RESOURCES 2u
typedef struct ArSubgraphsV1 {
  ArHeader header;
  ArStatus (*describe)(void *context, uint32_t subgraph, const ArGraphV1 **graph);
  ArStatus (*set_input)(void *context, uint32_t subgraph, uint32_t input, const ArTensorV1 *value);
  ArStatus (*forward)(void *context, uint32_t from, uint32_t to);
  ArStatus (*prepare)(void *context, uint32_t subgraph);
  ArStatus (*invoke)(void *context, uint32_t subgraph);
  ArStatus (*output)(void *context, uint32_t subgraph, uint32_t output, ArTensorV1 *value);
} ArSubgraphsV1;
typedef struct ArResourcesV1 {
  ArHeader header;
  ArStatus (*open)(void *context, ArBytes name, int32_t *handle);
  ArStatus (*value)(void *context, int32_t handle, ArTensorV1 *value);
  ArStatus (*assign)(void *context, int32_t handle, const ArTensorV1 *value);
} ArResourcesV1;

#include "fixture.h"

static ArStatus prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state) {
  const ArSubgraphsV1 *subgraphs = prepare->query(prepare->context, AR_INTERFACE_SUBGRAPHS);
  const ArResourcesV1 *resources = prepare->query(prepare->context, AR_INTERFACE_RESOURCES);
  ArBytes name = {(const uint8_t *)"calls", 5};
  const ArGraphV1 *graph;
  ArTensorV1 y;
  REQUIRE(subgraphs && resources);
  OK(resources->open(prepare->context, name, state));
  OK(subgraphs->describe(prepare->context, 1, &graph));
  REQUIRE(graph->input_count == 1 && graph->output_count == 1 && graph->node_count == 1);
  OK(subgraphs->set_input(prepare->context, 1, 0, input(node, 0)));
  OK(subgraphs->prepare(prepare->context, 1));
  OK(subgraphs->output(prepare->context, 1, 0, &y));
  return prepare->set_output_shape(prepare->context, 0, y.dims, y.rank);
}

static ArStatus eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *state) {
  const ArSubgraphsV1 *subgraphs = eval->query(eval->context, AR_INTERFACE_SUBGRAPHS);
  const ArResourcesV1 *resources = eval->query(eval->context, AR_INTERFACE_RESOURCES);
  int32_t calls = *(int32_t *)state, one = 1;
  ArTensorV1 y, count;
  float counted = 0;
  REQUIRE(subgraphs && resources);
  OK(subgraphs->set_input(eval->context, 1, 0, input(node, 0)));
  OK(subgraphs->invoke(eval->context, 1));
  OK(subgraphs->forward(eval->context, 1, 1));
  OK(subgraphs->invoke(eval->context, 1));
  OK(subgraphs->output(eval->context, 1, 0, &y));
  OK(resources->value(eval->context, calls, &count));
  if (count.data) counted = *(const float *)count.data;
  for (size_t i = 0; i < y.bytes / sizeof(float); i++)
    ((float *)output(node, 0)->data)[i] = ((const float *)y.data)[i] + counted;
  counted += 1;
  ArTensorV1 next = {0, 1, &one, &counted, sizeof counted, NULL, 0, 0, 0, {NULL, 0}};
  return resources->assign(eval->context, calls, &next);
}

OP("Subgraphs", sizeof(int32_t), prepare, eval, AR_OP_STATEFUL);
PLUGIN("test.contract.subgraphs", ONE(ops), NO, NO)
