/* A delegate with a device: it is listed, its bytes are counted, outputs stay on it, and the kernel reports facts. */
#define AR_MEMORY_DEVICE 1u
#define AR_INTERFACE_DEVICES 15u
#define AR_INTERFACE_FACTS 16u
#define AR_INTERFACE_DEVICE_MEMORY 17u
#define AR_INTERFACE_BUFFERS 18u
#define AR_INTERFACE_KEEP 19u
typedef struct ArDeviceV1 {
  ArHeader header;
  ArStr name;
  ArStr driver;
  ArStr kind;
  uint64_t memory;
  const ArPair *limits;
  size_t limit_count;
} ArDeviceV1;
typedef struct ArDeviceNotesV1 {
  ArHeader header;
  void *context;
  void (*note)(void *context, const ArDeviceV1 *device);
} ArDeviceNotesV1;
typedef struct ArDevicesV1 {
  ArHeader header;
  ArStatus (*list)(const ArDeviceNotesV1 *notes);
} ArDevicesV1;
typedef struct ArFactNotesV1 {
  ArHeader header;
  void *context;
  void (*number)(void *context, ArStr key, uint64_t value, ArStr unit);
  void (*text)(void *context, ArStr key, ArStr value);
} ArFactNotesV1;
typedef struct ArFactsV1 {
  ArHeader header;
  ArStatus (*tell)(void *kernel, const ArFactNotesV1 *notes);
} ArFactsV1;
typedef struct ArBuffersV1 {
  ArHeader header;
  ArStatus (*read)(void *kernel, uint64_t handle, void *data, uint64_t bytes);
} ArBuffersV1;
typedef struct ArKeepV1 {
  ArHeader header;
  ArStatus (*keep)(void *context, uint32_t output, uint64_t handle);
} ArKeepV1;

#include "fixture.h"

typedef struct Memory { /* from an earlier version */
  ArHeader header;
  uint64_t (*room)(void *context);
  ArStatus (*hold)(void *context, uint64_t bytes);
} Memory;

static ArStatus list(const ArDeviceNotesV1 *notes) {
  static const ArPair limits[] = {{AR_LITERAL("image"), AR_LITERAL("16")}};
  const ArDeviceV1 device = {
      AR_HEADER(ArDeviceV1), AR_LITERAL("Frozen"), AR_LITERAL("Example 1"), AR_LITERAL("gpu"), 4096, limits, 1};
  notes->note(notes->context, &device);
  return AR_STATUS_OK;
}

static ArStatus prepare_holding(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition) {
  const Memory *memory = prepare->query(prepare->context, AR_INTERFACE_DEVICE_MEMORY);
  REQUIRE(memory && memory->room(prepare->context) > 0);
  OK(memory->hold(prepare->context, 16));
  return prepare_kernel(kernel, prepare, partition);
}

static ArStatus invoke_keeping(void *kernel, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  const ArKeepV1 *keep = eval->query(eval->context, AR_INTERFACE_KEEP);
  if (!keep) return invoke(kernel, eval, partition, node);
  add(kernel, node, ((Kernel *)kernel)->y);
  return keep->keep(eval->context, 0, 7);
}

static ArStatus read(void *kernel, uint64_t handle, void *data, uint64_t bytes) {
  REQUIRE(handle == 7 && bytes == 16);
  memcpy(data, ((Kernel *)kernel)->y, 16);
  return AR_STATUS_OK;
}

static ArStatus tell(void *kernel, const ArFactNotesV1 *notes) {
  ArStr runs = AR_LITERAL("runs"), unit = AR_LITERAL(""), device = AR_LITERAL("device"), name = AR_LITERAL("Frozen");
  notes->number(notes->context, runs, ((Kernel *)kernel)->runs, unit);
  notes->text(notes->context, device, name);
  return AR_STATUS_OK;
}

static const void *query(uint64_t id) {
  static const ArDevicesV1 devices = {AR_HEADER(ArDevicesV1), list};
  static const ArFactsV1 facts = {AR_HEADER(ArFactsV1), tell};
  static const ArBuffersV1 buffers = {AR_HEADER(ArBuffersV1), read};
  if (id == AR_INTERFACE_DEVICES) return &devices;
  if (id == AR_INTERFACE_FACTS) return &facts;
  return id == AR_INTERFACE_BUFFERS ? &buffers : NULL;
}

DELEGATE("devices", create, claim, compile, prepare_holding, invoke_keeping, destroy, query);
PLUGIN("test.contract.devices", NO, NO, ONE(delegates))
