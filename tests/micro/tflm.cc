// tflm.cc: the measurements of run.c with TensorFlow Lite Micro: arena, stack and instructions of one invocation.
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

// The smallest arena, in steps of 16 bytes, in which a model can be prepared. The final use, `used`, is less, because
// of temporary buffers.
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
  Demand(interpreter.AllocateTensors(), "AllocateTensors failed");
  const unsigned char* from = data_inputs;
  for (size_t i = 0; i < interpreter.inputs_size(); i++) {
    TfLiteTensor* input = interpreter.input(i);
    for (size_t b = 0; b < input->bytes; b++) input->data.raw[b] = static_cast<char>(*from++);
  }
  uint32_t before = port_instructions();
  TfLiteStatus status = interpreter.Invoke();
  uint32_t after = port_instructions();
  Demand(status, "Invoke failed");
  size_t stack = port_used_stack();
  size_t used = interpreter.arena_used_bytes();
  WriteNamed("arena", LeastArena(resolver, used));
  WriteNamed("used", used);
  WriteNamed("stack", stack);
  WriteNamed("instructions", after - before);
  port_stop(0);
}
