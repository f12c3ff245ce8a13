/* A delegate that looks into another subgraph before it claims. */
#define AR_INTERFACE_CLAIM 6u
typedef struct ArDescribeV1 {
  ArHeader header;
  void *context;
  ArStatus (*describe)(void *context, uint32_t subgraph, const ArGraphV1 **graph);
} ArDescribeV1;
typedef struct ArClaimV1 {
  ArHeader header;
  ArStatus (*claim)(void *delegate, const ArGraphV1 *graph, const ArDescribeV1 *subgraphs, const ArClaimsV1 *claims);
} ArClaimV1;

#include "fixture.h"

static ArStatus refuse_all(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  (void)delegate, (void)graph, (void)claims;
  return fail("the host has the other claim");
}

static ArStatus claim_looking(void *delegate, const ArGraphV1 *graph, const ArDescribeV1 *subgraphs, const ArClaimsV1 *claims) {
  const ArGraphV1 *other;
  OK(subgraphs->describe(subgraphs->context, 1, &other));
  REQUIRE(other->node_count == 1 && graph_node(other, 0)->builtin_code == 18 /* MUL */);
  return claim(delegate, graph, claims);
}

static const void *query(uint64_t id) {
  static const ArClaimV1 claims = {AR_HEADER(ArClaimV1), claim_looking};
  return id == AR_INTERFACE_CLAIM ? &claims : NULL;
}

DELEGATE("claim", create, refuse_all, compile, prepare_kernel, invoke, destroy, query);
PLUGIN("test.contract.claim", NO, NO, ONE(delegates))
