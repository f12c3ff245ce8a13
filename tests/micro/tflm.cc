// tflm.cc: what run.c measures, by TensorFlow Lite Micro: one model, what its arena needs, stack and instructions of one invocation.
#include <new>

#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/schema/schema_generated.h"

extern "C" {
#include "port.h"

extern const unsigned char data_model[], data_inputs[];

void DebugLog(const char*, va_list) {}
int DebugVsnprintf(char*, size_t, const char*, va_list) { return 0; }
}

namespace {

constexpr size_t kArenaBytes = 3u << 20;
alignas(16) unsigned char arena[kArenaBytes];
alignas(8) char resolver_room[sizeof(tflite::MicroMutableOpResolver<12>)];
alignas(8) char interpreter_room[sizeof(tflite::MicroInterpreter)];

void WriteNamed(const char* name, size_t number) {
  char text[24], *at = text + sizeof text - 1;
  *at = 0;
  do *--at = static_cast<char>('0' + number % 10);
  while (number /= 10);
  port_write(name);
  port_write(" ");
  port_write(at);
  port_write(" ");
}

// The least arena, in steps of 16 bytes, with which a model can be made ready. What stays in use afterwards, `used`, is less: there are
// temporaries meanwhile.
size_t LeastArena(const tflite::MicroOpResolver& resolver, size_t used) {
  size_t low = used / 16, high = low + 4096;
  while (low < high) {
    size_t middle = (low + high) / 2;
    auto* tried = new (interpreter_room) tflite::MicroInterpreter(tflite::GetModel(data_model), resolver, arena, middle * 16);
    if (tried->AllocateTensors() == kTfLiteOk) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low * 16;
}

void Demand(TfLiteStatus status, const char* what) {
  if (status == kTfLiteOk) return;
  port_write(what);
  port_stop(1);
}

}  // namespace

extern "C" int main() {
  auto& resolver = *new (resolver_room) tflite::MicroMutableOpResolver<12>();
  ADD_OPS
  port_paint_stack();
  auto& interpreter =
      *new (interpreter_room) tflite::MicroInterpreter(tflite::GetModel(data_model), resolver, arena, kArenaBytes);
  Demand(interpreter.AllocateTensors(), "it cannot be made ready");
  const unsigned char* from = data_inputs;
  for (size_t i = 0; i < interpreter.inputs_size(); i++) {
    TfLiteTensor* input = interpreter.input(i);
    for (size_t b = 0; b < input->bytes; b++) input->data.raw[b] = static_cast<char>(*from++);
  }
  uint32_t before = port_instructions();
  TfLiteStatus status = interpreter.Invoke();
  uint32_t after = port_instructions();
  Demand(status, "it does not run");
  size_t stack = port_used_stack();
  size_t used = interpreter.arena_used_bytes();
  WriteNamed("arena", LeastArena(resolver, used));
  WriteNamed("used", used);
  WriteNamed("stack", stack);
  WriteNamed("instructions", after - before);
  port_stop(0);
}
