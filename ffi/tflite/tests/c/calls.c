/* Functions of c_api.h, common.h and c_api_experimental.h that TensorFlow Lite's library of 2022 has too: wrong
 * states, null pointers, wrong sizes and wrong orders of calls. Can be linked against either library. */
#ifdef REAL_HEADERS
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/common.h"
#endif
#include "tflite.h"

#include "cases.h"
#include "interpreters.h"

static TfLiteTensor *input(TfLiteInterpreter *interpreter) { return TfLiteInterpreterGetInputTensor(interpreter, 0); }

static const TfLiteTensor *output(TfLiteInterpreter *interpreter) {
  return TfLiteInterpreterGetOutputTensor(interpreter, 0);
}

static void say_dims(const TfLiteTensor *tensor) {
  int i;
  printf("[");
  for (i = 0; i < TfLiteTensorNumDims(tensor); i++) {
    printf("%d;", TfLiteTensorDim(tensor, i));
  }
  SAY("]");
}

static void say_floats(const TfLiteTensor *tensor) {
  size_t i;
  const float *data = TfLiteTensorData(tensor);
  for (i = 0; i < TfLiteTensorByteSize(tensor) / sizeof(float); i++) {
    SAY("%g", (double)data[i]);
  }
}

static void set_floats(TfLiteTensor *tensor, const float *data, size_t count) {
  SAY("%d", TfLiteTensorCopyFromBuffer(tensor, data, count * sizeof(float)));
}

static const float NINE[] = {1, 4, 9, 16};

/* Models. */

static void version(void) { SAY("%d", TfLiteVersion() != NULL && TfLiteVersion()[0] == '2'); }

static void *read_file(const char *name, size_t *size) {
  FILE *file = fopen(in_folder(name), "rb");
  char *bytes = malloc(1 << 16);
  if (file == NULL || bytes == NULL) {
    abort();
  }
  *size = fread(bytes, 1, 1 << 16, file);
  fclose(file);
  return bytes;
}

static void model_from_bytes(void) {
  size_t size = 0;
  void *bytes = read_file("sqrt.tflite", &size);
  TfLiteModel *model = TfLiteModelCreate(bytes, size);
  TfLiteInterpreter *interpreter = TfLiteInterpreterCreate(model, NULL);
  SAY("%d %d", model != NULL, TfLiteInterpreterAllocateTensors(interpreter));
  TfLiteModelDelete(model);
  TfLiteInterpreterDelete(interpreter);
  free(bytes);
}

static void model_bytes_freed_before_interpreter(void) {
  size_t size = 0;
  void *bytes = read_file("add_constant.tflite", &size);
  TfLiteModel *model = TfLiteModelCreate(bytes, size);
  TfLiteInterpreter *interpreter = TfLiteInterpreterCreate(model, NULL);
  TfLiteModelDelete(model);
  memset(bytes, 0xEE, size);
  free(bytes);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_floats(input(interpreter), NINE, 4);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  say_floats(output(interpreter));
}

static void model_from_bad_bytes(void) {
  size_t size = 0;
  void *bytes = read_file("sqrt.tflite", &size);
  SAY("%d", TfLiteModelCreate(bytes, size / 2) == NULL);
  SAY("%d", TfLiteModelCreate(bytes, 0) == NULL);
  memset(bytes, 'x', size);
  SAY("%d", TfLiteModelCreate(bytes, size) == NULL);
  free(bytes);
}

static void model_from_null_bytes(void) { SAY("%d", TfLiteModelCreate(NULL, 16) == NULL); }

static void model_from_missing_file(void) {
  SAY("%d", TfLiteModelCreateFromFile(in_folder("none.tflite")) == NULL);
  SAY("%d", TfLiteModelCreateFromFile("") == NULL);
}

static void model_from_null_path(void) { SAY("%d", TfLiteModelCreateFromFile(NULL) == NULL); }

static void model_delete_null(void) { TfLiteModelDelete(NULL); }

/* Options. */

static void options_delete_null(void) { TfLiteInterpreterOptionsDelete(NULL); }

static void options_set_on_null(void) { TfLiteInterpreterOptionsSetNumThreads(NULL, 2); }

static void options_threads(void) {
  static const int counts[] = {1, 4, 0, -1, -5};
  size_t i;
  for (i = 0; i < sizeof counts / sizeof *counts; i++) {
    TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
    TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
    TfLiteInterpreter *interpreter;
    TfLiteInterpreterOptionsSetNumThreads(options, counts[i]);
    interpreter = TfLiteInterpreterCreate(model, options);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
    set_floats(input(interpreter), NINE, 4);
    SAY("%d", TfLiteInterpreterInvoke(interpreter));
    TfLiteInterpreterDelete(interpreter);
  }
}

static void count_errors(void *user_data, const char *format, va_list arguments) {
  char text[1024];
  vsnprintf(text, sizeof text, format, arguments);
  if (text[0] != 0) {
    *(int *)user_data += 1;
  }
}

static void options_reporter(void) {
  int errors = 0;
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  TfLiteInterpreterOptionsSetErrorReporter(options, count_errors, &errors);
  interpreter = TfLiteInterpreterCreate(model, options);
  TfLiteInterpreterOptionsDelete(options);
  SAY("%d", errors);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", errors > 0);
  TfLiteInterpreterDelete(interpreter);
  TfLiteModelDelete(model);
}

static void options_reporter_at_create(void) {
  int errors = 0;
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("unknown_builtin.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsSetErrorReporter(options, count_errors, &errors);
  SAY("%d", TfLiteInterpreterCreate(model, options) == NULL);
  SAY("%d", errors > 0);
}

static void options_delegate_null(void) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsAddDelegate(options, NULL);
  SAY("%d", TfLiteInterpreterCreate(model, options) == NULL);
}

static void options_without_effect(void) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  TfLiteInterpreterOptionsSetEnableDelegateFallback(options, true);
  TfLiteInterpreterOptionsSetUseNNAPI(options, false);
  interpreter = TfLiteInterpreterCreate(model, options);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_floats(input(interpreter), NINE, 4);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  TfLiteSetAllowBufferHandleOutput(interpreter, true);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
}

/* Interpreters. */

static void create_from_null(void) { SAY("%d", TfLiteInterpreterCreate(NULL, NULL) == NULL); }

static void create_with_unknown_builtin(void) { SAY("%d", made("unknown_builtin.tflite") == NULL); }

static void create_with_unknown_custom(void) {
  TfLiteInterpreter *interpreter = made("custom.tflite");
  SAY("%d", interpreter != NULL);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
}

static void delete_null(void) { TfLiteInterpreterDelete(NULL); }

static void counts(void) {
  TfLiteInterpreter *interpreter = made("sqrt.tflite");
  SAY("%d %d", TfLiteInterpreterGetInputTensorCount(interpreter), TfLiteInterpreterGetOutputTensorCount(interpreter));
  SAY("%d %d", TfLiteInterpreterGetInputTensorIndex(interpreter, 0),
      TfLiteInterpreterGetOutputTensorIndex(interpreter, 0));
}

static void counts_of_null(void) { SAY("%d", TfLiteInterpreterGetInputTensorCount(NULL)); }

static void input_of_null(void) { SAY("%d", TfLiteInterpreterGetInputTensor(NULL, 0) == NULL); }

static void allocate_null(void) { SAY("%d", TfLiteInterpreterAllocateTensors(NULL)); }

static void invoke_null(void) { SAY("%d", TfLiteInterpreterInvoke(NULL)); }

static void invoke_before_allocate(void) { SAY("%d", TfLiteInterpreterInvoke(made("sqrt.tflite"))); }

static void allocate_twice(void) {
  TfLiteInterpreter *interpreter = allocated("sqrt.tflite");
  void *data = TfLiteTensorData(input(interpreter));
  SAY("%d %d", TfLiteInterpreterAllocateTensors(interpreter), data == TfLiteTensorData(input(interpreter)));
}

static void invoke_twice(void) {
  TfLiteInterpreter *interpreter = allocated("sqrt.tflite");
  set_floats(input(interpreter), NINE, 4);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  say_floats(output(interpreter));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  say_floats(output(interpreter));
  say_floats(input(interpreter));
}

static void two_interpreters_of_a_model(void) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
  TfLiteInterpreter *one = TfLiteInterpreterCreate(model, NULL);
  TfLiteInterpreter *two = TfLiteInterpreterCreate(model, NULL);
  TfLiteModelDelete(model);
  SAY("%d %d", TfLiteInterpreterAllocateTensors(one), TfLiteInterpreterAllocateTensors(two));
  set_floats(input(one), NINE, 4);
  TfLiteInterpreterDelete(two);
  SAY("%d", TfLiteInterpreterInvoke(one));
  say_floats(output(one));
}

/* Tensors. */

static void tensor_before_allocate(void) {
  TfLiteTensor *tensor = input(made("sqrt.tflite"));
  SAY("%d %d", TfLiteTensorType(tensor), (int)TfLiteTensorByteSize(tensor));
  say_dims(tensor);
  SAY("%s %d", TfLiteTensorName(tensor), TfLiteTensorData(tensor) == NULL);
}

static void tensor_after_allocate(void) {
  TfLiteTensor *tensor = input(allocated("sqrt.tflite"));
  SAY("%d %d", TfLiteTensorType(tensor), (int)TfLiteTensorByteSize(tensor));
  say_dims(tensor);
  SAY("%s %d", TfLiteTensorName(tensor), TfLiteTensorData(tensor) == NULL);
}

static void tensor_fields(void) {
  TfLiteInterpreter *interpreter = allocated("sqrt.tflite");
  TfLiteTensor *tensor = input(interpreter);
  SAY("%d %d %d %s", tensor->type, (int)tensor->bytes, tensor->allocation_type, tensor->name);
  SAY("%d %d", tensor->dims->size, tensor->dims->data[0]);
  SAY("%d", tensor->data.raw == TfLiteTensorData(tensor));
  SAY("%d %d %d", tensor->is_variable, tensor->data_is_stale, tensor->buffer_handle);
  SAY("%d %d", tensor->quantization.type, tensor->sparsity == NULL);
}

static void tensor_signature(void) {
  TfLiteInterpreter *interpreter = allocated("batch.tflite");
  const TfLiteIntArray *dims = input(interpreter)->dims_signature;
  SAY("%d %d %d", dims->size, dims->data[0], dims->data[1]);
  SAY("%d", input(made("sqrt.tflite"))->dims_signature == NULL);
}

static void tensor_address_is_stable(void) {
  static const int dims[] = {8};
  TfLiteInterpreter *interpreter = made("sqrt.tflite");
  TfLiteTensor *before = input(interpreter);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterResizeInputTensor(interpreter, 0, dims, 1));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d %d", before == input(interpreter), (int)TfLiteTensorByteSize(before));
}

static void tensor_quantized(void) {
  TfLiteInterpreter *interpreter = allocated("quantized.tflite");
  TfLiteQuantizationParams params = TfLiteTensorQuantizationParams(input(interpreter));
  const TfLiteAffineQuantization *affine = input(interpreter)->quantization.params;
  SAY("%d %g %d", TfLiteTensorType(input(interpreter)), (double)params.scale, params.zero_point);
  SAY("%d %d %d", input(interpreter)->quantization.type, affine->scale->size, affine->zero_point->size);
  SAY("%g %d", (double)affine->scale->data[0], affine->zero_point->data[0]);
}

static void tensor_not_quantized(void) {
  TfLiteQuantizationParams params = TfLiteTensorQuantizationParams(input(allocated("sqrt.tflite")));
  SAY("%g %d", (double)params.scale, params.zero_point);
}

static void tensor_type_of_null(void) { SAY("%d", TfLiteTensorType(NULL)); }
static void tensor_dims_of_null(void) { SAY("%d", TfLiteTensorNumDims(NULL)); }
static void tensor_dim_of_null(void) { SAY("%d", TfLiteTensorDim(NULL, 0)); }
static void tensor_size_of_null(void) { SAY("%d", (int)TfLiteTensorByteSize(NULL)); }
static void tensor_data_of_null(void) { SAY("%d", TfLiteTensorData(NULL) == NULL); }
static void tensor_name_of_null(void) { SAY("%d", TfLiteTensorName(NULL) == NULL); }
static void tensor_params_of_null(void) { SAY("%d", TfLiteTensorQuantizationParams(NULL).zero_point); }
static void copy_to_null_tensor(void) { SAY("%d", TfLiteTensorCopyFromBuffer(NULL, NINE, 16)); }

static void copy_from_null(void) {
  SAY("%d", TfLiteTensorCopyFromBuffer(input(allocated("sqrt.tflite")), NULL, 16));
}

static void copy_to_null(void) {
  SAY("%d", TfLiteTensorCopyToBuffer(output(allocated("sqrt.tflite")), NULL, 16));
}

static void copy_with_wrong_size(void) {
  float data[8] = {0};
  TfLiteInterpreter *interpreter = allocated("sqrt.tflite");
  static const size_t sizes[] = {0, 4, 15, 17, 32};
  size_t i;
  for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    SAY("%d", TfLiteTensorCopyFromBuffer(input(interpreter), data, sizes[i]));
    SAY("%d", TfLiteTensorCopyToBuffer(output(interpreter), data, sizes[i]));
  }
}

static void copy_before_allocate(void) {
  SAY("%d", TfLiteTensorCopyFromBuffer(input(made("sqrt.tflite")), NINE, sizeof NINE));
}

static void copy_both_ways(void) {
  float data[4];
  TfLiteInterpreter *interpreter = allocated("sqrt.tflite");
  set_floats(input(interpreter), NINE, 4);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", TfLiteTensorCopyToBuffer(output(interpreter), data, sizeof data));
  SAY("%g %g", (double)data[0], (double)data[3]);
}

/* Shapes. */

static void resize_and_invoke(void) {
  static const int dims[] = {2};
  TfLiteInterpreter *interpreter = allocated("sqrt.tflite");
  SAY("%d", TfLiteInterpreterResizeInputTensor(interpreter, 0, dims, 1));
  SAY("%d %d", (int)TfLiteTensorByteSize(input(interpreter)), TfLiteTensorData(input(interpreter)) == NULL);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  set_floats(input(interpreter), NINE + 2, 2);
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  say_dims(output(interpreter));
  say_floats(output(interpreter));
}

static void resize_to_the_same(void) {
  static const int dims[] = {4};
  TfLiteInterpreter *interpreter = allocated("sqrt.tflite");
  set_floats(input(interpreter), NINE, 4);
  SAY("%d", TfLiteInterpreterResizeInputTensor(interpreter, 0, dims, 1));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  say_floats(output(interpreter));
}

static void resize_before_allocate(void) {
  static const int dims[] = {2, 3};
  TfLiteInterpreter *interpreter = made("sqrt.tflite");
  SAY("%d", TfLiteInterpreterResizeInputTensor(interpreter, 0, dims, 2));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  say_dims(input(interpreter));
  say_dims(output(interpreter));
}

static void resize_to_scalar(void) {
  TfLiteInterpreter *interpreter = made("sqrt.tflite");
  SAY("%d", TfLiteInterpreterResizeInputTensor(interpreter, 0, NULL, 0));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d %d", TfLiteTensorNumDims(output(interpreter)), (int)TfLiteTensorByteSize(output(interpreter)));
}

static void resize_to_empty(void) {
  static const int dims[] = {0};
  TfLiteInterpreter *interpreter = made("sqrt.tflite");
  SAY("%d", TfLiteInterpreterResizeInputTensor(interpreter, 0, dims, 1));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  SAY("%d", (int)TfLiteTensorByteSize(output(interpreter)));
}

static void resize_to_negative(void) {
  static const int dims[] = {-3};
  SAY("%d", TfLiteInterpreterResizeInputTensor(made("sqrt.tflite"), 0, dims, 1));
}

static void resize_to_overflow(void) {
  static const int dims[] = {1 << 30, 1 << 30, 1 << 30};
  SAY("%d", TfLiteInterpreterResizeInputTensor(made("sqrt.tflite"), 0, dims, 3));
}

static void resize_with_null_dims(void) {
  SAY("%d", TfLiteInterpreterResizeInputTensor(made("sqrt.tflite"), 0, NULL, 2));
}

static void resize_with_negative_count(void) {
  static const int dims[] = {2};
  SAY("%d", TfLiteInterpreterResizeInputTensor(made("sqrt.tflite"), 0, dims, -1));
}

static void resize_null(void) {
  static const int dims[] = {2};
  SAY("%d", TfLiteInterpreterResizeInputTensor(NULL, 0, dims, 1));
}

static void resize_invalid_input(void) {
  static const int dims[] = {3};
  TfLiteInterpreter *interpreter = made("add_constant.tflite");
  SAY("%d", TfLiteInterpreterResizeInputTensor(interpreter, 0, dims, 1));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
}

static void dynamic_output(void) {
  static const bool first[] = {true, false, true, false};
  static const bool second[] = {true, true, true, false};
  TfLiteInterpreter *interpreter = allocated("where.tflite");
  SAY("%d", TfLiteTensorData(output(interpreter)) == NULL);
  SAY("%d", TfLiteTensorCopyFromBuffer(input(interpreter), first, sizeof first));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  say_dims(output(interpreter));
  SAY("%d", (int)((const int64_t *)TfLiteTensorData(output(interpreter)))[1]);
  SAY("%d", TfLiteTensorCopyFromBuffer(input(interpreter), second, sizeof second));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  say_dims(output(interpreter));
  SAY("%d %d", (int)((const int64_t *)TfLiteTensorData(output(interpreter)))[1], output(interpreter)->allocation_type);
}

/* Variables. */

static void reset_variables(void) {
  TfLiteInterpreter *interpreter = made("sqrt.tflite");
  SAY("%d", TfLiteInterpreterResetVariableTensors(interpreter));
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteInterpreterResetVariableTensors(interpreter));
}

static void reset_variables_of_null(void) { SAY("%d", TfLiteInterpreterResetVariableTensors(NULL)); }

static void delegate_null(void) {
  SAY("%d", TfLiteInterpreterModifyGraphWithDelegate(made("sqrt.tflite"), NULL));
}

/* Arrays and tensors that the program owns. */

static void int_arrays(void) {
  static const int data[] = {3, 4};
  TfLiteIntArray *a = TfLiteIntArrayCreate(2);
  TfLiteIntArray *b;
  a->data[0] = 3;
  a->data[1] = 4;
  b = TfLiteIntArrayCopy(a);
  SAY("%d %d %d", (int)TfLiteIntArrayGetSizeInBytes(2), (int)TfLiteIntArrayGetSizeInBytes(0), a->size);
  SAY("%d %d %d", TfLiteIntArrayEqual(a, b), TfLiteIntArrayEqual(a, a), TfLiteIntArrayEqualsArray(a, 2, data));
  b->data[1] = 5;
  SAY("%d %d", TfLiteIntArrayEqual(a, b), TfLiteIntArrayEqualsArray(a, 1, data));
  SAY("%d", TfLiteIntArrayCopy(NULL) == NULL);
  TfLiteIntArrayFree(a);
  TfLiteIntArrayFree(b);
  TfLiteIntArrayFree(NULL);
}

static void int_array_equal_null(void) {
  TfLiteIntArray *a = TfLiteIntArrayCreate(0);
  SAY("%d %d", TfLiteIntArrayEqual(NULL, NULL), TfLiteIntArrayEqual(a, NULL));
}

static void float_arrays(void) {
  TfLiteFloatArray *a = TfLiteFloatArrayCreate(3);
  SAY("%d %d", a->size, TfLiteFloatArrayGetSizeInBytes(3));
  TfLiteFloatArrayFree(a);
  TfLiteFloatArrayFree(NULL);
}

static void type_names(void) {
  int type;
  for (type = 0; type <= 16; type++) {
    SAY("%s", TfLiteTypeGetName((TfLiteType)type));
  }
}

static void name_of_unknown_type(void) { SAY("%s", TfLiteTypeGetName((TfLiteType)77)); }

static void own_tensor(void) {
  TfLiteQuantizationParams params = {0.5f, 3};
  TfLiteTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  TfLiteTensorReset(kTfLiteFloat32, "own", TfLiteIntArrayCreate(1), params, NULL, 0, kTfLiteDynamic, NULL, true, &tensor);
  SAY("%d %s %d %g %d", tensor.type, tensor.name, tensor.is_variable, (double)tensor.params.scale, tensor.dims->size);
  TfLiteTensorRealloc(8, &tensor);
  SAY("%d %d", (int)tensor.bytes, tensor.data.raw != NULL);
  tensor.data.f[0] = 7;
  TfLiteTensorRealloc(800, &tensor);
  SAY("%d %g", (int)tensor.bytes, (double)tensor.data.f[0]);
  TfLiteTensorDataFree(&tensor);
  SAY("%d", tensor.data.raw == NULL);
  TfLiteTensorFree(&tensor);
  SAY("%d", tensor.dims == NULL);
}

static void own_tensor_of_arena(void) {
  float data[2] = {1, 2};
  TfLiteTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.allocation_type = kTfLiteArenaRw;
  tensor.data.f = data;
  tensor.bytes = sizeof data;
  TfLiteTensorRealloc(800, &tensor);
  SAY("%d %d", (int)tensor.bytes, tensor.data.f == data);
}

static void own_tensor_copied(void) {
  float from[2] = {1, 2}, to[2] = {0, 0};
  TfLiteTensor a, b;
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  a.type = kTfLiteFloat32;
  a.data.f = from;
  b.data.f = to;
  a.bytes = sizeof from;
  SAY("%d", TfLiteTensorCopy(&a, &b));
  b.bytes = sizeof to;
  SAY("%d %d %g", TfLiteTensorCopy(&a, &b), b.type, (double)to[1]);
  SAY("%d %d", TfLiteTensorCopy(NULL, &b), TfLiteTensorCopy(&a, NULL));
}

static void frees_of_null(void) {
  TfLiteQuantization none = {kTfLiteNoQuantization, NULL};
  TfLiteSparsityFree(NULL);
  TfLiteQuantizationFree(&none);
  SAY("%d", none.params == NULL);
}

static void tensor_free_null(void) { TfLiteTensorFree(NULL); }

int main(int argc, char **argv) {
#define CASE(name) {#name, name}
  static const Case cases[] = {
      CASE(version), CASE(model_from_bytes), CASE(model_bytes_freed_before_interpreter), CASE(model_from_bad_bytes),
      CASE(model_from_null_bytes), CASE(model_from_missing_file), CASE(model_from_null_path), CASE(model_delete_null),
      CASE(options_delete_null), CASE(options_set_on_null), CASE(options_threads), CASE(options_reporter),
      CASE(options_reporter_at_create), CASE(options_delegate_null), CASE(options_without_effect), CASE(create_from_null),
      CASE(create_with_unknown_builtin), CASE(create_with_unknown_custom), CASE(delete_null), CASE(counts),
      CASE(counts_of_null), CASE(input_of_null), CASE(allocate_null), CASE(invoke_null), CASE(invoke_before_allocate),
      CASE(allocate_twice), CASE(invoke_twice), CASE(two_interpreters_of_a_model), CASE(tensor_before_allocate),
      CASE(tensor_after_allocate), CASE(tensor_fields), CASE(tensor_signature), CASE(tensor_address_is_stable),
      CASE(tensor_quantized), CASE(tensor_not_quantized), CASE(tensor_type_of_null), CASE(tensor_dims_of_null),
      CASE(tensor_dim_of_null), CASE(tensor_size_of_null), CASE(tensor_data_of_null), CASE(tensor_name_of_null),
      CASE(tensor_params_of_null), CASE(copy_to_null_tensor), CASE(copy_from_null), CASE(copy_to_null),
      CASE(copy_with_wrong_size), CASE(copy_before_allocate), CASE(copy_both_ways), CASE(resize_and_invoke),
      CASE(resize_to_the_same), CASE(resize_before_allocate), CASE(resize_to_scalar), CASE(resize_to_empty),
      CASE(resize_to_negative), CASE(resize_to_overflow), CASE(resize_with_null_dims), CASE(resize_with_negative_count),
      CASE(resize_null), CASE(resize_invalid_input), CASE(dynamic_output), CASE(reset_variables),
      CASE(reset_variables_of_null), CASE(delegate_null), CASE(int_arrays), CASE(int_array_equal_null),
      CASE(float_arrays), CASE(type_names), CASE(name_of_unknown_type), CASE(own_tensor), CASE(own_tensor_of_arena),
      CASE(own_tensor_copied), CASE(frees_of_null), CASE(tensor_free_null),
  };
  return run_cases(cases, sizeof cases / sizeof *cases, argc, argv);
}
