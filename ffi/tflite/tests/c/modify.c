/* Delegates that are added to an existing interpreter, and values that a delegate keeps in its own memory.
 *
 *   fan.tflite:   0: ABS x -> a   1: NEG x -> b   2: ABS a -> c   3: ADD b, c -> y
 *   chain.tflite: 0: ABS x -> a   1: NEG a -> b   2: ABS b -> y */
#include "today.h"

#include "cases.h"

struct TfLiteDelegate {
  void *data_;
  TfLiteStatus (*Prepare)(TfLiteContext *context, TfLiteDelegate *delegate);
  TfLiteStatus (*CopyFromBufferHandle)(TfLiteContext *context, TfLiteDelegate *delegate,
                                       TfLiteBufferHandle buffer_handle, TfLiteTensor *tensor);
  TfLiteStatus (*CopyToBufferHandle)(TfLiteContext *context, TfLiteDelegate *delegate,
                                     TfLiteBufferHandle buffer_handle, TfLiteTensor *tensor);
  void (*FreeBufferHandle)(TfLiteContext *context, TfLiteDelegate *delegate, TfLiteBufferHandle *handle);
  int64_t flags;
  TfLiteOpaqueDelegateBuilder *opaque_delegate_builder;
};

enum { kTfLiteNullBufferHandle = -1 };

typedef struct Params {
  TfLiteDelegate *delegate;
  TfLiteIntArray *nodes_to_replace, *input_tensors, *output_tensors;
} Params;

/* The delegate's memory, by handle. */
static float memory[8][4];
static int copies, frees, errors;
static bool keeps_outputs;

static TfLiteStatus copy_from(TfLiteContext *context, TfLiteDelegate *delegate, TfLiteBufferHandle handle,
                              TfLiteTensor *tensor) {
  (void)context;
  (void)delegate;
  copies++;
  SAY("from%d", handle);
  memcpy(tensor->data.raw, memory[handle], tensor->bytes);
  return kTfLiteOk;
}

static void free_handle(TfLiteContext *context, TfLiteDelegate *delegate, TfLiteBufferHandle *handle) {
  (void)context;
  (void)delegate;
  frees++;
  *handle = kTfLiteNullBufferHandle;
}

static void *init(TfLiteContext *context, const char *buffer, size_t length) {
  (void)context;
  (void)length;
  return ((const Params *)(const void *)buffer)->delegate;
}

/* Every output is 10 + the first input, from the delegate's memory if that has it. */
static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
  const TfLiteTensor *x = &context->tensors[node->inputs->data[0]];
  const float *values = x->data.f;
  int i, k;
  if (x->buffer_handle != kTfLiteNullBufferHandle && x->data_is_stale) {
    SAY("in%d", x->buffer_handle);
    values = memory[x->buffer_handle];
  }
  for (i = 0; i < node->outputs->size; i++) {
    TfLiteTensor *y = &context->tensors[node->outputs->data[i]];
    float *out = y->data.f;
    if (keeps_outputs) {
      y->buffer_handle = node->outputs->data[i];
      y->delegate = node->user_data;
      y->data_is_stale = true;
      out = memory[y->buffer_handle];
    }
    for (k = 0; k < 4; k++) {
      out[k] = 10 + values[k];
    }
  }
  return kTfLiteOk;
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *delegate) {
  TfLiteRegistration kernel;
  TfLiteIntArray *nodes = TfLiteIntArrayCreate(((int *)delegate->data_)[0]);
  int i;
  TfLiteStatus status;
  for (i = 0; i < nodes->size; i++) {
    nodes->data[i] = ((int *)delegate->data_)[1 + i];
  }
  memset(&kernel, 0, sizeof kernel);
  kernel.init = init;
  kernel.invoke = invoke;
  kernel.custom_name = "Kernel";
  kernel.version = 1;
  SAY("prepare");
  status = context->ReplaceNodeSubsetsWithDelegateKernels(context, kernel, nodes, delegate);
  TfLiteIntArrayFree(nodes);
  return status;
}

static TfLiteStatus fail(TfLiteContext *context, TfLiteDelegate *delegate) {
  (void)context;
  (void)delegate;
  return kTfLiteError;
}

/* Requests the nodes in `list`, which starts with their number. */
static TfLiteDelegate delegate_for(int *list) {
  TfLiteDelegate delegate;
  memset(&delegate, 0, sizeof delegate);
  delegate.data_ = list;
  delegate.Prepare = prepare;
  delegate.CopyFromBufferHandle = copy_from;
  delegate.FreeBufferHandle = free_handle;
  return delegate;
}

static void count_errors(void *user_data, const char *format, va_list arguments) {
  (void)user_data;
  (void)format;
  (void)arguments;
  errors++;
}

static TfLiteInterpreter *made(const char *name, TfLiteDelegate *delegate) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder(name));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  TfLiteInterpreterOptionsSetErrorReporter(options, count_errors, NULL);
  if (delegate != NULL) {
    TfLiteInterpreterOptionsAddDelegate(options, delegate);
  }
  interpreter = TfLiteInterpreterCreate(model, options);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
  return interpreter;
}

static void set_input(TfLiteInterpreter *interpreter) {
  static const float data[] = {1, 2, 3, 4};
  SAY("%d", TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), data, sizeof data));
}

static void say_output(TfLiteInterpreter *interpreter) {
  const TfLiteTensor *y = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  const float *values = TfLiteTensorData(y);
  SAY("y%g,%g", (double)values[0], (double)values[3]);
}

static void run(TfLiteInterpreter *interpreter) {
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  say_output(interpreter);
}

static void added_before_allocation(void) {
  int nodes[] = {1, 1};
  TfLiteDelegate delegate = delegate_for(nodes);
  TfLiteInterpreter *interpreter = made("chain.tflite", NULL);
  SAY("%d", TfLiteInterpreterModifyGraphWithDelegate(interpreter, &delegate));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_input(interpreter);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
}

static void added_after_a_run(void) {
  int nodes[] = {2, 0, 1};
  TfLiteDelegate delegate = delegate_for(nodes);
  TfLiteInterpreter *interpreter = made("chain.tflite", NULL);
  TfLiteTensor *x = TfLiteInterpreterGetInputTensor(interpreter, 0);
  const TfLiteTensor *y = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_input(interpreter);
  run(interpreter);
  SAY("%d", TfLiteInterpreterModifyGraphWithDelegate(interpreter, &delegate));
  SAY("%d %d", x == TfLiteInterpreterGetInputTensor(interpreter, 0), y == TfLiteInterpreterGetOutputTensor(interpreter, 0));
  set_input(interpreter);
  run(interpreter);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
}

static void two_are_added(void) {
  int first[] = {1, 0}, second[] = {1, 2};
  TfLiteDelegate a = delegate_for(first), b = delegate_for(second);
  TfLiteInterpreter *interpreter = made("chain.tflite", &a);
  SAY("%d", TfLiteInterpreterModifyGraphWithDelegate(interpreter, &b));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_input(interpreter);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
}

static void added_and_resized(void) {
  static const int dims[] = {4};
  int nodes[] = {1, 0};
  TfLiteDelegate delegate = delegate_for(nodes);
  TfLiteInterpreter *interpreter = made("chain.tflite", NULL);
  SAY("%d", TfLiteInterpreterModifyGraphWithDelegate(interpreter, &delegate));
  SAY("%d", TfLiteInterpreterResizeInputTensor(interpreter, 0, dims, 1));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_input(interpreter);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
}

static void failing_one_is_added(void) {
  int nodes[] = {1, 0};
  TfLiteDelegate good = delegate_for(nodes), bad = delegate_for(nodes);
  TfLiteInterpreter *interpreter = made("chain.tflite", NULL);
  bad.Prepare = fail;
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterModifyGraphWithDelegate(interpreter, &bad));
  SAY("%d", errors > 0);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_input(interpreter);
  run(interpreter);
  SAY("%d", TfLiteInterpreterModifyGraphWithDelegate(interpreter, &good));
  set_input(interpreter);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
}

static void null_is_added(void) {
  TfLiteInterpreter *interpreter = made("chain.tflite", NULL);
  SAY("%d", TfLiteInterpreterModifyGraphWithDelegate(interpreter, NULL));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  TfLiteInterpreterDelete(interpreter);
}

/* Values in the delegate's memory. */

static void output_is_copied(void) {
  int nodes[] = {1, 2};
  TfLiteDelegate delegate = delegate_for(nodes);
  TfLiteInterpreter *interpreter = made("chain.tflite", &delegate);
  keeps_outputs = true;
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_input(interpreter);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
  SAY("%d %d", copies, frees);
}

static void output_stays_until_it_is_read(void) {
  int nodes[] = {1, 2};
  TfLiteDelegate delegate = delegate_for(nodes), *owner = NULL;
  TfLiteBufferHandle handle = 77;
  TfLiteInterpreter *interpreter = made("chain.tflite", &delegate);
  keeps_outputs = true;
  TfLiteSetAllowBufferHandleOutput(interpreter, true);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_input(interpreter);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", TfLiteInterpreterGetOutputTensor(interpreter, 0)->data_is_stale);
  SAY("%d", TfLiteInterpreterGetBufferHandle(interpreter, TfLiteInterpreterGetOutputTensorIndex(interpreter, 0), &handle, &owner));
  SAY("%d %d", handle, owner == &delegate);
  SAY("%d", TfLiteInterpreterEnsureTensorDataIsReadable(interpreter, TfLiteInterpreterGetOutputTensorIndex(interpreter, 0)));
  SAY("%d", TfLiteInterpreterGetOutputTensor(interpreter, 0)->data_is_stale);
  say_output(interpreter);
  TfLiteInterpreterDelete(interpreter);
  SAY("%d %d", copies, frees);
}

static void value_between_two_partitions_is_copied_for_the_cpu(void) {
  int nodes[] = {2, 0, 2};
  TfLiteDelegate delegate = delegate_for(nodes);
  TfLiteInterpreter *interpreter = made("chain.tflite", &delegate);
  keeps_outputs = true;
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_input(interpreter);
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
  SAY("%d %d", copies, frees);
}

static void input_comes_from_the_delegate(void) {
  int nodes[] = {3, 0, 1, 2};
  TfLiteDelegate delegate = delegate_for(nodes);
  TfLiteInterpreter *interpreter = made("chain.tflite", &delegate);
  TfLiteTensor *x = TfLiteInterpreterGetInputTensor(interpreter, 0);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_input(interpreter);
  memory[5][0] = 50;
  memory[5][3] = 53;
  SAY("%d", TfLiteInterpreterSetBufferHandle(interpreter, x, 5, &delegate));
  x->data_is_stale = true;
  run(interpreter);
  SAY("%d", TfLiteInterpreterSetBufferHandle(interpreter, x, 6, &delegate));
  SAY("%d", frees);
  TfLiteInterpreterDelete(interpreter);
  SAY("%d %d", copies, frees);
}

static void input_is_copied_for_the_cpu(void) {
  int nodes[] = {1, 1};
  TfLiteDelegate delegate = delegate_for(nodes);
  TfLiteInterpreter *interpreter = made("chain.tflite", &delegate);
  TfLiteTensor *x = TfLiteInterpreterGetInputTensor(interpreter, 0);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_input(interpreter);
  memory[5][0] = 50;
  memory[5][3] = 53;
  SAY("%d", TfLiteInterpreterSetBufferHandle(interpreter, x, 5, &delegate));
  x->data_is_stale = true;
  run(interpreter);
  SAY("%d", x->data_is_stale);
  TfLiteInterpreterDelete(interpreter);
  SAY("%d %d", copies, frees);
}

static void input_cannot_be_copied(void) {
  int nodes[] = {1, 1};
  TfLiteDelegate delegate = delegate_for(nodes);
  TfLiteInterpreter *interpreter = made("chain.tflite", &delegate);
  TfLiteTensor *x = TfLiteInterpreterGetInputTensor(interpreter, 0);
  delegate.CopyFromBufferHandle = NULL;
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_input(interpreter);
  SAY("%d", TfLiteInterpreterSetBufferHandle(interpreter, x, 5, &delegate));
  x->data_is_stale = true;
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", errors > 0);
  x->data_is_stale = false;
  run(interpreter);
  TfLiteInterpreterDelete(interpreter);
  SAY("%d %d", copies, frees);
}

static void handle_of_another_delegate(void) {
  int nodes[] = {1, 1};
  TfLiteDelegate delegate = delegate_for(nodes), other = delegate_for(nodes);
  TfLiteInterpreter *interpreter = made("chain.tflite", &delegate);
  TfLiteTensor *x = TfLiteInterpreterGetInputTensor(interpreter, 0);
  SAY("%d", TfLiteInterpreterSetBufferHandle(interpreter, x, 5, &delegate));
  SAY("%d", TfLiteInterpreterSetBufferHandle(interpreter, x, 6, &other));
  TfLiteInterpreterDelete(interpreter);
  SAY("%d", frees);
}

int main(int argc, char **argv) {
#define CASE(name) {#name, name}
  static const Case cases[] = {
      CASE(added_before_allocation), CASE(added_after_a_run), CASE(two_are_added), CASE(added_and_resized),
      CASE(failing_one_is_added), CASE(null_is_added), CASE(output_is_copied),
      CASE(output_stays_until_it_is_read), CASE(value_between_two_partitions_is_copied_for_the_cpu),
      CASE(input_comes_from_the_delegate), CASE(input_is_copied_for_the_cpu), CASE(input_cannot_be_copied),
      CASE(handle_of_another_delegate),
  };
  return run_cases(cases, sizeof cases / sizeof *cases, argc, argv);
}
