// interface FOLDER PLUGIN_FOLDER: tests every part of arenite.hpp on the models of FOLDER. The plugin folder contains a
// broken plugin.
#include <arenite.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <type_traits>

#include "check.hpp"

using arenite::FlatBufferModel;
using arenite::Interpreter;
using arenite::InterpreterBuilder;
using arenite::InterpreterOptions;
using arenite::TextReporter;
using arenite::ops::builtin::BuiltinOpResolver;
using arenite::ops::builtin::BuiltinOpResolverWithoutDefaultDelegates;

static_assert(!std::is_copy_constructible_v<FlatBufferModel> && !std::is_copy_constructible_v<Interpreter>);
static_assert(!std::is_copy_assignable_v<arenite::Tensor> && !std::is_copy_assignable_v<arenite::SignatureRunner>);
static_assert(std::is_copy_constructible_v<InterpreterOptions> && std::is_copy_constructible_v<BuiltinOpResolver>);

namespace {

std::string folder;
TextReporter reporter;

std::unique_ptr<FlatBufferModel> Model(const char *name) {
  auto model = FlatBufferModel::BuildFromFile((folder + "/" + name + ".tflite").c_str(), &reporter);
  REQUIRE(model != nullptr && model->initialized() && model->error_reporter() == &reporter);
  return model;
}

std::unique_ptr<Interpreter> Built(const char *name, const InterpreterOptions *options = nullptr) {
  std::unique_ptr<Interpreter> interpreter;
  REQUIRE(InterpreterBuilder(*Model(name), BuiltinOpResolver(), options)(&interpreter) == arenite::kOk);
  return interpreter;
}

void Models() {
  REQUIRE(FlatBufferModel::BuildFromFile("no/such/file", &reporter) == nullptr && Has(reporter.text(), "no/such/file"));
  REQUIRE(FlatBufferModel::BuildFromFile((folder + "/truncated.tflite").c_str(), nullptr) == nullptr);
  REQUIRE(FlatBufferModel::BuildFromFile(nullptr, &reporter) == nullptr && Has(reporter.text(), "null"));

  REQUIRE(FlatBufferModel::MapFile("no/such/file", &reporter) == nullptr && Has(reporter.text(), "no/such/file"));
  REQUIRE(FlatBufferModel::MapFile((folder + "/truncated.tflite").c_str(), nullptr) == nullptr);
  REQUIRE(FlatBufferModel::MapFile((folder + "/root.tflite").c_str(), &reporter) != nullptr);

  const std::vector<char> bytes = Read(folder + "/root.tflite");
  std::FILE *package = std::tmpfile();
  REQUIRE(package && std::fwrite(bytes.data(), 1, bytes.size(), package) == bytes.size() && std::fflush(package) == 0);
  REQUIRE(FlatBufferModel::BuildFromDescriptor(fileno(package), 0, bytes.size(), &reporter) != nullptr);
  REQUIRE(FlatBufferModel::BuildFromDescriptor(fileno(package), 1, bytes.size(), &reporter) == nullptr);
  std::fclose(package);
  REQUIRE(FlatBufferModel::BuildFromBuffer(bytes.data(), bytes.size() / 2, &reporter) == nullptr);
  auto model = FlatBufferModel::VerifyAndBuildFromBuffer(bytes.data(), bytes.size(), nullptr, &reporter);
  REQUIRE(model != nullptr && model->handle() != nullptr);
  std::unique_ptr<Interpreter> interpreter;
  REQUIRE(InterpreterBuilder(*model, BuiltinOpResolver())(&interpreter, 1) == arenite::kOk);
  model.reset();
  REQUIRE(interpreter->AllocateTensors() == arenite::kOk);
  *interpreter->typed_input_tensor<float>(0) = 9.0f;
  REQUIRE(interpreter->Invoke() == arenite::kOk && *interpreter->typed_output_tensor<float>(0) == 3.0f);
}

// sqrt: from x [2, 3] to y, and a constant with one scale per channel.
void Tensors() {
  const auto interpreter = Built("sqrt");
  const Interpreter &constant = *interpreter;
  REQUIRE(interpreter->inputs().size() == 1 && interpreter->outputs().size() == 2 && interpreter->tensors_size() == 4);
  REQUIRE(std::strcmp(interpreter->GetInputName(0), "x") == 0 && std::strcmp(interpreter->GetOutputName(0), "y") == 0);
  REQUIRE(interpreter->GetInputName(1) == nullptr && interpreter->GetOutputName(-1) == nullptr);
  REQUIRE(interpreter->typed_input_tensor<float>(0) == nullptr);
  REQUIRE(interpreter->AllocateTensors() == arenite::kOk);

  arenite::Tensor *input = interpreter->input_tensor(0);
  REQUIRE(input == interpreter->tensor(interpreter->inputs()[0]) && input == constant.input_tensor(0));
  REQUIRE(input->dims->size == 2 && input->dims->data[1] == 3 && input->bytes == 24 && input->NumElements() == 6);
  REQUIRE(input->type == arenite::kFloat32 && std::strcmp(arenite::TypeName(input->type), "FLOAT32") == 0);
  REQUIRE(input->data.f == interpreter->typed_tensor<float>(interpreter->inputs()[0]) && !input->is_constant);

  for (const int index : {-1, 4, 1000000}) {
    REQUIRE(interpreter->tensor(index) == nullptr && constant.typed_tensor<float>(index) == nullptr);
    REQUIRE(interpreter->typed_input_tensor<float>(index) == nullptr);
    REQUIRE(interpreter->typed_output_tensor<float>(index) == nullptr);
  }
  REQUIRE(interpreter->typed_input_tensor<int32_t>(0) == nullptr && interpreter->typed_input_tensor<double>(0) == nullptr);
  REQUIRE(interpreter->typed_input_tensor<int8_t>(0) == nullptr && interpreter->typed_output_tensor<bool>(0) == nullptr);

  const std::array<float, 6> numbers{0, 1, 4, 9, 16, 25};
  std::array<float, 6> roots{};
  REQUIRE(input->CopyFrom(numbers.data(), sizeof numbers) == arenite::kOk);
  REQUIRE(input->CopyFrom(numbers.data(), 20) == arenite::kError && Has(interpreter->error_text(), "20"));
  REQUIRE(interpreter->error_code() == AR_ERROR_ARGUMENT && reporter.text() == interpreter->error_text());
  REQUIRE(interpreter->Invoke() == arenite::kOk);
  REQUIRE(interpreter->output_tensor(0)->CopyTo(roots.data(), sizeof roots) == arenite::kOk);
  REQUIRE(roots[5] == 5.0f && constant.typed_output_tensor<float>(0)[4] == 4.0f);

  const arenite::Tensor *channels = constant.output_tensor(1);
  REQUIRE(channels->is_constant && constant.typed_output_tensor<int8_t>(1)[1] == -2 && channels->params.scale == 0.5f);
  REQUIRE(channels->Quantization().count == 3 && channels->Quantization().scales[2] == 0.125f);
  REQUIRE(interpreter->output_tensor(1)->CopyFrom(roots.data(), 3) == arenite::kError);
}

// Real numbers in a quantized tensor, and pictures.
void Numbers() {
  const auto interpreter = Built("sqrt");
  REQUIRE(interpreter->AllocateTensors() == arenite::kOk);
  const std::array<float, 6> numbers{0, 1, 4, 9, 16, 25};
  std::array<float, 6> roots{};
  arenite::Tensor *input = interpreter->input_tensor(0);
  REQUIRE(input->Quantize(numbers.data(), 6) == arenite::kOk && input->Quantize(numbers.data(), 5) == arenite::kError);
  REQUIRE(interpreter->Invoke() == arenite::kOk);
  REQUIRE(interpreter->output_tensor(0)->Dequantize(roots.data(), 6) == arenite::kOk && roots[5] == 5.0f);
  REQUIRE(interpreter->output_tensor(1)->Dequantize(roots.data(), 3) == arenite::kOk && roots[1] == -2 * 0.25f);
  REQUIRE(input->SetPicture("no/such/picture.png") == arenite::kError && !interpreter->error_text().empty());
}

// Memory of the program instead of the library's, and memory that is freed.
void Memory() {
  const auto interpreter = Built("sqrt");
  const int x = interpreter->inputs()[0];
  alignas(AR_MEMORY_ALIGNMENT) std::array<float, 6> numbers{0, 1, 4, 9, 16, 25};
  REQUIRE(interpreter->SetCustomAllocationForTensor(x, {numbers.data(), 20}) == arenite::kError);
  REQUIRE(interpreter->SetCustomAllocationForTensor(x, {numbers.data(), sizeof numbers}, 1) == arenite::kError);
  REQUIRE(interpreter->SetCustomAllocationForTensor(99, {numbers.data(), sizeof numbers}) == arenite::kError);
  REQUIRE(interpreter->SetCustomAllocationForTensor(x, {numbers.data(), sizeof numbers}) == arenite::kOk);
  REQUIRE(interpreter->SetNumThreads(1) == arenite::kError);
  REQUIRE(interpreter->AllocateTensors() == arenite::kOk && interpreter->typed_input_tensor<float>(0) == numbers.data());
  REQUIRE(interpreter->Invoke() == arenite::kOk && interpreter->typed_output_tensor<float>(0)[5] == 5.0f);
  REQUIRE(interpreter->ReleaseNonPersistentMemory() == arenite::kOk && interpreter->typed_output_tensor<float>(0) == nullptr);
  REQUIRE(interpreter->Invoke() == arenite::kError && interpreter->AllocateTensors() == arenite::kOk);
  REQUIRE(interpreter->Invoke() == arenite::kOk && interpreter->typed_output_tensor<float>(0)[4] == 4.0f);
}

// After a resize, or after the library's interpreter was rebuilt, existing tensors show the new state.
void Resizing() {
  const auto interpreter = Built("sqrt");
  arenite::Tensor *input = interpreter->input_tensor(0);
  arenite::Tensor *output = interpreter->output_tensor(0);
  REQUIRE(interpreter->ResizeInputTensor(interpreter->inputs()[0], {4, 2}) == arenite::kOk);
  REQUIRE(interpreter->SetNumThreads(1) == arenite::kOk);
  REQUIRE(interpreter->Invoke() == arenite::kError && interpreter->error_code() == AR_ERROR_STATE);
  REQUIRE(interpreter->AllocateTensors() == arenite::kOk);
  REQUIRE(input->dims->data[0] == 4 && output->dims->data[1] == 2 && output->bytes == 32);
  for (int i = 0; i < 8; i++) input->data.f[i] = static_cast<float>(i * i);
  REQUIRE(interpreter->Invoke() == arenite::kOk && output->data.f[7] == 7.0f);

  REQUIRE(interpreter->SetNumThreads(2) == arenite::kError && Has(interpreter->error_text(), "InterpreterBuilder"));
  REQUIRE(interpreter->ResizeInputTensor(interpreter->outputs()[0], {1}) == arenite::kError);
  REQUIRE(interpreter->ResizeInputTensor(-1, {1}) == arenite::kError && Has(interpreter->error_text(), "tensor -1 does not exist"));
  REQUIRE(interpreter->ResizeInputTensor(interpreter->inputs()[0], {-3}) == arenite::kError);
  REQUIRE(interpreter->ResizeInputTensor(interpreter->inputs()[0], {2}) == arenite::kOk);
  REQUIRE(interpreter->Invoke() == arenite::kError);
  REQUIRE(interpreter->AllocateTensors() == arenite::kOk && output->bytes == 8);
  REQUIRE(interpreter->ResetVariableTensors() == arenite::kOk && interpreter->variables().empty() && !input->is_variable);
  REQUIRE(interpreter->ResizeInputTensorStrict(interpreter->inputs()[0], {4, 2}) == arenite::kError);
  REQUIRE(Has(interpreter->error_text(), "dims_signature") && input->dims_signature->size == 0);

  const auto open = Built("signatures");
  arenite::Tensor *any = open->input_tensor(0);
  REQUIRE(open->subgraphs_size() == 2 && any->dims_signature->size == 1 && any->dims_signature->data[0] == -1);
  REQUIRE(open->ResizeInputTensorStrict(open->inputs()[0], {5}) == arenite::kOk);
  REQUIRE(open->ResizeInputTensorStrict(open->inputs()[0], {5, 1}) == arenite::kError);
  REQUIRE(open->ResizeInputTensorStrict(9, {5}) == arenite::kError);
  REQUIRE(open->AllocateTensors() == arenite::kOk && any->dims->data[0] == 5);
}

void Strings() {
  const auto interpreter = Built("strings");
  arenite::Tensor *input = interpreter->input_tensor(0);
  REQUIRE(interpreter->AllocateTensors() == arenite::kOk);
  REQUIRE(input->SetStrings({"only", "two"}) == arenite::kError);
  REQUIRE(input->SetStrings({std::string_view("a\0b", 3), "", "last"}) == arenite::kOk && input->Strings()[0].size() == 3);
  REQUIRE(interpreter->Invoke() == arenite::kOk);
  const std::vector<std::string_view> found = interpreter->output_tensor(0)->Strings();
  REQUIRE(found.size() == 2 && found[0] == "last" && found[1] == std::string_view("a\0b", 3));
  REQUIRE(interpreter->typed_input_tensor<uint8_t>(0) == nullptr);
  REQUIRE(Built("root")->input_tensor(0)->Strings().empty());
}

void Signatures() {
  const auto interpreter = Built("signatures");
  REQUIRE(interpreter->signature_keys().size() == 2 && *interpreter->signature_keys()[1] == "negate");
  REQUIRE(interpreter->GetSignatureRunner("no such key") == nullptr && Has(interpreter->error_text(), "negate"));
  REQUIRE(interpreter->GetSignatureRunner(nullptr) == nullptr);
  arenite::SignatureRunner *runner = interpreter->GetSignatureRunner("negate");
  REQUIRE(runner != nullptr && runner == interpreter->GetSignatureRunner("negate") && runner->signature_key() == "negate");
  REQUIRE(runner->input_size() == 1 && std::strcmp(runner->input_names()[0], "value") == 0);
  REQUIRE(runner->output_size() == 1 && std::strcmp(runner->output_names()[0], "negated") == 0);
  REQUIRE(runner->input_tensor("negated") == nullptr && runner->output_tensor(nullptr) == nullptr);
  REQUIRE(runner->Invoke() == arenite::kError && interpreter->error_code() == AR_ERROR_STATE);
  REQUIRE(runner->ResizeInputTensor("value", {3}) == arenite::kOk);
  REQUIRE(runner->ResizeInputTensor("x", {3}) == arenite::kError);
  REQUIRE(runner->AllocateTensors() == arenite::kOk && runner->Cancel() == arenite::kOk);
  arenite::Tensor *input = runner->input_tensor("value");
  const arenite::Tensor *output = runner->output_tensor("negated");
  for (int i = 0; i < 3; i++) input->Elements<float>()[i] = static_cast<float>(i);
  REQUIRE(runner->Invoke() == arenite::kOk && output->Elements<float>()[2] == -2.0f);
}

// A missing delegate, unknown options, and equal results with reference ops.
void Delegates(const char *plugins) {
  const auto model = Model("root");
  const BuiltinOpResolver resolver;
  std::unique_ptr<Interpreter> interpreter;
  {
    InterpreterBuilder builder(*model, resolver);
    builder.AddDelegate("no such delegate");
    REQUIRE(builder(&interpreter) == arenite::kError && interpreter == nullptr && builder.error_code() == AR_ERROR_NOT_FOUND);
    REQUIRE(Has(builder.error_text(), "no such delegate") && Has(reporter.text(), "cpu"));
    REQUIRE(builder(nullptr) == arenite::kError);
  }
  {
    InterpreterBuilder builder(*model, resolver);
    builder.AddDelegate("no such delegate", {}, arenite::kSkipMissing);
    REQUIRE(builder(&interpreter) == arenite::kOk && interpreter->AllocateTensors() == arenite::kOk);
    REQUIRE(ar_interpreter_left_out_count(interpreter->handle()) == 1);
  }
  {
    InterpreterBuilder builder(*model, resolver);
    builder.AddDelegate("cpu", {{"winograd", "perhaps"}});
    REQUIRE(builder(&interpreter) == arenite::kOk && interpreter->AllocateTensors() == arenite::kError);
    REQUIRE(Has(interpreter->error_text(), "perhaps"));
  }
  InterpreterOptions options;
  options.AddDelegate("cpu", {{"winograd", "false"}});
  options.SetPlanner("naive");
  options.AddPluginDir(plugins);
  REQUIRE(InterpreterBuilder(*model, resolver, &options)(&interpreter) == arenite::kOk);
  REQUIRE(ar_interpreter_failure_count(interpreter->handle()) == 1);
  const BuiltinOpResolverWithoutDefaultDelegates references;
  REQUIRE(InterpreterBuilder(*model, references)(&interpreter) == arenite::kOk);
  REQUIRE(interpreter->AllocateTensors() == arenite::kOk);
  *interpreter->typed_input_tensor<float>(0) = 4.0f;
  REQUIRE(interpreter->Invoke() == arenite::kOk && *interpreter->typed_output_tensor<float>(0) == 2.0f);
}

// The first invalid setting fails the build with its message.
void Options() {
  struct Case {
    void (*set)(InterpreterOptions &);
    ArErrorCode code;
    const char *text;
  };
  const Case cases[] = {
      {[](InterpreterOptions &o) { o.SetConfigFile("no/such/file.toml"); }, AR_ERROR_IO, "no/such/file.toml"},
      {[](InterpreterOptions &o) { o.SetConfigText("schema = 2\n"); }, AR_ERROR_CONFIG, "schema"},
      {[](InterpreterOptions &o) { o.SetPlanner("no such planner"); }, AR_ERROR_NOT_FOUND, "no such planner"},
      {[](InterpreterOptions &o) { o.SetQuotaNodes(0); }, AR_ERROR_QUOTA, "node"},
      {[](InterpreterOptions &o) { o.AddOp(ArOpV1{}); }, AR_ERROR_ARGUMENT, ""},
      {[](InterpreterOptions &o) { o.AddPlanner(ArPlannerV1{}); }, AR_ERROR_ARGUMENT, ""},
      {[](InterpreterOptions &o) { o.AddDelegate(ArDelegateV1{}); }, AR_ERROR_ARGUMENT, ""},
      {[](InterpreterOptions &o) { o.Set([](ArOptions *) { return ar_options_set_threads(nullptr, 1); }); }, AR_ERROR_ARGUMENT, "null"},
  };
  const auto model = Model("root");
  for (const Case &one : cases) {
    InterpreterOptions options;
    one.set(options);
    std::unique_ptr<Interpreter> interpreter;
    InterpreterBuilder builder(*model, BuiltinOpResolver(), &options);
    REQUIRE(builder(&interpreter) == arenite::kError && interpreter == nullptr);
    REQUIRE(builder.error_code() == one.code && Has(builder.error_text(), one.text));
  }
  InterpreterOptions options;
  options.SetConfigText("schema = 1\n");
  options.SetNumThreads(-1);
  options.SetNumThreads(0);
  options.SetQuotaBytes(1 << 20);
  options.SetQuotaDepth(4);
  options.SetQuotaCalls(100);
  options.SetTimeLimit(std::chrono::seconds(60));
  options.AddPluginFile("/no/such/plugin.so");
  const auto interpreter = Built("root", &options);
  REQUIRE(ar_interpreter_failure_count(interpreter->handle()) == 1);
}

// An op of the program: y = factor * x, with the factor as its data.
struct Factor {
  float value;
  bool *freed;
  Factor(float factor, bool *flag) : value(factor), freed(flag) {}
  Factor(const Factor &) = delete;
  Factor &operator=(const Factor &) = delete;
  ~Factor() { *freed = true; }
};

const ArTensorV1 *TensorOf(const ArNodeV1 *node, int32_t index) {
  const char *first = reinterpret_cast<const char *>(node->tensors);
  return reinterpret_cast<const ArTensorV1 *>(first + static_cast<size_t>(index) * node->tensor_stride);
}

ArOpV1 ScaleOp() {
  ArOpV1 op{};
  op.header = AR_HEADER(ArOpV1);
  op.builtin_code = AR_BUILTIN_CUSTOM;
  op.min_version = op.max_version = 1;
  op.flags = AR_OP_USER_DATA;
  op.custom_name = AR_LITERAL("NoSuchOp");
  op.state_size = sizeof(void *);
  op.state_align = alignof(void *);
  op.prepare = [](const ArPrepareV1 *prepare, const ArNodeV1 *node, void *) -> ArStatus {
    const ArTensorV1 *x = TensorOf(node, node->inputs[0]);
    return prepare->set_output_shape(prepare->context, 0, x->dims, x->rank);
  };
  op.eval = [](const ArEvalV1 *, const ArNodeV1 *node, void *state) -> ArStatus {
    const float factor = (*static_cast<const Factor *const *>(state))->value;
    const ArTensorV1 *y = TensorOf(node, node->outputs[0]);
    *static_cast<float *>(y->data) = factor * *static_cast<const float *>(TensorOf(node, node->inputs[0])->data);
    return AR_STATUS_OK;
  };
  return op;
}

void OwnOps() {
  const auto model = Model("custom");
  std::unique_ptr<Interpreter> interpreter;
  REQUIRE(InterpreterBuilder(*model, BuiltinOpResolver())(&interpreter) == arenite::kOk);
  REQUIRE(interpreter->AllocateTensors() == arenite::kUnresolvedOps && Has(interpreter->error_text(), "NoSuchOp"));
  bool freed = false;
  {
    BuiltinOpResolver resolver;
    resolver.AddOp(ScaleOp(), std::make_shared<Factor>(2.5f, &freed));
    REQUIRE(InterpreterBuilder(*model, resolver)(&interpreter) == arenite::kOk);
  }
  REQUIRE(interpreter->AllocateTensors() == arenite::kOk);
  *interpreter->typed_input_tensor<float>(0) = 4.0f;
  REQUIRE(interpreter->Invoke() == arenite::kOk && *interpreter->typed_output_tensor<float>(0) == 10.0f && !freed);
  interpreter.reset();
  REQUIRE(freed);
}

void Cancelling() {
  InterpreterOptions options;
  options.SetNumThreads(1);
  const auto interpreter = Built("long", &options);
  REQUIRE(interpreter->AllocateTensors() == arenite::kOk);
  std::memset(interpreter->input_tensor(0)->data.raw, 0, interpreter->input_tensor(0)->bytes);
  arenite::Status status = arenite::kOk;
  std::atomic<bool> over{false};
  std::thread other([&] {
    status = interpreter->Invoke();
    over = true;
  });
  while (!over) {  // A Cancel before Invoke starts has no effect.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(interpreter->Cancel() == arenite::kOk);
  }
  other.join();
  REQUIRE(status == arenite::kCancelled && interpreter->error_code() == AR_ERROR_CANCELLED);
}

}  // namespace

int main(int argc, char **argv) {
  REQUIRE(argc == 3);
  folder = argv[1];
  Models();
  Tensors();
  Numbers();
  Memory();
  Resizing();
  Strings();
  Signatures();
  Delegates(argv[2]);
  Options();
  OwnOps();
  Cancelling();
  return 0;
}
