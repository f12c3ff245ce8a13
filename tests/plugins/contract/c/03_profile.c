/* Constants that the host may release, and times of a delegate's steps. */
#define AR_INTERFACE_PROFILE 4u
#define AR_INTERFACE_CONSTANTS 5u
typedef struct ArConstantsV1 {
  ArHeader header;
  ArStatus (*release)(void *context, int32_t tensor);
  ArStatus (*origin)(void *context, uint64_t *numbers);
} ArConstantsV1;
typedef struct ArProfileV1 {
  ArHeader header;
  void (*note)(void *context, uint32_t number, ArStr name, int32_t tensor, uint64_t nanoseconds);
} ArProfileV1;

#include "fixture.h"

static ArStatus prepare_releasing(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition) {
  const ArConstantsV1 *constants = prepare->query(prepare->context, AR_INTERFACE_CONSTANTS);
  uint64_t numbers[4] = {1, 1, 1, 1};
  int32_t index;
  constant(partition, &index);
  REQUIRE(constants);
  OK(constants->origin(prepare->context, numbers));
  REQUIRE(numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0 && numbers[3] == 0); /* the test's model has no file */
  OK(constants->release(prepare->context, index));
  return prepare_kernel(kernel, prepare, partition);
}

static ArStatus invoke_timed(void *kernel, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  const ArProfileV1 *profile = eval->query(eval->context, AR_INTERFACE_PROFILE);
  ArStr name = AR_LITERAL("sum");
  OK(invoke(kernel, eval, partition, node));
  if (profile) profile->note(eval->context, 0, name, partition->outputs[0], 2000);
  return AR_STATUS_OK;
}

DELEGATE("profile", create, claim, compile, prepare_releasing, invoke_timed, destroy, NULL);
PLUGIN("test.contract.profile", NO, NO, ONE(delegates))
