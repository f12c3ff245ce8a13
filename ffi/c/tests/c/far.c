/* A plugin in C: the delegate `far`, which runs NEG of float32 and keeps results in its own memory until they are
 * read. It lists that memory as a device, counts its bytes, and reports facts and times. Its partitions are chains. */
#include <arenite_plugin.h>
#include <stdlib.h>
#include <string.h>

#define NEG 59 /* the schema's builtin code */

static const ArHostV1 *host;

static ArStatus fail(ArStatus status, const char *message) {
  ArStr text = {(const uint8_t *)message, strlen(message)};
  host->set_error(text);
  return status;
}

static const ArTensorV1 *tensor(const void *tensors, size_t stride, int32_t index) {
  return (const ArTensorV1 *)((const char *)tensors + (size_t)index * stride);
}

static ArStatus create(const ArPair *options, size_t option_count, void **delegate) {
  (void)options;
  if (option_count != 0) return fail(AR_STATUS_INVALID, "the delegate far has no options");
  *delegate = malloc(1);
  return *delegate ? AR_STATUS_OK : fail(AR_STATUS_OUT_OF_MEMORY, "no memory");
}

static ArStatus claim(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  (void)delegate;
  for (size_t i = 0; i < graph->node_count; i++) {
    const ArNodeV1 *node = (const ArNodeV1 *)((const char *)graph->nodes + i * graph->node_stride);
    if (node->builtin_code == NEG) {
      claims->accept(claims->context, i);
    } else {
      claims->refuse(claims->context, i, (ArStr)AR_LITERAL("far supports only NEG"));
    }
  }
  return AR_STATUS_OK;
}

/* The handle of a value is the address of the kernel that keeps it. */
typedef struct {
  float *values;
  uint64_t bytes;
  uint64_t read; /* bytes that were copied back in the last invocation */
} Kernel;

static ArStatus compile(void *delegate, const ArPartitionV1 *partition, void **kernel) {
  (void)delegate;
  if (partition->input_count != 1 || partition->output_count != 1) return fail(AR_STATUS_UNSUPPORTED, "the partition is not a chain");
  *kernel = calloc(1, sizeof(Kernel));
  return *kernel ? AR_STATUS_OK : fail(AR_STATUS_OUT_OF_MEMORY, "no memory");
}

/* Asks a planner to assign shared objects to the input's copy and to the result. Both are alive at the same time, so
 * there must be two. */
static ArStatus objects_of(const ArPrepareV1 *preparing, uint64_t bytes) {
  const ArObjectsV1 *objects = preparing->query(preparing->context, AR_INTERFACE_OBJECTS);
  const ArObjectRecordV1 records[2] = {{{bytes, 1, 1}, 0, 1, -1, 0}, {{bytes, 1, 1}, 1, 2, -1, 0}};
  uint32_t ids[2];
  uint64_t sizes[2][3];
  ArObjectRequestV1 request = {.header = AR_HEADER(ArObjectRequestV1), .extents = 1, .records = records, .record_count = 2,
                               .record_stride = sizeof records[0]};
  ArObjectAssignmentV1 given = {.header = AR_HEADER(ArObjectAssignmentV1), .ids = ids, .sizes = sizes};
  if (!objects) return fail(AR_STATUS_UNSUPPORTED, "this host does not assign shared objects");
  ArStatus status = objects->assign(preparing->context, (ArStr)AR_LITERAL("greedy-in-order"), &request, &given);
  if (status != AR_STATUS_OK) return status;
  return given.object_count == 2 && ids[0] != ids[1] ? AR_STATUS_OK : fail(AR_STATUS_INTERNAL, "both buffers are in one object");
}

static ArStatus prepare(void *state, const ArPrepareV1 *preparing, const ArPartitionV1 *partition) {
  Kernel *kernel = state;
  const ArGraphV1 *graph = partition->graph;
  const ArTensorV1 *x = tensor(graph->tensors, graph->tensor_stride, partition->inputs[0]);
  const ArMemoryV1 *memory = preparing->query(preparing->context, AR_INTERFACE_DEVICE_MEMORY);
  ArStatus status = preparing->set_output_shape(preparing->context, 0, x->dims, x->rank);
  if (status != AR_STATUS_OK) return status;
  if (!memory) return fail(AR_STATUS_UNSUPPORTED, "this host does not count device memory");
  status = memory->hold(preparing->context, x->bytes);
  if (status != AR_STATUS_OK) return status;
  status = objects_of(preparing, x->bytes);
  if (status != AR_STATUS_OK) return status;
  free(kernel->values);
  kernel->values = malloc(x->bytes ? x->bytes : 1);
  kernel->bytes = x->bytes;
  return kernel->values ? AR_STATUS_OK : fail(AR_STATUS_OUT_OF_MEMORY, "no memory");
}

static ArStatus invoke(void *state, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  Kernel *kernel = state;
  const ArTensorV1 *x = tensor(node->tensors, node->tensor_stride, node->inputs[0]);
  const ArTensorV1 *y = tensor(node->tensors, node->tensor_stride, node->outputs[0]);
  const Kernel *keeper = (const Kernel *)(uintptr_t)x->handle;
  const float *from = x->memory_kind == AR_MEMORY_DEVICE ? keeper->values : x->data;
  const ArKeepV1 *keep = eval->query(eval->context, AR_INTERFACE_KEEP);
  const ArProfileV1 *profile = eval->query(eval->context, AR_INTERFACE_PROFILE);
  for (uint64_t i = 0; i < kernel->bytes / sizeof(float); i++) kernel->values[i] = partition->node_count % 2 ? -from[i] : from[i];
  kernel->read = 0;
  if (profile) profile->note(eval->context, 0, (ArStr)AR_LITERAL("negate far away"), node->outputs[0], 3000);
  if (keep) return keep->keep(eval->context, 0, (uint64_t)(uintptr_t)kernel);
  memcpy(y->data, kernel->values, kernel->bytes);
  return AR_STATUS_OK;
}

static ArStatus read_value(void *state, uint64_t handle, void *data, uint64_t bytes) {
  Kernel *kernel = state;
  if (handle != (uint64_t)(uintptr_t)kernel || bytes != kernel->bytes) return fail(AR_STATUS_INTERNAL, "the kernel does not keep this value");
  memcpy(data, kernel->values, bytes);
  kernel->read += bytes;
  return AR_STATUS_OK;
}

static ArStatus tell(void *state, const ArFactNotesV1 *notes) {
  const Kernel *kernel = state;
  notes->text(notes->context, (ArStr)AR_LITERAL("device"), (ArStr)AR_LITERAL("Attic"));
  notes->number(notes->context, (ArStr)AR_LITERAL("read"), kernel->read, (ArStr)AR_LITERAL("bytes"));
  return AR_STATUS_OK;
}

static ArStatus list(const ArDeviceNotesV1 *notes) {
  static const ArPair limits[] = {{AR_LITERAL("stairs"), AR_LITERAL("39")}};
  ArDeviceV1 device = {
      .header = AR_HEADER(ArDeviceV1),
      .name = AR_LITERAL("Attic"),
      .driver = AR_LITERAL("Example 1.0"),
      .kind = AR_LITERAL("cpu"),
      .memory = 4096,
      .limits = limits,
      .limit_count = 1,
  };
  notes->note(notes->context, &device);
  return AR_STATUS_OK;
}

/* The attic's objects are addresses of the program. */
static ArStatus object_of(void *delegate, ArStr name, uint64_t *object) {
  if (name.length != 5 || memcmp(name.data, "attic", 5) != 0) return fail(AR_STATUS_UNSUPPORTED, "the known object is attic");
  *object = (uint64_t)(uintptr_t)delegate;
  return AR_STATUS_OK;
}

static ArStatus bind_memory(void *delegate, uint64_t object, uint64_t offset, uint64_t bytes, uint64_t *handle) {
  Kernel *kernel = calloc(1, sizeof *kernel); /* looks like a kernel that keeps the value */
  (void)delegate;
  if (!kernel) return fail(AR_STATUS_OUT_OF_MEMORY, "no memory");
  kernel->values = (float *)(uintptr_t)(object + offset);
  kernel->bytes = bytes;
  *handle = (uint64_t)(uintptr_t)kernel;
  return AR_STATUS_OK;
}

static void unbind_memory(void *delegate, uint64_t handle) {
  (void)delegate;
  free((void *)(uintptr_t)handle);
}

static ArStatus read_bound(void *delegate, uint64_t handle, void *data, uint64_t bytes) {
  (void)delegate;
  memcpy(data, ((const Kernel *)(uintptr_t)handle)->values, bytes);
  return AR_STATUS_OK;
}

static ArStatus write_bound(void *delegate, uint64_t handle, const void *data, uint64_t bytes) {
  (void)delegate;
  memcpy(((const Kernel *)(uintptr_t)handle)->values, data, bytes);
  return AR_STATUS_OK;
}

static ArStatus copy_to_bound(void *delegate, uint64_t kept, uint64_t handle, uint64_t bytes) {
  return read_bound(delegate, kept, ((const Kernel *)(uintptr_t)handle)->values, bytes);
}

static const void *query(uint64_t interface_id) {
  static const ArDevicesV1 devices = {AR_HEADER(ArDevicesV1), list};
  static const ArFactsV1 facts = {AR_HEADER(ArFactsV1), tell};
  static const ArBuffersV1 buffers = {AR_HEADER(ArBuffersV1), read_value};
  static const ArBindV1 binds = {AR_HEADER(ArBindV1), object_of, bind_memory, unbind_memory, read_bound, write_bound, copy_to_bound};
  switch (interface_id) {
    case AR_INTERFACE_DEVICES: return &devices;
    case AR_INTERFACE_FACTS: return &facts;
    case AR_INTERFACE_BUFFERS: return &buffers;
    case AR_INTERFACE_BIND: return &binds;
    default: return NULL;
  }
}

static void destroy_kernel(void *state) {
  Kernel *kernel = state;
  if (kernel) free(kernel->values);
  free(kernel);
}

static void destroy(void *delegate) { free(delegate); }

static const ArDelegateV1 delegates[] = {{
    .header = AR_HEADER(ArDelegateV1),
    .name = AR_LITERAL("far"),
    .create = create,
    .claim = claim,
    .compile = compile,
    .prepare = prepare,
    .invoke = invoke,
    .destroy_kernel = destroy_kernel,
    .destroy = destroy,
    .query = query,
}};

static const ArPluginV1 plugin = {
    .header = AR_HEADER(ArPluginV1),
    .id = AR_LITERAL("org.arenite.test.far"),
    .version = AR_LITERAL("0.1.0"),
    .description = AR_LITERAL("Test in C: the delegate far"),
    .delegates = delegates,
    .delegate_count = 1,
    .delegate_stride = sizeof(ArDelegateV1),
};

AR_ENTRY(host, plugin)
