/* A kernel that holds 1,000 bytes of the quota. */
#define AR_INTERFACE_MEMORY 12u
typedef struct ArMemoryV1 {
  ArHeader header;
  uint64_t (*room)(void *context);
  ArStatus (*hold)(void *context, uint64_t bytes);
} ArMemoryV1;

#include "fixture.h"

static ArStatus prepare_holding(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition) {
  const ArMemoryV1 *memory = prepare->query(prepare->context, AR_INTERFACE_MEMORY);
  REQUIRE(memory && memory->room(prepare->context) > 0);
  OK(memory->hold(prepare->context, 1000));
  return prepare_kernel(kernel, prepare, partition);
}

DELEGATE("memory", create, claim, compile, prepare_holding, invoke, destroy, NULL);
PLUGIN("test.contract.memory", NO, NO, ONE(delegates))
