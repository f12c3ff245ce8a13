/* A delegate that binds memory of the program to tensors. Its device is the host, its objects are addresses. */
#define AR_MEMORY_DEVICE 1u
#define AR_INTERFACE_BIND 24u
typedef struct ArBindV1 {
  ArHeader header;
  ArStatus (*object)(void *delegate, ArStr name, uint64_t *object);
  ArStatus (*bind)(void *delegate, uint64_t object, uint64_t offset, uint64_t bytes, uint64_t *handle);
  void (*unbind)(void *delegate, uint64_t handle);
  ArStatus (*read)(void *delegate, uint64_t handle, void *data, uint64_t bytes);
  ArStatus (*write)(void *delegate, uint64_t handle, const void *data, uint64_t bytes);
  ArStatus (*copy)(void *delegate, uint64_t kept, uint64_t handle, uint64_t bytes);
} ArBindV1;

#include "fixture.h"

static ArStatus object(void *delegate, ArStr name, uint64_t *object) {
  (void)delegate;
  REQUIRE(name.length == 5 && memcmp(name.data, "bound", 5) == 0);
  *object = *(uint64_t *)delegate;
  return AR_STATUS_OK;
}

static ArStatus bind(void *delegate, uint64_t object, uint64_t offset, uint64_t bytes, uint64_t *handle) {
  REQUIRE(bytes >= 16);
  ++*(uint64_t *)delegate;
  *handle = object + offset;
  return AR_STATUS_OK;
}

static void unbind(void *delegate, uint64_t handle) {
  (void)handle;
  --*(uint64_t *)delegate;
}

static ArStatus read(void *delegate, uint64_t handle, void *data, uint64_t bytes) {
  (void)delegate;
  memcpy(data, (const void *)(uintptr_t)handle, bytes);
  return AR_STATUS_OK;
}

static ArStatus write(void *delegate, uint64_t handle, const void *data, uint64_t bytes) {
  (void)delegate;
  memcpy((void *)(uintptr_t)handle, data, bytes);
  return AR_STATUS_OK;
}

static ArStatus copy(void *delegate, uint64_t kept, uint64_t handle, uint64_t bytes) {
  (void)delegate, (void)kept, (void)handle, (void)bytes;
  REQUIRE(!"no kernel keeps a value");
  return AR_STATUS_OK;
}

static ArStatus invoke_bound(void *kernel, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  const ArTensorV1 *x = input(node, 0);
  if (x->memory_kind != AR_MEMORY_DEVICE) return invoke(kernel, eval, partition, node);
  float *y = output(node, 0)->data;
  for (int i = 0; i < 4; i++) y[i] = ((const float *)(uintptr_t)x->handle)[i] + ((Kernel *)kernel)->c[i];
  return AR_STATUS_OK;
}

static const void *query(uint64_t id) {
  static const ArBindV1 binds = {AR_HEADER(ArBindV1), object, bind, unbind, read, write, copy};
  return id == AR_INTERFACE_BIND ? &binds : NULL;
}

DELEGATE("bind", create, claim, compile, prepare_kernel, invoke_bound, destroy, query);
PLUGIN("test.contract.bind", NO, NO, ONE(delegates))
