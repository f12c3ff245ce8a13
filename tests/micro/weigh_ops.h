/* The op of the model that test.sh makes: one op of the program, whose plugin receives the host. */
#include <arenite_micro.h>

extern const ArOpV1 weigh_ops[];
const ArPluginV1 *arenite_plugin_v1(const ArHostV1 *host, uint32_t *version);

static const ArOpV1 *const ops[] = {&weigh_ops[0]};
static const float offset = 0.0f;

#define SETUP()                                                   \
  do {                                                            \
    uint32_t version = AR_ABI_VERSION;                            \
    check(arenite_plugin_v1(ar_micro_host(), &version) != NULL, "the plugin refuses the host"); \
    ar_micro_set_external((void *)(uintptr_t)&offset);            \
  } while (0)
