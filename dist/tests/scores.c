/* scores MODEL PICTURE.pgm [DELEGATE]: prints the scores for a picture, computed by the delegate alone if there is one.
 * `scores --plugins`: prints the ids of the plugins found. */
#include <arenite.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 256 /* pixels */

static void check(ArError *error) {
  if (!error) return;
  fprintf(stderr, "error: %s\n", ar_error_message(error));
  exit(1);
}

static void list_plugins(void) {
  ArRegistry *registry;
  check(ar_registry_new(NULL, &registry));
  for (size_t i = 0; i < ar_registry_plugin_count(registry); i++) {
    puts(ar_plugin_id(ar_registry_plugin(registry, i)));
  }
  ar_registry_free(registry);
}

int main(int argc, char **argv) {
  unsigned char bytes[COUNT];
  float pixels[COUNT], scores[10];
  ArModel *model;
  ArOptions *options = NULL;
  ArInterpreter *interpreter;
  ArTensor *input;
  const ArTensor *output;
  if (argc == 2 && strcmp(argv[1], "--plugins") == 0) {
    list_plugins();
    return 0;
  }
  FILE *file = argc == 3 || argc == 4 ? fopen(argv[2], "rb") : NULL;
  if (!file || fscanf(file, "P5 16 16 255%*c") == EOF || fread(bytes, 1, COUNT, file) != COUNT) return 2;
  fclose(file);
  for (int i = 0; i < COUNT; i++) pixels[i] = (float)bytes[i] / 127.5f - 1.0f;

  if (argc == 4) {
    options = ar_options_new();
    check(ar_options_add_delegate(options, argv[3], AR_ON_MISSING_ERROR, NULL, 0));
    check(ar_options_require_delegate(options, argv[3], NULL));
  }
  check(ar_model_from_file(argv[1], &model));
  check(ar_interpreter_new(model, options, &interpreter));
  check(ar_interpreter_allocate(interpreter));
  check(ar_interpreter_input(interpreter, 0, &input));
  check(ar_tensor_quantize(input, pixels, COUNT));
  check(ar_interpreter_invoke(interpreter));
  check(ar_interpreter_output(interpreter, 0, &output));
  check(ar_tensor_dequantize(output, scores, 10));
  for (int i = 0; i < 10; i++) printf("%d %.9g\n", i, (double)scores[i]);
  ar_interpreter_free(interpreter);
  ar_model_free(model);
  ar_options_free(options);
  return 0;
}
