/* A planner that declares that no two records share memory. */
#define AR_INTERFACE_NO_SHARING 22u
typedef struct ArNoSharingV1 {
  ArHeader header;
} ArNoSharingV1;

#include "fixture.h"

static const void *query(uint64_t id) {
  static const ArNoSharingV1 no_sharing = {AR_HEADER(ArNoSharingV1)};
  return id == AR_INTERFACE_NO_SHARING ? &no_sharing : NULL;
}

PLANNER("no-sharing", in_a_row, query);
PLUGIN("test.contract.no-sharing", NO, ONE(planners), NO)
