/*
 * A plugin whose delegate `gone` claims all nodes and loses its device in the call that the option `in` names:
 * "create", "claim" or "invoke".
 */
#include <arenite_plugin.h>
#include <string.h>

enum { CREATE, CLAIM, INVOKE };
static const char *const names[] = {"create", "claim", "invoke"};

/* Set once, by the entry function. There is one delegate per interpreter, which stores where it fails; its kernels
 * are the delegate itself. */
static const ArHostV1 *host;
static int instances[] = {CREATE, CLAIM, INVOKE};

static ArStatus fail(ArStatus status, const char *message) {
  ArStr text = {(const uint8_t *)message, strlen(message)};
  host->set_error(text);
  return status;
}

static ArStatus check(const void *instance, int here) {
  return *(const int *)instance == here ? fail(AR_STATUS_UNAVAILABLE, "the device is gone") : AR_STATUS_OK;
}

static ArStatus create(const ArPair *options, size_t option_count, void **delegate) {
  for (int i = CREATE; option_count == 1 && i <= INVOKE; i++) {
    ArStr value = options[0].value;
    if (value.length != strlen(names[i]) || memcmp(value.data, names[i], value.length) != 0) continue;
    *delegate = &instances[i];
    return check(*delegate, CREATE);
  }
  return fail(AR_STATUS_INVALID, "option in: create, claim or invoke");
}

static ArStatus claim(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  for (size_t i = 0; i < graph->node_count; i++) claims->accept(claims->context, i);
  return check(delegate, CLAIM);
}

/* Also for nodes of ops that are not known. */
static uint8_t vouch(void *delegate, const ArNodeV1 *node) {
  (void)delegate;
  (void)node;
  return 1;
}

static ArStatus compile(void *delegate, const ArPartitionV1 *partition, void **kernel) {
  (void)partition;
  *kernel = delegate;
  return AR_STATUS_OK;
}

static ArStatus prepare(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition) {
  const ArGraphV1 *graph = partition->graph;
  (void)kernel;
  for (uint32_t i = 0; i < partition->output_count; i++) {
    size_t index = (size_t)partition->outputs[i];
    const ArTensorV1 *y = (const ArTensorV1 *)((const char *)graph->tensors + index * graph->tensor_stride);
    ArStatus status = prepare->set_output_shape(prepare->context, i, y->dims, y->rank);
    if (status != AR_STATUS_OK) return status;
  }
  return AR_STATUS_OK;
}

static ArStatus invoke(void *kernel, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  (void)eval;
  (void)partition;
  (void)node;
  return check(kernel, INVOKE);
}

static const ArVouchV1 vouch_interface = {.header = AR_HEADER(ArVouchV1), .vouch = vouch};

static const void *query(uint64_t interface_id) {
  return interface_id == AR_INTERFACE_VOUCH ? &vouch_interface : NULL;
}

static void nothing(void *instance) { (void)instance; }

static const ArDelegateV1 delegates[] = {{
    .header = AR_HEADER(ArDelegateV1),
    .name = AR_LITERAL("gone"),
    .create = create,
    .claim = claim,
    .compile = compile,
    .prepare = prepare,
    .invoke = invoke,
    .destroy_kernel = nothing,
    .destroy = nothing,
    .query = query,
}};

static const ArPluginV1 plugin = {
    .header = AR_HEADER(ArPluginV1),
    .id = AR_LITERAL("org.arenite.test.gone"),
    .version = AR_LITERAL("0.1.0"),
    .description = AR_LITERAL("A delegate whose device is gone"),
    .delegates = delegates,
    .delegate_count = sizeof delegates / sizeof delegates[0],
    .delegate_stride = sizeof(ArDelegateV1),
};

AR_ENTRY(host, plugin)
