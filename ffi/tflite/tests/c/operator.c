/* Custom ops registered with TfLiteOperator. They access their node through the functions of c_api_opaque.h. */
#include "today.h"

#include "cases.h"

static int inits, invokes, frees;

static float float_at(const TfLiteOpaqueTensor *tensor, int i) { return ((const float *)TfLiteOpaqueTensorData(tensor))[i]; }

/* y is x, repeated as often as the first byte of the options says. User data is a factor. */
static void *own_init(TfLiteOpaqueContext *context, const char *buffer, size_t length) {
  int *times = malloc(sizeof *times);
  (void)context;
  inits++;
  *times = length > 0 ? buffer[0] - '0' : 1;
  return times;
}

static void *own_init_with_data(void *user_data, TfLiteOpaqueContext *context, const char *buffer, size_t length) {
  SAY("init(%g)", (double)*(float *)user_data);
  return own_init(context, buffer, length);
}

static void own_free(TfLiteOpaqueContext *context, void *data) {
  (void)context;
  frees++;
  free(data);
}

static void own_free_with_data(void *user_data, TfLiteOpaqueContext *context, void *data) {
  SAY("free(%g)", (double)*(float *)user_data);
  own_free(context, data);
}

static TfLiteStatus own_prepare(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  const TfLiteOpaqueTensor *x = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteIntArray *dims = TfLiteIntArrayCreate(1);
  dims->data[0] = TfLiteOpaqueTensorDim(x, 0) * *(int *)TfLiteOpaqueNodeGetUserData(node);
  return TfLiteOpaqueContextResizeTensor(context, TfLiteOpaqueNodeGetOutput(context, node, 0), dims);
}

static TfLiteStatus own_prepare_with_data(void *user_data, TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  return user_data != NULL ? own_prepare(context, node) : kTfLiteError;
}

static TfLiteStatus own_invoke_with_data(void *user_data, TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  const TfLiteOpaqueTensor *x = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor *y = TfLiteOpaqueNodeGetOutput(context, node, 0);
  float factor = user_data ? *(float *)user_data : 1;
  int i, count = TfLiteOpaqueTensorDim(y, 0);
  invokes++;
  for (i = 0; i < count; i++) {
    ((float *)TfLiteOpaqueTensorData(y))[i] = factor * float_at(x, i % TfLiteOpaqueTensorDim(x, 0));
  }
  return kTfLiteOk;
}

static TfLiteStatus own_invoke(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  return own_invoke_with_data(NULL, context, node);
}

static TfLiteOperator *plain(void) {
  TfLiteOperator *op = TfLiteOperatorCreate(kTfLiteBuiltinCustom, "Own", 1, NULL);
  TfLiteOperatorSetInit(op, own_init);
  TfLiteOperatorSetFree(op, own_free);
  TfLiteOperatorSetPrepare(op, own_prepare);
  TfLiteOperatorSetInvoke(op, own_invoke);
  return op;
}

static int told, ranks_refused;

static void tell(void *user_data, const char *format, va_list arguments) {
  char text[2048];
  (void)user_data;
  vsnprintf(text, sizeof text, format, arguments);
  ranks_refused += strstr(text, "a shape has 1000 dimensions; at most 8 are supported") != NULL && strlen(text) < 300;
  told += strstr(text, "failure of 7, 1.5 and word") != NULL || strlen(text) >= 1000;
}

static TfLiteInterpreter *made_of(const char *name, TfLiteOperator *op) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder(name));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  TfLiteInterpreterOptionsSetErrorReporter(options, tell, NULL);
  TfLiteInterpreterOptionsAddOperator(options, op);
  interpreter = TfLiteInterpreterCreate(model, options);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
  return interpreter;
}

static void run(TfLiteInterpreter *interpreter) {
  float data[] = {1, 2, 3, 4};
  const TfLiteTensor *output = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  TfLiteStatus status;
  int i;
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), data, sizeof data));
  status = TfLiteInterpreterInvoke(interpreter);
  SAY("%d", status);
  for (i = 0; i < TfLiteTensorDim(output, 0) && status == kTfLiteOk; i++) {
    SAY("%g", (double)((const float *)TfLiteTensorData(output))[i]);
  }
}

static void op(void) {
  TfLiteOperator *own = plain();
  TfLiteInterpreter *interpreter = made_of("grow.tflite", own);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
  TfLiteOperatorDelete(own);
  SAY("%d %d %d", inits, invokes, frees);
}

static void op_with_user_data(void) {
  static float factor = 2.5f;
  TfLiteOperator *own = TfLiteOperatorCreate(kTfLiteBuiltinCustom, "Own", 1, &factor);
  TfLiteInterpreter *interpreter;
  SAY("%d", TfLiteOperatorSetInitWithData(own, own_init_with_data));
  SAY("%d", TfLiteOperatorSetFreeWithData(own, own_free_with_data));
  SAY("%d", TfLiteOperatorSetPrepareWithData(own, own_prepare_with_data));
  SAY("%d", TfLiteOperatorSetInvokeWithData(own, own_invoke_with_data));
  TfLiteOperatorSetInplaceOperator(own, 1);
  interpreter = made_of("custom.tflite", own);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
  TfLiteOperatorDelete(own);
}

static void op_deleted_before_interpreter(void) {
  TfLiteOperator *own = plain();
  TfLiteInterpreter *interpreter = made_of("custom.tflite", own);
  TfLiteOperatorDelete(own);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
  SAY("%d", frees);
}

static void op_getters(void) {
  static const char name[] = "Own";
  int data = 0;
  TfLiteOperator *own = TfLiteOperatorCreate(kTfLiteBuiltinCustom, name, 3, &data);
  SAY("%d %d %d", TfLiteOperatorGetBuiltInCode(own), TfLiteOperatorGetCustomName(own) == name,
      TfLiteOperatorGetVersion(own));
  SAY("%d", TfLiteOperatorGetUserData(own) == &data);
  TfLiteOperatorDelete(own);
  own = TfLiteOperatorCreate(0, NULL, 1, NULL);
  SAY("%d %d", TfLiteOperatorGetBuiltInCode(own), TfLiteOperatorGetCustomName(own) == NULL);
  TfLiteOperatorDelete(own);
}

static void op_is_null(void) {
  SAY("%d %d %d", TfLiteOperatorGetVersion(NULL), TfLiteOperatorGetUserData(NULL) == NULL,
      TfLiteOperatorGetCustomName(NULL) == NULL);
  SAY("%d", TfLiteOperatorSetInvokeWithData(NULL, own_invoke_with_data));
  TfLiteOperatorSetInvoke(NULL, own_invoke);
  TfLiteOperatorDelete(NULL);
  TfLiteInterpreterOptionsAddOperator(NULL, NULL);
  SAY("%d", made_of("custom.tflite", NULL) != NULL);
}

static void op_without_functions(void) {
  TfLiteOperator *own = TfLiteOperatorCreate(kTfLiteBuiltinCustom, "Own", 1, NULL);
  run(made_of("custom.tflite", own));
}

static void report(TfLiteOpaqueContext *context, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  TfLiteOpaqueContextReportErrorVa(context, format, arguments);
  va_end(arguments);
}

static TfLiteStatus fail(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  char many[1100];
  (void)node;
  memset(many, 'm', sizeof many - 1);
  many[sizeof many - 1] = 0;
  TfLiteOpaqueContextReportError(context, "failure of %d, %g and %s", 7, 1.5, "word");
  report(context, "failure of %d, %g and %s", 7, 1.5, "word");
  TfLiteOpaqueContextReportError(context, "%s", many);
  TfLiteOpaqueContextReportError(NULL, "nobody");
  return kTfLiteError;
}

static void op_fails(void) {
  TfLiteOperator *own = plain();
  TfLiteInterpreter *interpreter;
  TfLiteOperatorSetInvoke(own, fail);
  interpreter = made_of("custom.tflite", own);
  run(interpreter);
  SAY("%d", told);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", told);
}

static TfLiteStatus cancel(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  (void)context;
  (void)node;
  return kTfLiteCancelled;
}

static void op_is_cancelled(void) {
  TfLiteOperator *own = plain();
  TfLiteOperatorSetInvoke(own, cancel);
  run(made_of("custom.tflite", own));
}

static TfLiteInterpreter *cancelled;

static TfLiteStatus cancel_all(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  if (TfLiteInterpreterCancel(cancelled) != kTfLiteOk) {
    return kTfLiteError;
  }
  return own_invoke(context, node);
}

/* Cancelling during an invocation stops it before the next node. Later invocations run. */
static void op_cancels_its_interpreter(void) {
  TfLiteOperator *own = plain();
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("custom.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteOperatorSetInvoke(own, cancel_all);
  TfLiteInterpreterOptionsAddOperator(options, own);
  SAY("%d", TfLiteInterpreterOptionsEnableCancellation(options, true));
  cancelled = TfLiteInterpreterCreate(model, options);
  run(cancelled);
}

static void *no_init(TfLiteOpaqueContext *context, const char *buffer, size_t length) {
  (void)context;
  (void)buffer;
  (void)length;
  return (void *)-1; /* TfLiteKernelInitFailed() */
}

static void op_init_fails(void) {
  TfLiteOperator *own = plain();
  TfLiteOperatorSetInit(own, no_init);
  SAY("%d", made_of("custom.tflite", own) == NULL);
}

static TfLiteStatus wrong_shape(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  TfLiteIntArray *dims = TfLiteIntArrayCreate(1);
  dims->data[0] = -4;
  return TfLiteOpaqueContextResizeTensor(context, TfLiteOpaqueNodeGetOutput(context, node, 0), dims);
}

static void op_sets_negative_shape(void) {
  TfLiteOperator *own = plain();
  TfLiteOperatorSetPrepare(own, wrong_shape);
  run(made_of("custom.tflite", own));
}

static TfLiteStatus too_many_dimensions(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  TfLiteIntArray *dims = TfLiteIntArrayCreate(1000);
  int i;
  for (i = 0; i < dims->size; i++) {
    dims->data[i] = 1;
  }
  return TfLiteOpaqueContextResizeTensor(context, TfLiteOpaqueNodeGetOutput(context, node, 0), dims);
}

/* The error is one short line. */
static void op_sets_too_many_dimensions(void) {
  TfLiteOperator *own = plain();
  TfLiteOperatorSetPrepare(own, too_many_dimensions);
  run(made_of("custom.tflite", own));
  SAY("%d", ranks_refused);
}

/* Calls every function that reads a node, a tensor or the context. */
static TfLiteStatus look(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  const int *numbers = NULL;
  const void *options = NULL;
  const char *metadata = NULL;
  size_t bytes = 0;
  int count = 0;
  int32_t rank = 0, dim = 0;
  TfLiteIntArray *plan = NULL;
  const TfLiteOpaqueTensor *x = TfLiteOpaqueNodeGetInput(context, node, 0);
  if (TfLiteOpaqueTensorData(TfLiteOpaqueNodeGetInput(context, node, 0)) != NULL) {
    return own_invoke(context, node);
  }
  SAY("%d%d", TfLiteOpaqueNodeNumberOfInputs(node), TfLiteOpaqueNodeNumberOfOutputs(node));
  SAY("%d%d", TfLiteOpaqueNodeGetInputTensorIndex(node, 0), TfLiteOpaqueNodeGetOutputTensorIndex(node, 0));
  SAY("%d%d", TfLiteOpaqueNodeGetInputTensorIndex(node, 1), TfLiteOpaqueNodeGetOutputTensorIndex(node, -1));
  SAY("%d", TfLiteOpaqueNodeInputs(node, &numbers, &count));
  SAY("%d%d", count, numbers[0]);
  SAY("%d", TfLiteOpaqueNodeOutputs(node, &numbers, &count));
  SAY("%d%d", count, numbers[0]);
  SAY("%d", TfLiteOpaqueNodeTemporaries(node, &numbers, &count));
  SAY("%d", count);
  SAY("%d", TfLiteOpaqueNodeGetCustomInitialData(node, &options, &count));
  SAY("%d%c", count, *(const char *)options);
  SAY("%d", TfLiteOpaqueNodeGetBuiltinData(node) == NULL);
  SAY("%d%d%d", TfLiteOpaqueTensorType(x), TfLiteOpaqueTensorNumDims(x), TfLiteOpaqueTensorIsVariable(x));
  SAY("%d%s", (int)TfLiteOpaqueTensorByteSize(x), TfLiteOpaqueTensorName(x));
  SAY("%d%d", TfLiteOpaqueTensorGetAllocationType(x), TfLiteOpaqueTensorGetAllocationStrategy(x));
  SAY("%d", TfLiteOpaqueTensorGetNumDimsSignature(x, &rank));
  SAY("%d", TfLiteOpaqueTensorGetDimSignature(x, 0, &dim));
  SAY("%d", TfLiteOpaqueTensorGetDimSignature(x, 5, &dim));
  SAY("%d", dim);
  SAY("%d", TfLiteOpaqueTensorGetQuantization(x).type);
  SAY("%d", TfLiteOpaqueNodeGetInput(context, node, 1) == NULL);
  SAY("%d", TfLiteOpaqueContextGetOpaqueTensor(context, 0) != NULL);
  SAY("%d", TfLiteOpaqueContextGetOpaqueTensor(context, 100) == NULL);
  SAY("%d", TfLiteOpaqueContextGetInputs(context, &numbers, &count));
  SAY("%d%d", count, numbers[0]);
  SAY("%d", TfLiteOpaqueContextGetOutputs(context, &numbers, &count));
  SAY("%d%d", count, numbers[0]);
  SAY("%d", TfLiteOpaqueContextGetVariables(context, &numbers, &count));
  SAY("%d", count);
  SAY("%d%d", (int)TfLiteOpaqueContextGetNumNodes(context), (int)TfLiteOpaqueContextGetNumTensors(context));
  SAY("%s", TfLiteOpaqueContextGetName(context));
  SAY("%d", TfLiteOpaqueContextGetSizeOfType(context, kTfLiteFloat64, &bytes));
  SAY("%d", (int)bytes);
  SAY("%d", TfLiteOpaqueContextGetSizeOfType(context, kTfLiteString, &bytes));
  SAY("%d", TfLiteOpaqueContextGetMetadata(context, "made_by", &metadata, &bytes));
  SAY("%.*s", (int)bytes, metadata);
  SAY("%d", TfLiteOpaqueContextGetMetadata(context, "none", &metadata, &bytes));
  SAY("%d", TfLiteOpaqueContextGetExecutionPlan(context, &plan));
  return own_prepare(context, node);
}

static void op_inspects_its_context(void) {
  TfLiteOperator *own = plain();
  TfLiteInterpreter *interpreter;
  TfLiteOperatorSetPrepare(own, look);
  interpreter = made_of("grow.tflite", own);
  fflush(stdout);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
}

/* Negates through a temporary tensor, and counts its calls in a persistent one. */
static TfLiteStatus temporaries_prepare(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  const int *before = NULL;
  int count = 0, i, tensors[2];
  if (TfLiteOpaqueNodeTemporaries(node, &before, &count) != kTfLiteOk) {
    return kTfLiteError;
  }
  for (i = 0; i < 2 && count == 0; i++) {
    TfLiteOpaqueTensorBuilder *builder = TfLiteOpaqueTensorBuilderCreate();
    TfLiteOpaqueTensorBuilderSetType(builder, kTfLiteFloat32);
    TfLiteOpaqueTensorBuilderSetAllocationType(builder, i == 0 ? kTfLiteArenaRw : kTfLiteArenaRwPersistent);
    if (TfLiteOpaqueContextAddTensor(context, builder, &tensors[i]) != kTfLiteOk) {
      return kTfLiteError;
    }
    TfLiteOpaqueTensorBuilderSetAllocationType(builder, kTfLiteDynamic);
    SAY("%d", TfLiteOpaqueContextAddTensor(context, builder, NULL)); /* without data */
    TfLiteOpaqueTensorBuilderDelete(builder);
  }
  if (count == 0 && TfLiteOpaqueNodeSetTemporaries(node, tensors, 2) != kTfLiteOk) {
    return kTfLiteError;
  }
  TfLiteOpaqueNodeTemporaries(node, &before, &count);
  for (i = 0; i < count; i++) {
    TfLiteIntArray *dims = TfLiteIntArrayCreate(1);
    dims->data[0] = i == 0 ? TfLiteOpaqueTensorDim(TfLiteOpaqueNodeGetInput(context, node, 0), 0) : 1;
    if (TfLiteOpaqueContextResizeTensor(context, TfLiteOpaqueContextGetOpaqueTensor(context, before[i]), dims) !=
        kTfLiteOk) {
      return kTfLiteError;
    }
  }
  return own_prepare(context, node);
}

static TfLiteStatus temporaries_invoke(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  const int *tensors = NULL;
  int count = 0, i;
  const TfLiteOpaqueTensor *x = TfLiteOpaqueNodeGetInput(context, node, 0);
  float *kept, *calls;
  TfLiteOpaqueNodeTemporaries(node, &tensors, &count);
  kept = TfLiteOpaqueTensorData(TfLiteOpaqueContextGetOpaqueTensor(context, tensors[0]));
  calls = TfLiteOpaqueTensorData(TfLiteOpaqueContextGetOpaqueTensor(context, tensors[1]));
  *calls += 1;
  for (i = 0; i < TfLiteOpaqueTensorDim(x, 0); i++) {
    kept[i] = *calls * -float_at(x, i);
  }
  return TfLiteOpaqueTensorCopyFromBuffer(TfLiteOpaqueNodeGetOutput(context, node, 0), kept,
                                          TfLiteOpaqueTensorByteSize(x));
}

static void op_with_temporaries(void) {
  TfLiteOperator *own = plain();
  TfLiteInterpreter *interpreter;
  TfLiteOperatorSetPrepare(own, temporaries_prepare);
  TfLiteOperatorSetInvoke(own, temporaries_invoke);
  interpreter = made_of("custom.tflite", own);
  run(interpreter);
  run(interpreter);
}

/* The output has the elements of the input that are below -2: its shape is known only after a run. */
static TfLiteStatus dynamic_prepare(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  TfLiteOpaqueTensorSetAllocationTypeToDynamic(TfLiteOpaqueNodeGetOutput(context, node, 0));
  return kTfLiteOk;
}

static TfLiteStatus dynamic_invoke(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  const TfLiteOpaqueTensor *x = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor *y = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TfLiteIntArray *dims = TfLiteIntArrayCreate(1);
  int i, count = 0;
  for (i = 0; i < TfLiteOpaqueTensorDim(x, 0); i++) {
    dims->data[0] += float_at(x, i) < -2;
  }
  if (TfLiteOpaqueContextResizeTensor(context, y, dims) != kTfLiteOk) {
    return kTfLiteError;
  }
  for (i = 0; i < TfLiteOpaqueTensorDim(x, 0); i++) {
    if (float_at(x, i) < -2) {
      ((float *)TfLiteOpaqueTensorData(y))[count++] = float_at(x, i);
    }
  }
  return kTfLiteOk;
}

static void op_with_dynamic_shape(void) {
  TfLiteOperator *own = plain();
  TfLiteOperatorSetPrepare(own, dynamic_prepare);
  TfLiteOperatorSetInvoke(own, dynamic_invoke);
  run(made_of("custom.tflite", own));
}

/* y = x + n, where n is the number of earlier runs, counted in a variable of the model. */
static TfLiteStatus count_prepare(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  (void)context;
  return TfLiteOpaqueNodeNumberOfInputs(node) == 2 ? kTfLiteOk : kTfLiteError;
}

static TfLiteStatus count_invoke(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  const TfLiteOpaqueTensor *state = TfLiteOpaqueNodeGetInput(context, node, 1);
  float *count = TfLiteOpaqueTensorData(state);
  float y = float_at(TfLiteOpaqueNodeGetInput(context, node, 0), 0) + *count;
  *count += TfLiteOpaqueTensorIsVariable(state) ? 1 : 100;
  return TfLiteOpaqueTensorCopyFromBuffer(TfLiteOpaqueNodeGetOutput(context, node, 0), &y, sizeof y);
}

static void step(TfLiteInterpreter *interpreter) {
  float x = 10;
  SAY("%d", TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), &x, sizeof x));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%g", (double)*(const float *)TfLiteTensorData(TfLiteInterpreterGetOutputTensor(interpreter, 0)));
}

static void variables(void) {
  TfLiteOperator *own = TfLiteOperatorCreate(kTfLiteBuiltinCustom, "Count", 1, NULL);
  TfLiteInterpreter *interpreter;
  TfLiteTensor *variable;
  TfLiteOperatorSetPrepare(own, count_prepare);
  TfLiteOperatorSetInvoke(own, count_invoke);
  interpreter = made_of("variable.tflite", own);
  SAY("%d", TfLiteInterpreterGetVariableTensorCount(interpreter));
  SAY("%d", TfLiteInterpreterResetVariableTensors(interpreter));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  variable = TfLiteInterpreterGetVariableTensor(interpreter, 0);
  SAY("%s %d %d", TfLiteTensorName(variable), variable->is_variable, variable->allocation_type);
  SAY("%d", TfLiteInterpreterGetVariableTensor(interpreter, 1) == NULL);
  step(interpreter);
  step(interpreter);
  SAY("%g", (double)*variable->data.f);
  SAY("%d", TfLiteInterpreterResetVariableTensors(interpreter));
  step(interpreter);
  *variable->data.f = 7;
  step(interpreter);
}

int main(int argc, char **argv) {
#define CASE(name) {#name, name}
  static const Case cases[] = {
      CASE(op), CASE(op_with_user_data), CASE(op_deleted_before_interpreter), CASE(op_getters), CASE(op_is_null),
      CASE(op_without_functions), CASE(op_fails), CASE(op_is_cancelled), CASE(op_cancels_its_interpreter), CASE(op_init_fails), CASE(op_sets_negative_shape), CASE(op_sets_too_many_dimensions),
      CASE(op_inspects_its_context), CASE(op_with_temporaries), CASE(op_with_dynamic_shape), CASE(variables),
  };
  return run_cases(cases, sizeof cases / sizeof *cases, argc, argv);
}
