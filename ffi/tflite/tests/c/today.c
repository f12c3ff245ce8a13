/* Functions of c_api.h and c_api_experimental.h that TensorFlow Lite's library of 2022 lacks: wrong states, null
 * pointers, wrong sizes and wrong orders of calls. */
#include "today.h"

#include "cases.h"
#include "interpreters.h"

static void say_floats(const TfLiteTensor *tensor) {
  size_t i;
  for (i = 0; i < TfLiteTensorByteSize(tensor) / sizeof(float); i++) {
    SAY("%g", (double)((const float *)TfLiteTensorData(tensor))[i]);
  }
}

static void count_errors(void *user_data, const char *format, va_list arguments) {
  char text[1024];
  *(int *)user_data += vsnprintf(text, sizeof text, format, arguments) > 0;
}

static const float NINE[] = {1, 4, 9, 16};

static void versions(void) { SAY("%s %s %d", TfLiteVersion(), TfLiteExtensionApisVersion(), TfLiteSchemaVersion()); }

static void model_errors(void) {
  int errors = 0;
  SAY("%d", TfLiteModelCreateWithErrorReporter("none", 4, count_errors, &errors) == NULL);
  SAY("%d", errors);
  SAY("%d", TfLiteModelCreateFromFileWithErrorReporter(in_folder("none"), count_errors, &errors) == NULL);
  SAY("%d", errors);
  SAY("%d", TfLiteModelCreateFromFileWithErrorReporter(NULL, count_errors, &errors) == NULL);
  SAY("%d", errors);
  SAY("%d", TfLiteModelCreateFromFileWithErrorReporter(in_folder("sqrt.tflite"), count_errors, &errors) != NULL);
  SAY("%d", errors);
}

static void options_copied(void) {
  int errors = 0;
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate(), *copy;
  TfLiteInterpreterOptionsSetErrorReporter(options, count_errors, &errors);
  copy = TfLiteInterpreterOptionsCopy(options);
  TfLiteInterpreterOptionsDelete(options);
  SAY("%d", TfLiteInterpreterInvoke(TfLiteInterpreterCreate(model, copy)));
  SAY("%d", errors > 0);
  SAY("%d", TfLiteInterpreterOptionsCopy(NULL) == NULL);
}

static void tensor_indices(void) {
  TfLiteInterpreter *interpreter = allocated("add_constant.tflite");
  SAY("%d %d", TfLiteInterpreterInputTensorIndices(interpreter)[0], TfLiteInterpreterOutputTensorIndices(interpreter)[0]);
  SAY("%d", TfLiteInterpreterGetTensor(interpreter, 0) == TfLiteInterpreterGetInputTensor(interpreter, 0));
  SAY("%s %d", TfLiteTensorName(TfLiteInterpreterGetTensor(interpreter, 1)),
      TfLiteInterpreterGetTensor(interpreter, 1)->allocation_type);
  say_floats(TfLiteInterpreterGetTensor(interpreter, 1));
  SAY("%d %d", TfLiteInterpreterGetTensor(interpreter, -1) == NULL, TfLiteInterpreterGetTensor(interpreter, 3) == NULL);
  SAY("%d", TfLiteInterpreterInputTensorIndices(NULL) == NULL);
}

static void constants_cannot_be_written(void) {
  SAY("%d", TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetTensor(allocated("add_constant.tflite"), 1), NINE, 16));
}

static void positions_out_of_range(void) {
  static const int dims[] = {2};
  TfLiteInterpreter *interpreter = made("sqrt.tflite");
  SAY("%d %d", TfLiteInterpreterGetInputTensor(interpreter, -1) == NULL,
      TfLiteInterpreterGetInputTensor(interpreter, 1) == NULL);
  SAY("%d", TfLiteInterpreterGetOutputTensor(interpreter, 7) == NULL);
  SAY("%d %d", TfLiteInterpreterGetInputTensorIndex(interpreter, 5), TfLiteInterpreterGetOutputTensorIndex(interpreter, -1));
  SAY("%d", TfLiteInterpreterResizeInputTensor(interpreter, 3, dims, 1));
  SAY("%d", TfLiteTensorDim(TfLiteInterpreterGetInputTensor(interpreter, 0), 9));
  SAY("%d", TfLiteIntArrayCreate(-1) == NULL);
}

static void cancellation(void) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  SAY("%d", TfLiteInterpreterOptionsEnableCancellation(options, true));
  SAY("%d", TfLiteInterpreterOptionsEnableCancellation(NULL, true));
  interpreter = TfLiteInterpreterCreate(model, options);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterCancel(interpreter));
  SAY("%d", TfLiteInterpreterInvoke(interpreter)); /* cancelling has no effect on later invocations */
  SAY("%d %d", TfLiteInterpreterCancel(made("sqrt.tflite")), TfLiteInterpreterCancel(NULL));
}

static void signatures(void) {
  TfLiteInterpreter *interpreter = made("signatures.tflite");
  TfLiteSignatureRunner *runner;
  static const int dims[] = {2, 2};
  SAY("%d", TfLiteInterpreterGetSignatureCount(interpreter));
  SAY("%s %s", TfLiteInterpreterGetSignatureKey(interpreter, 0), TfLiteInterpreterGetSignatureKey(interpreter, 1));
  SAY("%d %d", TfLiteInterpreterGetSignatureKey(interpreter, 2) == NULL,
      TfLiteInterpreterGetSignatureKey(interpreter, -1) == NULL);
  runner = TfLiteInterpreterGetSignatureRunner(interpreter, "negate");
  SAY("%d %s", (int)TfLiteSignatureRunnerGetInputCount(runner), TfLiteSignatureRunnerGetInputName(runner, 0));
  SAY("%d %s", (int)TfLiteSignatureRunnerGetOutputCount(runner), TfLiteSignatureRunnerGetOutputName(runner, 0));
  SAY("%d %d", TfLiteSignatureRunnerGetInputName(runner, 1) == NULL, TfLiteSignatureRunnerGetOutputName(runner, -1) == NULL);
  SAY("%d", TfLiteSignatureRunnerInvoke(runner));
  SAY("%d", TfLiteSignatureRunnerResizeInputTensor(runner, "value", dims, 2));
  SAY("%d", TfLiteSignatureRunnerAllocateTensors(runner));
  SAY("%d", TfLiteTensorCopyFromBuffer(TfLiteSignatureRunnerGetInputTensor(runner, "value"), NINE, sizeof NINE));
  SAY("%d", TfLiteSignatureRunnerInvoke(runner));
  say_floats(TfLiteSignatureRunnerGetOutputTensor(runner, "negated"));
  TfLiteInterpreterDelete(interpreter);
  SAY("%d", TfLiteSignatureRunnerInvoke(runner)); /* the runner keeps the interpreter's state alive */
  TfLiteSignatureRunnerDelete(runner);
}

static void signatures_misused(void) {
  TfLiteInterpreter *interpreter = made("signatures.tflite");
  TfLiteSignatureRunner *runner = TfLiteInterpreterGetSignatureRunner(interpreter, "root");
  static const int wrong[] = {1, 3}, rank[] = {2};
  SAY("%d", TfLiteInterpreterGetSignatureRunner(interpreter, "none") == NULL);
  SAY("%d", TfLiteSignatureRunnerGetInputTensor(runner, "none") == NULL);
  SAY("%d", TfLiteSignatureRunnerGetInputTensor(runner, NULL) == NULL);
  SAY("%d", TfLiteSignatureRunnerGetOutputTensor(runner, "x") == NULL);
  SAY("%d", TfLiteSignatureRunnerResizeInputTensor(runner, "none", wrong, 2));
  SAY("%d", TfLiteSignatureRunnerResizeInputTensor(runner, "x", wrong, 2));
  SAY("%d", TfLiteSignatureRunnerResizeInputTensor(runner, "x", rank, 1));
  SAY("%d", TfLiteSignatureRunnerResizeInputTensor(runner, "x", NULL, 2));
  SAY("%d", TfLiteSignatureRunnerCancel(runner));
}

static void signatures_of_null(void) {
  SAY("%d", TfLiteInterpreterGetSignatureCount(NULL));
  SAY("%d", TfLiteInterpreterGetSignatureRunner(NULL, "x") == NULL);
  SAY("%d %d", (int)TfLiteSignatureRunnerGetInputCount(NULL), (int)TfLiteSignatureRunnerGetOutputCount(NULL));
  SAY("%d %d", TfLiteSignatureRunnerAllocateTensors(NULL), TfLiteSignatureRunnerInvoke(NULL));
  SAY("%d", TfLiteSignatureRunnerGetInputTensor(NULL, "x") == NULL);
  TfLiteSignatureRunnerDelete(NULL);
}

/* Without a key, a runner uses the signature of the main subgraph or, in a model without signatures, the tensors'
 * own names. */
static void signatures_without_key(void) {
  TfLiteSignatureRunner *runner = TfLiteInterpreterGetSignatureRunner(made("signatures.tflite"), NULL);
  SAY("%s", TfLiteSignatureRunnerGetInputName(runner, 0));
  runner = TfLiteInterpreterGetSignatureRunner(made("add_constant.tflite"), NULL);
  SAY("%s %s", TfLiteSignatureRunnerGetInputName(runner, 0), TfLiteSignatureRunnerGetOutputName(runner, 0));
  SAY("%d", TfLiteInterpreterGetSignatureRunner(made("add_constant.tflite"), "x") == NULL);
}

static void *aligned(size_t bytes) {
  void *data = NULL;
  if (posix_memalign(&data, 64, bytes) != 0) {
    abort();
  }
  memset(data, 0, bytes);
  return data;
}

static void custom_allocations(void) {
  TfLiteInterpreter *interpreter = made("sqrt.tflite");
  TfLiteCustomAllocation in = {aligned(64), 64}, out = {aligned(64), 64}, other = {aligned(64), 64};
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 0, &in, 0));
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 1, &out, 0));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteTensorData(TfLiteInterpreterGetInputTensor(interpreter, 0)) == in.data);
  SAY("%d", TfLiteInterpreterGetInputTensor(interpreter, 0)->allocation_type);
  memcpy(in.data, NINE, sizeof NINE);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%g %g", (double)((float *)out.data)[0], (double)((float *)out.data)[3]);
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 1, &other, 0));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%g", (double)((float *)other.data)[3]);
}

static void custom_allocations_misused(void) {
  TfLiteInterpreter *interpreter = made("add_constant.tflite");
  char *data = aligned(128);
  TfLiteCustomAllocation good = {data, 64}, small = {data, 8}, skewed = {data + 4, 64}, null = {NULL, 64};
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 0, NULL, 0));
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(NULL, 0, &good, 0));
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 0, &null, 0));
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 0, &skewed, 0));
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 99, &good, 0));
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(interpreter, -1, &good, 0));
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 1, &good, 0)); /* a constant */
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 0, &small, 0));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 0, &good, 0));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
}

static void buffer_handles(void) {
  TfLiteInterpreter *interpreter = allocated("sqrt.tflite");
  TfLiteBufferHandle handle = 5;
  TfLiteDelegate *delegate = (TfLiteDelegate *)&handle;
  SAY("%d", TfLiteInterpreterSetBufferHandle(interpreter, TfLiteInterpreterGetTensor(interpreter, 0), 1, NULL));
  SAY("%d", TfLiteInterpreterGetBufferHandle(interpreter, 0, &handle, &delegate));
  SAY("%d %d", handle, delegate == NULL);
  SAY("%d", TfLiteInterpreterGetBufferHandle(interpreter, 9, &handle, &delegate));
  SAY("%d %d", TfLiteInterpreterEnsureTensorDataIsReadable(interpreter, 0),
      TfLiteInterpreterEnsureTensorDataIsReadable(interpreter, 9));
}

static int prepared;

static TfLiteStatus count(TfLiteOpaqueContext *context, TfLiteDelegate *delegate, void *data) {
  (void)context;
  (void)delegate;
  (void)data;
  prepared++;
  return kTfLiteOk;
}

/* TensorFlow Lite refuses a delegate without kTfLiteDelegateFlagsAllowDynamicTensors for this model. Here it is not
 * asked about a node whose result has an unknown shape. */
static void delegate_for_fixed_shapes(void) {
  static const bool values[] = {true, false, true, false};
  TfLiteOpaqueDelegateBuilder builder;
  TfLiteDelegate *delegate;
  TfLiteInterpreter *interpreter;
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("where.tflite"));
  memset(&builder, 0, sizeof builder);
  builder.Prepare = count;
  delegate = TfLiteOpaqueDelegateCreate(&builder);
  TfLiteInterpreterOptionsAddDelegate(options, delegate);
  interpreter = TfLiteInterpreterCreate(model, options);
  SAY("%d %d", interpreter != NULL, TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), values, sizeof values));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d %d", prepared > 0, TfLiteTensorDim(TfLiteInterpreterGetOutputTensor(interpreter, 0), 0));
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteOpaqueDelegateDelete(delegate);
  TfLiteModelDelete(model);
}

static void strings(void) {
  static const char *const texts[] = {"one", "", "three and more"};
  static const int lengths[] = {3, 0, 14};
  const char *text = NULL;
  int length = 0;
  TfLiteInterpreter *interpreter = allocated("strings.tflite");
  TfLiteOpaqueTensor *input = (TfLiteOpaqueTensor *)TfLiteInterpreterGetInputTensor(interpreter, 0);
  const TfLiteOpaqueTensor *output = (const TfLiteOpaqueTensor *)TfLiteInterpreterGetOutputTensor(interpreter, 0);
  SAY("%d %d", TfLiteOpaqueTensorType(input), TfLiteOpaqueTensorGetAllocationType(input));
  SAY("%d", TfLiteOpaqueTensorWriteStrings(input, texts, 3, lengths));
  SAY("%d", TfLiteOpaqueTensorGetStringCount(input));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", TfLiteOpaqueTensorGetStringCount(output));
  SAY("%d", TfLiteOpaqueTensorGetString(output, 0, &text, &length));
  SAY("%.*s", length, text);
  SAY("%d", TfLiteOpaqueTensorGetString(output, 1, &text, &length));
  SAY("%.*s", length, text);
  SAY("%d", TfLiteOpaqueTensorGetString(output, 2, &text, &length));
  SAY("%d", TfLiteOpaqueTensorWriteString(NULL, "x", 1));
}

static void invalid_packed_strings(void) {
  TfLiteInterpreter *interpreter = allocated("strings.tflite");
  TfLiteTensor *input = TfLiteInterpreterGetInputTensor(interpreter, 0);
  SAY("%d", TfLiteTensorRealloc(12, input));
  memset(input->data.raw, 0x7F, 12);
  SAY("%d", TfLiteOpaqueTensorGetStringCount((TfLiteOpaqueTensor *)input));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
}

static void arrays(void) {
  TfLiteFloatArray *a = TfLiteFloatArrayCreate(2), *b;
  TfLiteTensor tensor;
  a->data[1] = 5;
  b = TfLiteFloatArrayCopy(a);
  SAY("%d %g %d", b->size, (double)b->data[1], TfLiteFloatArrayCopy(NULL) == NULL);
  memset(&tensor, 0, sizeof tensor);
  tensor.allocation_type = kTfLiteDynamic;
  SAY("%d %d", TfLiteTensorResizeMaybeCopy(8, &tensor, false), (int)tensor.bytes);
  SAY("%d", TfLiteTensorResizeMaybeCopy(8, NULL, false));
  SAY("%d", TfLiteTensorResizeMaybeCopy(SIZE_MAX, &tensor, true));
  SAY("%d %d", TfLiteTensorGetDimsSignature(&tensor) == NULL, TfLiteTensorGetAllocationStrategy(&tensor));
  TfLiteTensorFree(&tensor);
}


/* A reporter that calls the interpreter whose error it receives. */
static TfLiteInterpreter *told_of;

static void call_back(void *user_data, const char *format, va_list arguments) {
  (void)format;
  (void)arguments;
  *(int *)user_data = TfLiteInterpreterAllocateTensors(told_of);
}

static void reporter_calls_the_interpreter(void) {
  int status = -1;
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsSetErrorReporter(options, call_back, &status);
  told_of = TfLiteInterpreterCreate(model, options);
  SAY("%d", TfLiteInterpreterInvoke(told_of));
  SAY("%d", status);
}

int main(int argc, char **argv) {
#define CASE(name) {#name, name}
  static const Case cases[] = {
      CASE(versions), CASE(model_errors), CASE(options_copied), CASE(tensor_indices), CASE(constants_cannot_be_written),
      CASE(positions_out_of_range), CASE(cancellation), CASE(signatures), CASE(signatures_misused), CASE(signatures_of_null),
      CASE(signatures_without_key), CASE(custom_allocations), CASE(custom_allocations_misused), CASE(buffer_handles),
      CASE(delegate_for_fixed_shapes), CASE(strings), CASE(invalid_packed_strings), CASE(arrays), CASE(reporter_calls_the_interpreter),
  };
  return run_cases(cases, sizeof cases / sizeof *cases, argc, argv);
}
