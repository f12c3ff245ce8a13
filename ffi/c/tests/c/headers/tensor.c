/* Includes tensor.h alone, then tests properties, real numbers and loans. Compiled as C and as C++. */
#include <arenite/tensor.h>

#include "../check.h"

static void count_release(void *count) { ++*(int *)count; }

/* y = 0.5 (x + 1) with int8 input. */
static void quantization(const char *folder) {
  ArModel *model;
  ArInterpreter *interpreter;
  ArTensor *x;
  const ArTensor *y;
  const float given[4] = {-100.0f, 0.24f, 0.26f, 63.5f};
  int8_t bytes[4];
  float values[4];
  OK(ar_model_from_file(in_folder(folder, "quantized.tflite"), &model));
  OK(ar_interpreter_new(model, NULL, &interpreter));
  OK(ar_interpreter_input(interpreter, 0, &x));
  OK(ar_interpreter_output(interpreter, 0, &y));
  FAILS(AR_ERROR_STATE, "allocate", ar_tensor_quantize(x, given, 4));
  OK(ar_interpreter_allocate(interpreter));
  REQUIRE(ar_tensor_scale(x) == 0.5f && ar_tensor_zero_point(x) == -1);
  FAILS(AR_ERROR_ARGUMENT, "has 4 elements, but 3 values were passed", ar_tensor_quantize(x, given, 3));
  FAILS(AR_ERROR_ARGUMENT, "'values' is null", ar_tensor_dequantize(y, NULL, 4));
  OK(ar_tensor_quantize(x, given, 4));
  OK(ar_tensor_copy_to(x, bytes, 4));
  REQUIRE(bytes[0] == -128 && bytes[1] == -1 && bytes[2] == 0 && bytes[3] == 126);
  OK(ar_interpreter_invoke(interpreter));
  OK(ar_tensor_dequantize(y, values, 4));
  REQUIRE(values[0] == -63.5f && values[1] == 0.0f && values[2] == 0.5f && values[3] == 63.5f);
  OK(ar_tensor_dequantize(x, values, 4));
  REQUIRE(values[0] == -63.5f && values[3] == 63.5f);
  ar_interpreter_free(interpreter);
  ar_model_free(model);
}

/* Input and output are in memory of the program, so nothing is copied. */
static void loans(ArInterpreter *interpreter, ArTensor *x, const ArTensor *y) {
  static float memory[64 + 16];
  float *in = memory + (64 - (uintptr_t)memory % 64) % 64 / sizeof(float), *out = in + 32;
  int released = 0;
  const void *data;
  const ArDeviceMemory attic = {"attic", 1, 0, 24};
  FAILS(AR_ERROR_STATE, "no delegate 'attic' is set", ar_tensor_bind_device_memory(x, &attic)); /* devices.c binds some */
  FAILS(AR_ERROR_ARGUMENT, "'memory' is null", ar_tensor_bind_device_memory(x, NULL));
  FAILS(AR_ERROR_ARGUMENT, "'tensor' is null", ar_tensor_bind_device_memory(NULL, &attic));
  OK(ar_tensor_unbind_device_memory(x));
  FAILS(AR_ERROR_ARGUMENT, "no multiple of 64", ar_tensor_lend(x, in + 1, 24, count_release, &released));
  FAILS(AR_ERROR_ARGUMENT, "it needs 24 bytes, the memory lent to it has 23", ar_tensor_lend(x, in, 23, count_release, &released));
  FAILS(AR_ERROR_ARGUMENT, "'memory' is null", ar_tensor_lend(x, NULL, 24, count_release, &released));
  FAILS(AR_ERROR_ARGUMENT, "'tensor' is null", ar_tensor_lend(NULL, in, 24, count_release, &released));
  REQUIRE(released == 4);
  void *own;
  OK(ar_tensor_data_mut(x, &own));
  FAILS(AR_ERROR_ARGUMENT, "overlaps the interpreter's own", ar_tensor_lend(x, own, 24, count_release, &released));
  REQUIRE(released == 5);
  OK(ar_tensor_lend(x, in, 24, count_release, &released));
  FAILS(AR_ERROR_ARGUMENT, "overlaps it", ar_tensor_lend(y, in, 24, NULL, NULL));
  OK(ar_tensor_lend(y, out, 24, count_release, &released));
  FAILS(AR_ERROR_STATE, "allocate", ar_interpreter_invoke(interpreter));
  OK(ar_interpreter_allocate(interpreter));
  for (int i = 0; i < 6; i++) in[i] = (float)(i * i);
  OK(ar_interpreter_invoke(interpreter));
  for (int i = 0; i < 6; i++) REQUIRE(out[i] == (float)i);
  OK(ar_tensor_data(y, &data));
  REQUIRE(data == out);
  OK(ar_tensor_take_back(y));
  REQUIRE(released == 6);
  OK(ar_tensor_take_back(y));
  OK(ar_interpreter_allocate(interpreter));
  ar_interpreter_free(interpreter);
  REQUIRE(released == 7);
}

void test_tensor(const char *folder) {
  ArModel *model;
  ArInterpreter *interpreter;
  ArTensor *x;
  const ArTensor *y, *channels;
  ArQuantization q;
  const int32_t dims[2] = {2, 3};
  size_t rank = 7;
  void *writable;
  OK(ar_model_from_file(in_folder(folder, "sqrt.tflite"), &model));
  OK(ar_interpreter_new(model, NULL, &interpreter));
  ar_model_free(model);
  OK(ar_interpreter_input(interpreter, 0, &x));
  OK(ar_interpreter_output(interpreter, 0, &y));
  OK(ar_interpreter_output(interpreter, 1, &channels));
  REQUIRE(strcmp(ar_tensor_name(y), "y") == 0 && ar_tensor_type(x) == AR_TYPE_FLOAT32 && ar_tensor_rank(x) == 2);
  REQUIRE(ar_tensor_dim(x, 1) == 3 && ar_tensor_element_count(x) == 6 && ar_tensor_byte_size(x) == 24);
  REQUIRE(!ar_tensor_shape_signature(x, &rank) && rank == 0 && !ar_tensor_shape_signature(x, NULL));
  REQUIRE(ar_tensor_is_constant(channels) && !ar_tensor_is_variable(x));
  REQUIRE(ar_tensor_subgraph(y) == 0 && ar_tensor_index(y) == 2);
  OK(ar_tensor_quantization(channels, &q));
  REQUIRE(q.count == 3 && q.dimension == 1 && q.scales[1] == 0.25f && q.zero_points[1] == 0);
  REQUIRE(strcmp(ar_type_name(AR_TYPE_INT4), "INT4") == 0 && ar_type_bits(AR_TYPE_INT4) == 4 && ar_type_bits(1000) == 0);
  FAILS(AR_ERROR_ARGUMENT, "not an input", ar_tensor_resize((ArTensor *)(uintptr_t)y, dims, 2));
  OK(ar_tensor_resize(x, dims, 2));
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_tensor_data_mut(x, &writable));
  FAILS(AR_ERROR_ARGUMENT, "not an input", ar_tensor_data_mut((ArTensor *)(uintptr_t)y, &writable));
  loans(interpreter, x, y);
  quantization(folder);
}
