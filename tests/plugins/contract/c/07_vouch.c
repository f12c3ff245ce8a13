/* A delegate that vouches for a custom op that no plugin has. */
#define AR_INTERFACE_VOUCH 11u
typedef struct ArVouchV1 {
  ArHeader header;
  uint8_t (*vouch)(void *delegate, const ArNodeV1 *node);
} ArVouchV1;

#include "fixture.h"

static uint8_t vouch(void *delegate, const ArNodeV1 *node) {
  (void)delegate;
  return node->custom_name.length == 5 && !memcmp(node->custom_name.data, "Vouch", 5);
}

static const void *query(uint64_t id) {
  static const ArVouchV1 vouches = {AR_HEADER(ArVouchV1), vouch};
  return id == AR_INTERFACE_VOUCH ? &vouches : NULL;
}

DELEGATE("vouch", create, claim, compile, prepare_kernel, invoke, destroy, query);
PLUGIN("test.contract.vouch", NO, NO, ONE(delegates))
