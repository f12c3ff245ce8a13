// devices FOLDER PLUGINS: inputs and outputs are memory of the program on the device of the delegate `far`.
#include <arenite.hpp>

#include "check.hpp"

int main(int argc, char **argv) {
  REQUIRE(argc == 3);
  arenite::TextReporter reporter;
  const auto model = arenite::FlatBufferModel::BuildFromFile((std::string(argv[1]) + "/cube.tflite").c_str(), &reporter);
  REQUIRE(model != nullptr);
  arenite::InterpreterOptions options;
  options.AddPluginDir(argv[2]);
  options.AddDelegate("far");
  std::unique_ptr<arenite::Interpreter> interpreter;
  const arenite::ops::builtin::BuiltinOpResolverWithoutDefaultDelegates resolver;
  REQUIRE(arenite::InterpreterBuilder(*model, resolver, &options)(&interpreter) == arenite::kOk);
  std::string json;
  REQUIRE(interpreter->PreviewDelegates(&json) == arenite::kOk);
  REQUIRE(Has(json, "{\"delegate\":\"far\",\"partitions\":[[") && Has(json, "far supports only NEG"));
  REQUIRE(interpreter->AllocateTensors() == arenite::kOk);
  REQUIRE(interpreter->PreviewDelegates(&json) == arenite::kError);

  float in[6] = {0, 0, 2.0f, -1.0f, 0.5f, 3.0f}, out[4] = {0};
  const int x = interpreter->inputs()[0], y = interpreter->outputs()[0];
  const auto number = [](float *memory) { return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(memory)); };
  uint64_t attic = 0;
  REQUIRE(interpreter->GetDeviceObject("far", "attic", &attic) == arenite::kOk);
  REQUIRE(interpreter->GetDeviceObject("far", "cellar", &attic) != arenite::kOk && Has(reporter.text(), "attic"));
  REQUIRE(interpreter->BindDeviceMemory(x, {"far", number(in), 8, 16}) == arenite::kOk);
  REQUIRE(interpreter->BindDeviceMemory(y, {"far", number(out), 0, 16}) == arenite::kOk);
  REQUIRE(interpreter->Invoke() == arenite::kOk);
  for (int i = 0; i < 4; i++) REQUIRE(out[i] == in[i + 2] * in[i + 2] * in[i + 2]);
  REQUIRE(interpreter->typed_output_tensor<float>(0) == nullptr);
  REQUIRE(interpreter->BindDeviceMemory(x, {"far", number(in), 0, 15}) == arenite::kError);
  REQUIRE(Has(reporter.text(), "has 15 bytes, it needs 16"));
  REQUIRE(interpreter->BindDeviceMemory(99, {"far", number(in), 0, 16}) == arenite::kError);
  REQUIRE(interpreter->UnbindDeviceMemory(x) == arenite::kOk && interpreter->UnbindDeviceMemory(y) == arenite::kOk);
  REQUIRE(interpreter->typed_output_tensor<float>(0) != nullptr && interpreter->UnbindDeviceMemory(99) == arenite::kError);
  return 0;
}
