// Prints the state of an interpreter for people.
#ifndef ARENITE_CPP_PRINT_HPP
#define ARENITE_CPP_PRINT_HPP

#include <arenite/cpp/interpreter.hpp>

#include <cstddef>
#include <cstdio>

namespace arenite {

// Prints an interpreter's tensors, inputs, outputs, plugins and memory use to stdout.
inline void PrintInterpreterState(const Interpreter *interpreter) {
  if (interpreter == nullptr) return;
  const auto list = [](const char *title, const std::vector<int> &indices) {
    std::printf("%s:", title);
    for (const int index : indices) std::printf(" %d", index);
    std::printf("\n");
  };
  std::printf("%zu tensors\n", interpreter->tensors_size());
  list("inputs", interpreter->inputs());
  list("outputs", interpreter->outputs());
  for (size_t i = 0; i < interpreter->tensors_size(); i++) {
    const Tensor *tensor = interpreter->tensor(static_cast<int>(i));
    const char *type = TypeName(tensor->type);
    std::printf("tensor %zu: %s, %s [", i, tensor->name, type != nullptr ? type : "?");
    for (int axis = 0; axis < tensor->dims->size; axis++) std::printf("%s%d", axis > 0 ? ", " : "", tensor->dims->data[axis]);
    std::printf("], %zu bytes%s\n", tensor->bytes, tensor->is_constant ? ", constant" : "");
  }
  ArInterpreter *handle = interpreter->handle();
  for (size_t i = 0; i < ar_interpreter_plugin_count(handle); i++) {
    const ArPlugin *plugin = ar_interpreter_plugin(handle, i);
    std::printf("plugin %s %s, %s\n", ar_plugin_id(plugin), ar_plugin_version(plugin), ar_plugin_origin(plugin));
  }
  std::printf("memory: %llu bytes of activations, %llu persistent\n",
              static_cast<unsigned long long>(ar_interpreter_arena_bytes(handle)),
              static_cast<unsigned long long>(ar_interpreter_persistent_bytes(handle)));
}

}  // namespace arenite

#endif  // ARENITE_CPP_PRINT_HPP
