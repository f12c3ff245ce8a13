/* Delegates of the program, created with TfLiteOpaqueDelegateBuilder and with TfLiteDelegate. */
#include "today.h"

#include "cases.h"

struct TfLiteDelegate {
  void *data_;
  TfLiteStatus (*Prepare)(TfLiteContext *context, TfLiteDelegate *delegate);
  void *CopyFromBufferHandle;
  void *CopyToBufferHandle;
  void *FreeBufferHandle;
  int64_t flags;
  TfLiteOpaqueDelegateBuilder *opaque_delegate_builder;
};

/* How often each function of the delegate and its kernels was called. */
static int prepares, inits, invokes, frees;
/* What the kernels' functions return. */
static TfLiteStatus kernel_prepare_says, kernel_invoke_says;

/* A kernel that computes 100 + x, whatever its nodes are. */
static void *kernel_init(TfLiteOpaqueContext *context, const char *buffer, size_t length) {
  const TfLiteOpaqueDelegateParams *params = (const TfLiteOpaqueDelegateParams *)(const void *)buffer;
  TfLiteOpaqueNode *node = NULL;
  TfLiteOperator *op = NULL;
  inits++;
  SAY("%d", TfLiteOpaqueContextGetNodeAndRegistration(context, params->nodes_to_replace->data[0], &node, &op));
  SAY("%d", TfLiteOperatorGetBuiltInCode(op));
  SAY("init(%d nodes, %d in, %d out, %d)", params->nodes_to_replace->size, params->input_tensors->size,
      params->output_tensors->size, (int)length);
  return params->delegate_data;
}

static void kernel_free(TfLiteOpaqueContext *context, void *data) {
  (void)context;
  (void)data;
  frees++;
}

static TfLiteStatus kernel_prepare(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  (void)context;
  (void)node;
  return kernel_prepare_says;
}

static TfLiteStatus kernel_invoke(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  const TfLiteOpaqueTensor *x = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor *y = TfLiteOpaqueNodeGetOutput(context, node, 0);
  size_t i;
  invokes++;
  for (i = 0; i < TfLiteOpaqueTensorByteSize(y) / sizeof(float); i++) {
    ((float *)TfLiteOpaqueTensorData(y))[i] = 100 + ((const float *)TfLiteOpaqueTensorData(x))[i];
  }
  return kernel_invoke_says;
}

/* A kernel that uses the tensors of init in invoke, after other tensors were added. */
typedef struct Kept {
  TfLiteOpaqueTensor *x, *y;
} Kept;

static void *keeping_init(TfLiteOpaqueContext *context, const char *buffer, size_t length) {
  const TfLiteOpaqueDelegateParams *params = (const TfLiteOpaqueDelegateParams *)(const void *)buffer;
  Kept *kept = malloc(sizeof *kept);
  (void)length;
  kept->x = TfLiteOpaqueContextGetOpaqueTensor(context, params->input_tensors->data[0]);
  kept->y = TfLiteOpaqueContextGetOpaqueTensor(context, params->output_tensors->data[0]);
  SAY("%s %s", TfLiteOpaqueTensorName(kept->x), TfLiteOpaqueTensorName(kept->y));
  return kept;
}

static void keeping_free(TfLiteOpaqueContext *context, void *data) {
  (void)context;
  free(data);
}

static TfLiteStatus keeping_prepare(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  Kept *kept = TfLiteOpaqueNodeGetUserData(node);
  TfLiteOpaqueTensorBuilder *builder = TfLiteOpaqueTensorBuilderCreate();
  int i, index = -1;
  TfLiteOpaqueTensorBuilderSetType(builder, kTfLiteFloat32);
  TfLiteOpaqueTensorBuilderSetAllocationType(builder, kTfLiteArenaRw);
  for (i = 0; i < 200; i++) {
    if (TfLiteOpaqueContextAddTensor(context, builder, &index) != kTfLiteOk) {
      return kTfLiteError;
    }
  }
  TfLiteOpaqueTensorBuilderDelete(builder);
  SAY("%d", kept->x == TfLiteOpaqueNodeGetInput(context, node, 0));
  return kTfLiteOk;
}

static TfLiteStatus keeping_invoke(TfLiteOpaqueContext *context, TfLiteOpaqueNode *node) {
  Kept *kept = TfLiteOpaqueNodeGetUserData(node);
  const float *x = TfLiteOpaqueTensorData(kept->x);
  float *y = TfLiteOpaqueTensorData(kept->y);
  size_t i;
  (void)context;
  for (i = 0; i < TfLiteOpaqueTensorByteSize(kept->y) / sizeof(float); i++) {
    y[i] = -x[i];
  }
  return kTfLiteOk;
}

/* Whether the next delegate's kernel is the one that keeps tensors. */
static bool keeps;

/* Requests all nodes of builtin op `data`, and prints what it sees of each node. */
static TfLiteStatus ask(TfLiteOpaqueContext *context, TfLiteDelegate *delegate, void *data) {
  TfLiteIntArray *plan = NULL, *wanted;
  TfLiteOperator *kernel;
  int i, count = 0;
  prepares++;
  if (TfLiteOpaqueContextGetExecutionPlan(context, &plan) != kTfLiteOk) {
    return kTfLiteError;
  }
  wanted = TfLiteIntArrayCreate(plan->size);
  for (i = 0; i < plan->size; i++) {
    TfLiteOpaqueNode *node = NULL;
    TfLiteOperator *op = NULL;
    if (TfLiteOpaqueContextGetNodeAndRegistration(context, plan->data[i], &node, &op) != kTfLiteOk) {
      return kTfLiteError;
    }
    if (prepares == 1) {
      SAY("%d%s%d", TfLiteOperatorGetBuiltInCode(op), TfLiteOperatorGetCustomName(op) ? "c" : "b",
          TfLiteOpaqueNodeNumberOfInputs(node));
    }
    if (TfLiteOperatorGetBuiltInCode(op) == *(int *)data) {
      const int *parameters = TfLiteOpaqueNodeGetBuiltinData(node);
      if (prepares == 1 && parameters != NULL) {
        SAY("p%d", parameters[0]);
      }
      wanted->data[count++] = plan->data[i];
    }
  }
  wanted->size = count;
  kernel = TfLiteOperatorCreate(kTfLiteBuiltinCustom, "Kernel", 1, NULL);
  TfLiteOperatorSetInit(kernel, keeps ? keeping_init : kernel_init);
  TfLiteOperatorSetFree(kernel, keeps ? keeping_free : kernel_free);
  TfLiteOperatorSetPrepare(kernel, keeps ? keeping_prepare : kernel_prepare);
  TfLiteOperatorSetInvoke(kernel, keeps ? keeping_invoke : kernel_invoke);
  i = TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(context, kernel, wanted, delegate);
  TfLiteIntArrayFree(wanted);
  return (TfLiteStatus)i;
}

static TfLiteDelegate *asking_for(int *op) {
  TfLiteOpaqueDelegateBuilder builder = {.data = op, .Prepare = ask};
  return TfLiteOpaqueDelegateCreate(&builder);
}

static int errors;

static void count_errors(void *user_data, const char *format, va_list arguments) {
  char text[2048];
  (void)user_data;
  vsnprintf(text, sizeof text, format, arguments);
  errors++;
}

static TfLiteInterpreter *made(const char *name, TfLiteDelegate *delegate, bool fallback) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder(name));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  TfLiteInterpreterOptionsSetErrorReporter(options, count_errors, NULL);
  TfLiteInterpreterOptionsAddDelegate(options, delegate);
  TfLiteInterpreterOptionsSetEnableDelegateFallback(options, fallback);
  interpreter = TfLiteInterpreterCreate(model, options);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
  return interpreter;
}

static void run(TfLiteInterpreter *interpreter) {
  static const float data[] = {1, 4, 9, 16};
  const TfLiteTensor *y = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  TfLiteStatus status;
  size_t i;
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), data, sizeof data));
  status = TfLiteInterpreterInvoke(interpreter);
  SAY("%d", status);
  for (i = 0; i < TfLiteTensorByteSize(y) / sizeof(float) && status != kTfLiteError; i++) {
    SAY("%g", (double)((const float *)TfLiteTensorData(y))[i]);
  }
}

static int sqrt_code = 75, add_code = 0, no_code = -7;

static void delegate_claims_a_node(void) {
  TfLiteDelegate *delegate = asking_for(&sqrt_code);
  TfLiteInterpreter *interpreter = made("sqrt.tflite", delegate, false);
  SAY("%d", TfLiteOpaqueDelegateGetData(delegate) == &sqrt_code);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
  TfLiteOpaqueDelegateDelete(delegate);
  SAY("%d %d %d", inits, invokes, frees);
}

static void delegate_sees_parameters_and_constants(void) { run(made("add_constant.tflite", asking_for(&add_code), false)); }

static void delegate_claims_nothing(void) { run(made("sqrt.tflite", asking_for(&no_code), false)); }

static void delegate_is_resized(void) {
  static const int dims[] = {2};
  TfLiteInterpreter *interpreter = made("sqrt.tflite", asking_for(&sqrt_code), false);
  SAY("%d", TfLiteInterpreterResizeInputTensor(interpreter, 0, dims, 1));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", TfLiteTensorDim(TfLiteInterpreterGetOutputTensor(interpreter, 0), 0));
}

static void kernel_keeps_the_tensors_of_init(void) {
  TfLiteDelegate *delegate = asking_for(&sqrt_code);
  TfLiteInterpreter *interpreter;
  keeps = true;
  interpreter = made("sqrt.tflite", delegate, false);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
  TfLiteOpaqueDelegateDelete(delegate);
}

static TfLiteStatus refuse(TfLiteOpaqueContext *context, TfLiteDelegate *delegate, void *data) {
  (void)delegate;
  (void)data;
  TfLiteOpaqueContextReportError(context, "refused");
  return kTfLiteError;
}

static void delegate_fails_to_prepare(void) {
  TfLiteOpaqueDelegateBuilder builder = {.Prepare = refuse};
  SAY("%d", made("sqrt.tflite", TfLiteOpaqueDelegateCreate(&builder), false) == NULL);
  SAY("%d", errors > 1);
}

static void delegate_without_prepare(void) {
  TfLiteOpaqueDelegateBuilder builder = {.Prepare = NULL};
  SAY("%d", made("sqrt.tflite", TfLiteOpaqueDelegateCreate(&builder), false) == NULL);
}

static void kernel_fails_to_prepare(void) {
  kernel_prepare_says = kTfLiteError;
  SAY("%d", made("sqrt.tflite", asking_for(&sqrt_code), false) == NULL);
}

static void kernel_fails_to_invoke(void) {
  kernel_invoke_says = kTfLiteError;
  run(made("sqrt.tflite", asking_for(&sqrt_code), false));
}

static void kernel_fails_and_the_cpu_runs(void) {
  TfLiteInterpreter *interpreter = made("sqrt.tflite", asking_for(&sqrt_code), true);
  kernel_invoke_says = kTfLiteError;
  run(interpreter);
  run(interpreter);
}

/* Uses the fields of TfLiteDelegate that all versions have. */
static TfLiteStatus plain_prepare(TfLiteContext *context, TfLiteDelegate *delegate) {
  TfLiteRegistration kernel;
  TfLiteIntArray *plan = NULL;
  TfLiteNode *node = NULL;
  TfLiteRegistration *op = NULL;
  void *previews = NULL;
  int count = -1;
  memset(&kernel, 0, sizeof kernel);
  kernel.invoke = (TfLiteStatus(*)(TfLiteContext *, TfLiteNode *))kernel_invoke;
  SAY("%d", context->GetExecutionPlan(context, &plan));
  SAY("%d", context->GetNodeAndRegistration(context, plan->data[0], &node, &op));
  SAY("%d %d %d", op->builtin_code, node->inputs->data[0], context->tensors[node->inputs->data[0]].type);
  SAY("%d", context->GetNodeAndRegistration(context, 99, &node, &op));
  SAY("%d", context->PreviewDelegatePartitioning(context, plan, &previews, &count));
  SAY("%d", count);
  return context->ReplaceNodeSubsetsWithDelegateKernels(context, kernel, plan, delegate);
}

static void plain_delegate(void) {
  TfLiteDelegate delegate;
  memset(&delegate, 0, sizeof delegate);
  delegate.Prepare = plain_prepare;
  run(made("sqrt.tflite", &delegate, false));
}

static void opaque_functions_of_null(void) {
  SAY("%d %d", TfLiteOpaqueDelegateCreate(NULL) == NULL, TfLiteOpaqueDelegateGetData(NULL) == NULL);
  TfLiteOpaqueDelegateDelete(NULL);
}

static void delegate_is_null(void) {
  SAY("%d", made("sqrt.tflite", NULL, false) == NULL);
  SAY("%d", errors);
}

int main(int argc, char **argv) {
#define CASE(name) {#name, name}
  static const Case cases[] = {
      CASE(delegate_claims_a_node), CASE(delegate_sees_parameters_and_constants), CASE(delegate_claims_nothing),
      CASE(delegate_is_resized), CASE(kernel_keeps_the_tensors_of_init), CASE(delegate_fails_to_prepare), CASE(delegate_without_prepare),
      CASE(kernel_fails_to_prepare), CASE(kernel_fails_to_invoke), CASE(kernel_fails_and_the_cpu_runs),
      CASE(plain_delegate), CASE(opaque_functions_of_null), CASE(delegate_is_null),
  };
  return run_cases(cases, sizeof cases / sizeof *cases, argc, argv);
}
