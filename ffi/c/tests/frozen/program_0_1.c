/* program MODEL PLUGINS: runs the model with the op of plugin_0_1.c. It includes no header of arenite: what it
   declares is what the first ones said. Never change it; it must run with every library of major version 0. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct Error Error;
typedef struct { const float *scales; const int64_t *zero_points; size_t count; int32_t dimension; } Quantization;
typedef struct { const char *key, *value; } Option;
uint32_t ar_error_code(const Error *error);
const char *ar_error_message(const Error *error);
void ar_error_free(Error *error);
Error *ar_model_from_file(const char *path, void **model);
void ar_model_free(void *model);
void *ar_options_new(void);
Error *ar_options_add_plugin_dir(void *options, const char *path);
Error *ar_options_add_delegate(void *options, const char *name, uint32_t on_missing, const Option *options_, size_t count);
Error *ar_options_set_threads(void *options, uint32_t count);
void ar_options_free(void *options);
Error *ar_interpreter_new(const void *model, const void *options, void **interpreter);
Error *ar_interpreter_allocate(void *interpreter);
Error *ar_interpreter_invoke(void *interpreter);
Error *ar_interpreter_input(void *interpreter, size_t index, void **tensor);
Error *ar_interpreter_output(const void *interpreter, size_t index, const void **tensor);
void ar_interpreter_free(void *interpreter);
uint32_t ar_tensor_type(const void *tensor);
size_t ar_tensor_byte_size(const void *tensor);
Error *ar_tensor_quantization(const void *tensor, Quantization *quantization);
Error *ar_tensor_copy_from(void *tensor, const void *buffer, size_t size);
Error *ar_tensor_copy_to(const void *tensor, void *buffer, size_t size);

static int failed(Error *error) {
  if (!error) return 0;
  fprintf(stderr, "error %u: %s\n", (unsigned)ar_error_code(error), ar_error_message(error));
  ar_error_free(error);
  return 1;
}

int main(int argc, char **argv) {
  void *model, *interpreter, *input;
  const void *output;
  float x = 21.0f, y = 0.0f;
  Quantization quantization;
  Option unknown = {"threads", "2"};
  if (argc != 3 || failed(ar_model_from_file(argv[1], &model))) return 1;
  void *options = ar_options_new();
  if (!options || failed(ar_options_set_threads(options, 1)) || failed(ar_options_add_plugin_dir(options, argv[2]))) return 2;
  if (failed(ar_options_add_delegate(options, "absent", 1, &unknown, 1))) return 3;
  if (failed(ar_interpreter_new(model, options, &interpreter)) || failed(ar_interpreter_allocate(interpreter))) return 4;
  if (failed(ar_interpreter_input(interpreter, 0, &input)) || failed(ar_interpreter_output(interpreter, 0, &output))) return 5;
  if (ar_tensor_type(input) != 0 || ar_tensor_byte_size(output) != sizeof y) return 6;
  if (failed(ar_tensor_quantization(input, &quantization)) || quantization.count != 0 || quantization.scales) return 7;
  if (failed(ar_tensor_copy_from(input, &x, sizeof x)) || failed(ar_interpreter_invoke(interpreter))) return 8;
  if (failed(ar_tensor_copy_to(output, &y, sizeof y)) || y != 42.0f) return 9;
  Error *error = ar_tensor_copy_to(output, &y, 1);
  if (ar_error_code(error) != 1 || !strstr(ar_error_message(error), "bytes")) return 10;
  ar_error_free(error);
  ar_interpreter_free(interpreter);
  ar_options_free(options);
  ar_model_free(model);
  return 0;
}
