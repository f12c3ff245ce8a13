// port MODEL [IN OUT]...: written for TensorFlow Lite's headers. The test changes only the includes and the namespace.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "tensorflow/lite/interpreter.h"
#include "tensorflow/lite/kernels/register.h"
#include "tensorflow/lite/model.h"
#include "tensorflow/lite/optional_debug_tools.h"

using tflite::Interpreter;

#define CHECK(condition)                                                  \
  if (!(condition)) {                                                     \
    std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);  \
    std::exit(1);                                                         \
  }

static void Transfer(const char *path, const char *mode, void *data, size_t bytes) {
  FILE *file = std::fopen(path, mode);
  CHECK(file != nullptr);
  CHECK((*mode == 'r' ? std::fread(data, 1, bytes, file) : std::fwrite(data, 1, bytes, file)) == bytes);
  std::fclose(file);
}

// The data of a tensor by its type, as a program for several models would get it.
static void *DataOf(TfLiteTensor *tensor) {
  switch (tensor->type) {
    case kTfLiteFloat32: return tensor->data.f;
    case kTfLiteInt8: return tensor->data.int8;
    default: return nullptr;
  }
}

static void RunMain(Interpreter *interpreter, int argc, char **argv) {
  TfLiteTensor *input = interpreter->tensor(interpreter->inputs()[0]);
  for (int i = 2; i + 1 < argc; i += 2) {
    Transfer(argv[i], "rb", DataOf(input), input->bytes);
    CHECK(interpreter->Invoke() == kTfLiteOk);
    TfLiteTensor *output = interpreter->output_tensor(0);
    CHECK(output->dims->size == 2 && output->dims->data[0] == 1 && output->dims->data[1] == 10);
    Transfer(argv[i + 1], "wb", DataOf(output), output->bytes);
  }
}

// The signature gives the same result.
static void RunSignature(Interpreter *interpreter) {
  const std::vector<const std::string *> keys = interpreter->signature_keys();
  CHECK(keys.size() == 1);
  tflite::SignatureRunner *runner = interpreter->GetSignatureRunner(keys[0]->c_str());
  CHECK(runner != nullptr && runner->input_size() == 1 && runner->output_size() == 1);
  CHECK(runner->AllocateTensors() == kTfLiteOk);
  TfLiteTensor *input = runner->input_tensor(runner->input_names()[0]);
  std::memset(input->data.raw, 0, input->bytes);
  CHECK(runner->Invoke() == kTfLiteOk);
  CHECK(runner->output_tensor(runner->output_names()[0])->data.raw_const != nullptr);
  CHECK(runner->output_tensor("no such output") == nullptr);
}

int main(int argc, char *argv[]) {
  CHECK(argc >= 2);
  std::unique_ptr<tflite::FlatBufferModel> model = tflite::FlatBufferModel::BuildFromFile(argv[1]);
  CHECK(model != nullptr);

  tflite::ops::builtin::BuiltinOpResolver resolver;
  std::unique_ptr<Interpreter> interpreter;
  tflite::InterpreterBuilder builder(*model, resolver);
  builder.SetNumThreads(1);
  CHECK(builder(&interpreter) == kTfLiteOk);
  CHECK(interpreter != nullptr);
  CHECK(interpreter->SetNumThreads(2) == kTfLiteOk);
  CHECK(interpreter->AllocateTensors() == kTfLiteOk);
  tflite::PrintInterpreterState(interpreter.get());

  const bool real = interpreter->input_tensor(0)->type == kTfLiteFloat32;
  CHECK((interpreter->typed_input_tensor<float>(0) != nullptr) == real);
  CHECK((interpreter->typed_input_tensor<int8_t>(0) != nullptr) != real);
  CHECK((interpreter->tensor(interpreter->outputs()[0])->params.scale != 0.0f) != real);

  RunMain(interpreter.get(), argc, argv);
  RunSignature(interpreter.get());
  return 0;
}
