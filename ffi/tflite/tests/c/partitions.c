/* What a delegate sees of its partitions: previews, several calls of ReplaceNodeSubsetsWithDelegateKernels in one
 * Prepare, and the tensors that a kernel keeps from init to invoke.
 *
 *   fan.tflite:   0: ABS x -> a   1: NEG x -> b   2: ABS a -> c   3: ADD b, c -> y
 *   chain.tflite: 0: ABS x -> a   1: NEG a -> b   2: ABS b -> y */
#include "today.h"

#include "cases.h"

struct TfLiteDelegate {
  void *data_;
  TfLiteStatus (*Prepare)(TfLiteContext *context, TfLiteDelegate *delegate);
  void *CopyFromBufferHandle, *CopyToBufferHandle, *FreeBufferHandle;
  int64_t flags;
  TfLiteOpaqueDelegateBuilder *opaque_delegate_builder;
};

typedef struct Params {
  TfLiteDelegate *delegate;
  TfLiteIntArray *nodes_to_replace, *input_tensors, *output_tensors;
} Params;

/* A delegate that makes these calls: `preview` and `replace` are lists of nodes that end with -1. */
typedef struct Calls {
  int preview[8];
  int replace[3][8];
  int replace_count;
} Calls;

static TfLiteIntArray *listed(const int *nodes) {
  int count = 0, i;
  TfLiteIntArray *array;
  while (nodes[count] >= 0) {
    count++;
  }
  array = TfLiteIntArrayCreate(count);
  for (i = 0; i < count; i++) {
    array->data[i] = nodes[i];
  }
  return array;
}

static void say_list(const char *name, const TfLiteIntArray *list) {
  int i;
  printf("%s", name);
  for (i = 0; i < list->size; i++) {
    printf("%s%d", i == 0 ? "" : ",", list->data[i]);
  }
  SAY("%s", "");
}

static void say_params(const Params *params) {
  say_list("n", params->nodes_to_replace);
  say_list("i", params->input_tensors);
  say_list("o", params->output_tensors);
}

/* The kernels write 100 * the number of the call + the number of their nodes + the first element of their first input
 * to all elements of their outputs. */
typedef struct Kernel {
  int call, nodes;
  TfLiteTensor *in, *out;
} Kernel;

static void *start(TfLiteContext *context, const char *buffer, int call) {
  const Params *params = (const Params *)(const void *)buffer;
  Kernel *kernel = calloc(1, sizeof *kernel);
  say_params(params);
  kernel->call = call;
  kernel->nodes = params->nodes_to_replace->size;
  kernel->in = &context->tensors[params->input_tensors->data[0]];
  kernel->out = &context->tensors[params->output_tensors->data[0]];
  return kernel;
}

static void *init_0(TfLiteContext *context, const char *buffer, size_t length) {
  (void)length;
  return start(context, buffer, 0);
}

static void *init_1(TfLiteContext *context, const char *buffer, size_t length) {
  (void)length;
  return start(context, buffer, 1);
}

static void *init_2(TfLiteContext *context, const char *buffer, size_t length) {
  (void)length;
  return start(context, buffer, 2);
}

static void end(TfLiteContext *context, void *kernel) {
  (void)context;
  free(kernel);
}

/* Uses the tensors of init only. */
static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
  const Kernel *kernel = node->user_data;
  size_t i;
  (void)context;
  SAY("call%d", kernel->call);
  if (kernel->in->data.f == NULL || kernel->out->data.f == NULL) {
    SAY("no data");
    return kTfLiteError;
  }
  for (i = 0; i < kernel->out->bytes / sizeof(float); i++) {
    kernel->out->data.f[i] = (float)(100 * kernel->call + kernel->nodes) + kernel->in->data.f[0];
  }
  return kTfLiteOk;
}

static void say_plan(TfLiteContext *context) {
  TfLiteIntArray *plan = NULL;
  int i;
  SAY("%d", context->GetExecutionPlan(context, &plan));
  say_list("plan", plan);
  for (i = 0; i < plan->size; i++) {
    TfLiteNode *node = NULL;
    TfLiteRegistration *op = NULL;
    SAY("%d", context->GetNodeAndRegistration(context, plan->data[i], &node, &op));
    SAY("%d%s", op->builtin_code, node->delegate != NULL ? "d" : "");
  }
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *delegate) {
  static void *(*const inits[])(TfLiteContext *, const char *, size_t) = {init_0, init_1, init_2};
  const Calls *calls = delegate->data_;
  TfLiteIntArray *nodes = listed(calls->preview);
  Params *previews = NULL;
  int count = -1, i;
  SAY("%d", context->PreviewDelegatePartitioning(context, nodes, (void **)&previews, &count));
  SAY("%d:", count);
  for (i = 0; i < count; i++) {
    say_params(&previews[i]);
  }
  TfLiteIntArrayFree(nodes);
  for (i = 0; i < calls->replace_count; i++) {
    TfLiteRegistration kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.init = inits[i];
    kernel.free = end;
    kernel.invoke = invoke;
    kernel.custom_name = "Kernel";
    kernel.version = 1;
    nodes = listed(calls->replace[i]);
    SAY("replace %d", context->ReplaceNodeSubsetsWithDelegateKernels(context, kernel, nodes, delegate));
    TfLiteIntArrayFree(nodes);
    say_plan(context);
  }
  return kTfLiteOk;
}

static void run(const char *name, Calls *calls) {
  static const float data[] = {-1, 4, -9, 16};
  TfLiteDelegate delegate;
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder(name));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  const TfLiteTensor *y;
  memset(&delegate, 0, sizeof delegate);
  delegate.data_ = calls;
  delegate.Prepare = prepare;
  TfLiteInterpreterOptionsAddDelegate(options, &delegate);
  interpreter = TfLiteInterpreterCreate(model, options);
  SAY("| %d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), data, sizeof data));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  y = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  SAY("%g %g", (double)((const float *)TfLiteTensorData(y))[0], (double)((const float *)TfLiteTensorData(y))[3]);
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
}

static void preview_with_an_independent_node_between(void) {
  Calls calls = {.preview = {0, 2, -1}, .replace = {{0, 2, -1}}, .replace_count = 1};
  run("fan.tflite", &calls);
}

static void preview_of_nodes_apart(void) {
  Calls calls = {.preview = {0, 2, -1}, .replace = {{0, 2, -1}}, .replace_count = 1};
  run("chain.tflite", &calls);
}

static void preview_of_all_nodes(void) {
  Calls calls = {.preview = {0, 1, 2, 3, -1}, .replace = {{3, 2, 1, 0, -1}}, .replace_count = 1};
  run("fan.tflite", &calls);
}

static void preview_without_a_claim(void) {
  Calls calls = {.preview = {1, 3, -1}, .replace_count = 0};
  run("fan.tflite", &calls);
}

static void preview_of_nothing(void) {
  Calls calls = {.preview = {-1}, .replace = {{-1}}, .replace_count = 1};
  run("chain.tflite", &calls);
}

static void two_calls(void) {
  Calls calls = {.preview = {0, -1}, .replace = {{0, 2, -1}, {1, -1}}, .replace_count = 2};
  run("fan.tflite", &calls);
}

static void three_calls(void) {
  Calls calls = {.preview = {3, -1}, .replace = {{3, -1}, {0, -1}, {1, 2, -1}}, .replace_count = 3};
  run("fan.tflite", &calls);
}

static void second_call_repeats_a_node(void) {
  Calls calls = {.preview = {0, -1}, .replace = {{0, 1, -1}, {1, 2, -1}}, .replace_count = 2};
  run("chain.tflite", &calls);
}

int main(int argc, char **argv) {
#define CASE(name) {#name, name}
  static const Case cases[] = {
      CASE(preview_with_an_independent_node_between), CASE(preview_of_nodes_apart), CASE(preview_of_all_nodes),
      CASE(preview_without_a_claim), CASE(preview_of_nothing), CASE(two_calls), CASE(three_calls),
      CASE(second_call_repeats_a_node),
  };
  return run_cases(cases, sizeof cases / sizeof *cases, argc, argv);
}
