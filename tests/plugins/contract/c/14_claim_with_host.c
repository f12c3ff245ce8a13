/* A delegate that asks how nodes would be partitioned and which op serves them otherwise, and claims in two rounds. */
#define AR_INTERFACE_CLAIM_WITH_HOST 23u
#define AR_ROUND_REFUSED UINT32_MAX
#define AR_SERVER_OP 1u
typedef struct ArDescribeV1 {
  ArHeader header;
  void *context;
  ArStatus (*describe)(void *context, uint32_t subgraph, const ArGraphV1 **graph);
} ArDescribeV1;
typedef struct ArServerV1 {
  ArHeader header;
  uint32_t kind;
  uint32_t reserved;
  ArStr name;
} ArServerV1;
typedef struct ArClaimHostV1 {
  ArHeader header;
  void *context;
  const ArClaimsV1 *claims;
  const ArDescribeV1 *subgraphs;
  void (*accept_in)(void *context, size_t node, uint32_t round);
  ArStatus (*partitions)(void *context, const uint32_t *rounds, size_t count, const ArPartitionV1 **partitions,
                         size_t *stride, size_t *partition_count);
  ArStatus (*server)(void *context, size_t node, ArServerV1 *server);
  const void *(*query)(void *context, uint64_t interface_id);
} ArClaimHostV1;
typedef struct ArClaimWithHostV1 {
  ArHeader header;
  ArStatus (*claim)(void *delegate, const ArGraphV1 *graph, const ArClaimHostV1 *host);
} ArClaimWithHostV1;

#include "fixture.h"

static ArStatus refuse_all(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  (void)delegate, (void)graph, (void)claims;
  return fail("the host has the other claim");
}

/* The nodes of the first partition, and the number of partitions. */
static ArStatus count(const ArClaimHostV1 *host, const uint32_t *rounds, size_t *nodes, size_t *partitions) {
  const ArPartitionV1 *first = NULL;
  size_t stride = 0;
  OK(host->partitions(host->context, rounds, 2, &first, &stride, partitions));
  REQUIRE(*partitions == 0 || stride >= sizeof *first);
  *nodes = *partitions == 0 ? 0 : first->node_count;
  return AR_STATUS_OK;
}

static ArStatus claim_asking(void *delegate, const ArGraphV1 *graph, const ArClaimHostV1 *host) {
  static const uint32_t together[] = {0, 0}, apart[] = {7, 3}, none[] = {AR_ROUND_REFUSED, AR_ROUND_REFUSED};
  ArServerV1 server = {AR_HEADER(ArServerV1), 9, 0, {NULL, 0}};
  const ArPartitionV1 *first = NULL;
  size_t nodes = 0, partitions = 0;
  (void)delegate;
  REQUIRE(graph->node_count == 2);
  OK(count(host, together, &nodes, &partitions));
  REQUIRE(partitions == 1 && nodes == 2);
  OK(count(host, apart, &nodes, &partitions));
  REQUIRE(partitions == 2 && nodes == 1);
  OK(count(host, none, &nodes, &partitions));
  REQUIRE(partitions == 0);
  REQUIRE(host->partitions(host->context, together, 1, &first, &nodes, &partitions) != AR_STATUS_OK);
  OK(host->server(host->context, 1, &server));
  REQUIRE(server.kind == AR_SERVER_OP && server.name.length > 0);
  REQUIRE(host->server(host->context, 2, &server) != AR_STATUS_OK);
  REQUIRE(host->subgraphs->context != NULL && host->query(host->context, AR_INTERFACE_CLAIM_WITH_HOST) == NULL);
  host->claims->accept(host->claims->context, 0);
  host->accept_in(host->context, 1, 4);
  return AR_STATUS_OK;
}

static const void *query(uint64_t id) {
  static const ArClaimWithHostV1 claims = {AR_HEADER(ArClaimWithHostV1), claim_asking};
  return id == AR_INTERFACE_CLAIM_WITH_HOST ? &claims : NULL;
}

DELEGATE("claim-with-host", create, refuse_all, compile, prepare_kernel, invoke, destroy, query);
PLUGIN("test.contract.claim-with-host", NO, NO, ONE(delegates))
