/* Custom ops registered with TfLiteRegistration, using the structs of common.h. Can be linked against either
 * library. */
#ifdef REAL_HEADERS
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/common.h"
#endif
#include "tflite.h"

#include "cases.h"

/* How often each function of the op was called. */
static int inits, prepares, invokes, frees;

static TfLiteTensor *input_of(TfLiteContext *context, TfLiteNode *node) { return &context->tensors[node->inputs->data[0]]; }
static TfLiteTensor *output_of(TfLiteContext *context, TfLiteNode *node) { return &context->tensors[node->outputs->data[0]]; }

/* y is x, repeated as often as the first byte of the options says. */
static void *repeat_init(TfLiteContext *context, const char *buffer, size_t length) {
  int *times = malloc(sizeof *times);
  (void)context;
  inits++;
  *times = length > 0 ? buffer[0] - '0' : 1;
  return times;
}

static void repeat_free(TfLiteContext *context, void *buffer) {
  (void)context;
  frees++;
  free(buffer);
}

static TfLiteStatus repeat_prepare(TfLiteContext *context, TfLiteNode *node) {
  TfLiteIntArray *dims = TfLiteIntArrayCreate(1);
  prepares++;
  dims->data[0] = input_of(context, node)->dims->data[0] * *(int *)node->user_data;
  return context->ResizeTensor(context, output_of(context, node), dims);
}

static TfLiteStatus repeat_invoke(TfLiteContext *context, TfLiteNode *node) {
  const TfLiteTensor *x = input_of(context, node);
  TfLiteTensor *y = output_of(context, node);
  int i, times = *(int *)node->user_data;
  invokes++;
  for (i = 0; i < times; i++) {
    memcpy(y->data.raw + (size_t)i * x->bytes, x->data.raw, x->bytes);
  }
  return kTfLiteOk;
}

static TfLiteStatus fail(TfLiteContext *context, TfLiteNode *node) {
  (void)node;
  context->ReportError(context, "%s of %d", "failure", 7);
  return kTfLiteError;
}

/* Negates through a temporary tensor. */
static TfLiteStatus negate_prepare(TfLiteContext *context, TfLiteNode *node) {
  int index = -1;
  TfLiteTensor *temporary;
  if (node->temporaries->size == 0) {
    TfLiteStatus status = context->AddTensors(context, 1, &index);
    if (status != kTfLiteOk) {
      return status;
    }
    TfLiteIntArrayFree(node->temporaries);
    node->temporaries = TfLiteIntArrayCreate(1);
    node->temporaries->data[0] = index;
  }
  temporary = &context->tensors[node->temporaries->data[0]];
  temporary->type = kTfLiteFloat32;
  temporary->allocation_type = kTfLiteArenaRw;
  if (context->ResizeTensor(context, temporary, TfLiteIntArrayCopy(input_of(context, node)->dims)) != kTfLiteOk) {
    return kTfLiteError;
  }
  return context->ResizeTensor(context, output_of(context, node), TfLiteIntArrayCopy(input_of(context, node)->dims));
}

static TfLiteStatus negate_invoke(TfLiteContext *context, TfLiteNode *node) {
  const TfLiteTensor *x = input_of(context, node);
  float *kept = context->tensors[node->temporaries->data[0]].data.f;
  size_t i;
  for (i = 0; i < x->bytes / sizeof(float); i++) {
    kept[i] = -x->data.f[i];
  }
  memcpy(output_of(context, node)->data.raw, kept, x->bytes);
  return kTfLiteOk;
}

/* Like `negate`, with a temporary tensor that init adds. */
static void *early_init(TfLiteContext *context, const char *buffer, size_t length) {
  int *index = malloc(sizeof *index);
  (void)buffer;
  (void)length;
  *index = -1;
  SAY("%d", context->AddTensors(context, 1, index));
  SAY("%d of %d", *index, (int)context->tensors_size);
  return index;
}

static TfLiteStatus early_prepare(TfLiteContext *context, TfLiteNode *node) {
  if (node->temporaries->size == 0) {
    TfLiteIntArrayFree(node->temporaries);
    node->temporaries = TfLiteIntArrayCreate(1);
    node->temporaries->data[0] = *(int *)node->user_data;
  }
  return negate_prepare(context, node);
}

static void early_free(TfLiteContext *context, void *buffer) {
  (void)context;
  free(buffer);
}

/* The output has the array that it was resized to. */
static TfLiteStatus keeping_prepare(TfLiteContext *context, TfLiteNode *node) {
  TfLiteTensor *y = output_of(context, node);
  TfLiteIntArray *dims = TfLiteIntArrayCopy(input_of(context, node)->dims);
  TfLiteStatus first = context->ResizeTensor(context, y, dims), second;
  const bool is_first = y->dims == dims;
  dims = TfLiteIntArrayCopy(dims);
  second = context->ResizeTensor(context, y, dims);
  if (prepares++ == 0) {
    SAY("%d %d", first, is_first);
    SAY("%d %d", second, y->dims == dims);
  }
  return negate_prepare(context, node);
}

/* The first element gives the number of output elements: the output's shape is known only after a run. */
static TfLiteStatus dynamic_prepare(TfLiteContext *context, TfLiteNode *node) {
  output_of(context, node)->allocation_type = kTfLiteDynamic;
  output_of(context, node)->data.raw = NULL;
  return kTfLiteOk;
}

static TfLiteStatus dynamic_invoke(TfLiteContext *context, TfLiteNode *node) {
  const TfLiteTensor *x = input_of(context, node);
  TfLiteTensor *y = output_of(context, node);
  TfLiteIntArray *dims = TfLiteIntArrayCreate(1);
  int i, count = -(int)x->data.f[0];
  dims->data[0] = count;
  if (context->ResizeTensor(context, y, dims) != kTfLiteOk) {
    return kTfLiteError;
  }
  for (i = 0; i < count; i++) {
    y->data.f[i] = (float)-i;
  }
  return kTfLiteOk;
}

static const TfLiteRegistration REPEAT = {.init = repeat_init, .free = repeat_free, .prepare = repeat_prepare,
                                          .invoke = repeat_invoke};
static const TfLiteRegistration FAILS_TO_PREPARE = {.prepare = fail, .invoke = repeat_invoke};
static const TfLiteRegistration FAILS_TO_INVOKE = {.invoke = fail};
static const TfLiteRegistration WITHOUT_INVOKE = {.init = NULL};
static const TfLiteRegistration NEGATE = {.prepare = negate_prepare, .invoke = negate_invoke};
static const TfLiteRegistration EARLY = {
    .init = early_init, .free = early_free, .prepare = early_prepare, .invoke = negate_invoke};
static const TfLiteRegistration KEEPING = {.prepare = keeping_prepare, .invoke = negate_invoke};
static const TfLiteRegistration DYNAMIC = {.prepare = dynamic_prepare, .invoke = dynamic_invoke};

static int told;

static void tell(void *user_data, const char *format, va_list arguments) {
  char text[512];
  (void)user_data;
  vsnprintf(text, sizeof text, format, arguments);
  told += strstr(text, "failure of 7") != NULL;
}

static TfLiteInterpreter *made(const char *name, const TfLiteRegistration *op) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder(name));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  TfLiteInterpreterOptionsSetErrorReporter(options, tell, NULL);
  TfLiteInterpreterOptionsAddCustomOp(options, "Own", op, 1, 1);
  interpreter = TfLiteInterpreterCreate(model, options);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
  return interpreter;
}

static void run(TfLiteInterpreter *interpreter, float first) {
  float data[] = {first, 2, 3, 4};
  const TfLiteTensor *output = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  int i;
  SAY("%d", TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), data, sizeof data));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d:", TfLiteTensorDim(output, 0));
  for (i = 0; i < TfLiteTensorDim(output, 0); i++) {
    SAY("%g", (double)((const float *)TfLiteTensorData(output))[i]);
  }
}

static void op(void) {
  TfLiteInterpreter *interpreter = made("custom.tflite", &REPEAT);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  run(interpreter, 1);
  TfLiteInterpreterDelete(interpreter);
  SAY("%d %d %d", inits, invokes, frees);
}

static void op_with_options(void) {
  TfLiteInterpreter *interpreter = made("grow.tflite", &REPEAT);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  run(interpreter, 1);
  TfLiteInterpreterDelete(interpreter);
}

static void op_after_resize(void) {
  static const int dims[] = {1};
  TfLiteInterpreter *interpreter = made("grow.tflite", &REPEAT);
  float one = 5;
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterResizeInputTensor(interpreter, 0, dims, 1));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), &one, sizeof one));
  SAY("%d %d", TfLiteInterpreterInvoke(interpreter), TfLiteTensorDim(TfLiteInterpreterGetOutputTensor(interpreter, 0), 0));
  TfLiteInterpreterDelete(interpreter);
  SAY("%d %d", inits, frees);
}

static void op_copied(void) {
  TfLiteRegistration mine = REPEAT;
  TfLiteInterpreter *interpreter = made("custom.tflite", &mine);
  memset(&mine, 0, sizeof mine);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  run(interpreter, 1);
}

static void op_fails_to_prepare(void) {
  TfLiteInterpreter *interpreter = made("custom.tflite", &FAILS_TO_PREPARE);
  SAY("%d", interpreter != NULL);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", told > 0);
}

static void op_fails_to_invoke(void) {
  TfLiteInterpreter *interpreter = made("custom.tflite", &FAILS_TO_INVOKE);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", told);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", told);
}

static void op_without_invoke(void) {
  TfLiteInterpreter *interpreter = made("custom.tflite", &WITHOUT_INVOKE);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
}

static void op_with_temporary(void) {
  TfLiteInterpreter *interpreter = made("custom.tflite", &NEGATE);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  run(interpreter, 1);
  run(interpreter, 2);
}

static void op_with_temporary_from_init(void) {
  TfLiteInterpreter *interpreter = made("custom.tflite", &EARLY);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  run(interpreter, 1);
  TfLiteInterpreterDelete(interpreter);
}

static void op_resizes_to_its_array(void) {
  TfLiteInterpreter *interpreter = made("custom.tflite", &KEEPING);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  run(interpreter, 1);
  TfLiteInterpreterDelete(interpreter);
}

static void op_with_dynamic_shape(void) {
  TfLiteInterpreter *interpreter = made("custom.tflite", &DYNAMIC);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  run(interpreter, 3);
  run(interpreter, 1);
}

static void op_with_another_version(void) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("custom.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  TfLiteInterpreterOptionsAddCustomOp(options, "Own", &REPEAT, 2, 3);
  interpreter = TfLiteInterpreterCreate(model, options);
  SAY("%d", interpreter != NULL);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
}

static void op_added_twice(void) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("custom.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  TfLiteInterpreterOptionsAddCustomOp(options, "Own", &REPEAT, 1, 3);
  TfLiteInterpreterOptionsAddCustomOp(options, "Own", &NEGATE, 1, 1);
  interpreter = TfLiteInterpreterCreate(model, options);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  run(interpreter, 1);
}

static void replaced_builtin_op(void) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  TfLiteInterpreterOptionsAddBuiltinOp(options, 75, &NEGATE, 1, 1);
  interpreter = TfLiteInterpreterCreate(model, options);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  run(interpreter, 1);
}

static void selected_ops(void) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  SAY("%d", TfLiteInterpreterCreateWithSelectedOps(model, NULL) == NULL);
  SAY("%d", TfLiteInterpreterCreateWithSelectedOps(model, options) == NULL);
  TfLiteInterpreterOptionsAddBuiltinOp(options, 75, &NEGATE, 1, 1);
  interpreter = TfLiteInterpreterCreateWithSelectedOps(model, options);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  run(interpreter, 1);
}

static const TfLiteRegistration *find_builtin(void *user_data, int code, int version) {
  SAY("b%d.%d", code, version);
  return code == 59 ? user_data : NULL;
}

static const TfLiteRegistration *find_custom(void *user_data, const char *name, int version) {
  SAY("%s.%d", name, version);
  return user_data;
}

static void resolver(void) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("custom.tflite"));
  TfLiteModel *other = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  TfLiteInterpreterOptionsSetOpResolver(options, find_builtin, find_custom, (void *)&NEGATE);
  interpreter = TfLiteInterpreterCreate(model, options);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  run(interpreter, 1);
  SAY("%d", TfLiteInterpreterCreate(other, options) == NULL);
}

static void two_interpreters(void) {
  TfLiteInterpreter *one = made("grow.tflite", &REPEAT), *two = made("custom.tflite", &REPEAT);
  SAY("%d", TfLiteInterpreterAllocateTensors(one));
  SAY("%d", TfLiteInterpreterAllocateTensors(two));
  run(one, 1);
  TfLiteInterpreterDelete(one);
  run(two, 2);
  TfLiteInterpreterDelete(two);
  SAY("%d %d", inits, frees);
}

static void init_runs_at_creation(void) {
  TfLiteInterpreter *interpreter = made("custom.tflite", &REPEAT);
  SAY("%d %d", inits, prepares);
  TfLiteInterpreterDelete(interpreter);
  SAY("%d %d", inits, frees);
}

int main(int argc, char **argv) {
#define CASE(name) {#name, name}
  static const Case cases[] = {
      CASE(op), CASE(op_with_options), CASE(op_after_resize), CASE(op_copied), CASE(op_fails_to_prepare),
      CASE(op_fails_to_invoke), CASE(op_without_invoke), CASE(op_with_temporary), CASE(op_with_temporary_from_init),
      CASE(op_resizes_to_its_array), CASE(op_with_dynamic_shape),
      CASE(op_with_another_version), CASE(op_added_twice), CASE(replaced_builtin_op), CASE(selected_ops),
      CASE(resolver), CASE(two_interpreters), CASE(init_runs_at_creation),
  };
  return run_cases(cases, sizeof cases / sizeof *cases, argc, argv);
}
