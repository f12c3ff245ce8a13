/* A delegate that packs in compile, releases the constant there, and reports the contents of its scratch memory. */
typedef struct ArDescribeV1 { /* from the previous version */
  ArHeader header;
  void *context;
  ArStatus (*describe)(void *context, uint32_t subgraph, const ArGraphV1 **graph);
} ArDescribeV1;
#define AR_INTERFACE_COMPILE 7u
#define AR_INTERFACE_KERNEL_PLAN 8u
typedef struct ArCompileHostV1 {
  ArHeader header;
  void *context;
  uint32_t threads;
  const ArDescribeV1 *subgraphs;
  const void *(*query)(void *context, uint64_t interface_id);
} ArCompileHostV1;
typedef struct ArCompileV1 {
  ArHeader header;
  ArStatus (*compile)(void *delegate, const ArPartitionV1 *partition, const ArCompileHostV1 *host, void **kernel);
} ArCompileV1;
typedef struct ArPlanNotesV1 {
  ArHeader header;
  void *context;
  void (*note)(void *context, uint32_t scratch, const ArUsageRecordV1 *record, uint64_t offset, ArStr name);
} ArPlanNotesV1;
typedef struct ArKernelPlanV1 {
  ArHeader header;
  ArStatus (*plan)(void *kernel, const ArPlanNotesV1 *notes);
} ArKernelPlanV1;

#include "fixture.h"

#define CONSTANTS 5u /* from an earlier version */
typedef struct Constants {
  ArHeader header;
  ArStatus (*release)(void *context, int32_t tensor);
  ArStatus (*origin)(void *context, uint64_t *numbers);
} Constants;

static ArStatus compile_not(void *delegate, const ArPartitionV1 *partition, void **kernel) {
  (void)delegate, (void)partition, (void)kernel;
  return fail("the host has the other compile");
}

static ArStatus compile_packing(void *delegate, const ArPartitionV1 *partition, const ArCompileHostV1 *host, void **kernel) {
  const Constants *constants = host->query(host->context, CONSTANTS);
  const ArGraphV1 *other;
  int32_t index;
  constant(partition, &index);
  REQUIRE(constants && host->threads >= 1);
  OK(host->subgraphs->describe(host->subgraphs->context, 1, &other));
  REQUIRE(other->node_count == 1);
  OK(compile(delegate, partition, kernel));
  return constants->release(host->context, index);
}

static ArStatus prepare_scratch(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition) {
  OK(prepare_kernel(kernel, prepare, partition));
  return prepare->request_scratch(prepare->context, 256, 64, &((Kernel *)kernel)->scratch);
}

static ArStatus plan(void *kernel, const ArPlanNotesV1 *notes) {
  const ArUsageRecordV1 record = {128, 64, 0, 0, AR_ANYWHERE, -1, -1, 0, 0};
  ArStr name = AR_LITERAL("half of it");
  notes->note(notes->context, ((Kernel *)kernel)->scratch, &record, 64, name);
  return AR_STATUS_OK;
}

static const void *query(uint64_t id) {
  static const ArCompileV1 compiles = {AR_HEADER(ArCompileV1), compile_packing};
  static const ArKernelPlanV1 plans = {AR_HEADER(ArKernelPlanV1), plan};
  return id == AR_INTERFACE_COMPILE ? (const void *)&compiles : id == AR_INTERFACE_KERNEL_PLAN ? (const void *)&plans : NULL;
}

DELEGATE("compile", create, claim, compile_not, prepare_scratch, invoke, destroy, query);
PLUGIN("test.contract.compile", NO, NO, ONE(delegates))
