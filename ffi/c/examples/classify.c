/*
 * Classifies a picture with the models of examples/digits. The picture is a binary PGM file (P5, 8 bits) of the size of
 * the model's input.
 *
 *   cc -std=c11 classify.c $(pkg-config --cflags --libs arenite) -lm -o classify
 *   ./classify digits_i8.tflite seven.pgm
 */
#include <arenite.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Exits with the error's message. */
static void check(ArError *error) {
  if (error) {
    fprintf(stderr, "error: %s\n", ar_error_message(error));
    ar_error_free(error);
    exit(1);
  }
}

/* Reads a picture with exactly `count` pixels. */
static void read_picture(const char *path, unsigned char *pixels, size_t count) {
  FILE *file = fopen(path, "rb");
  unsigned width, height, white;
  if (!file || fscanf(file, "P5 %u %u %u", &width, &height, &white) != 3 || white != 255 || fgetc(file) == EOF ||
      (size_t)width * height != count || fread(pixels, 1, count, file) != count) {
    fprintf(stderr, "error: %s is not a PGM picture with %zu pixels of 8 bits\n", path, count);
    exit(1);
  }
  fclose(file);
}

/* Fills the input with p / 127.5 - 1, quantized if the input is. */
static void set_pixels(ArTensor *input, const unsigned char *pixels, size_t count) {
  void *data;
  check(ar_tensor_data_mut(input, &data));
  for (size_t i = 0; i < count; i++) {
    float value = (float)pixels[i] / 127.5f - 1.0f;
    if (ar_tensor_type(input) == AR_TYPE_INT8) {
      float q = roundf(value / ar_tensor_scale(input)) + (float)ar_tensor_zero_point(input);
      ((int8_t *)data)[i] = (int8_t)fminf(fmaxf(q, -128.0f), 127.0f);
    } else {
      ((float *)data)[i] = value;
    }
  }
}

/* Element `i` of the output as a real number. */
static float score(const ArTensor *output, const void *data, size_t i) {
  if (ar_tensor_type(output) == AR_TYPE_INT8) {
    return ar_tensor_scale(output) * (float)(((const int8_t *)data)[i] - ar_tensor_zero_point(output));
  }
  return ((const float *)data)[i];
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s MODEL.tflite PICTURE.pgm\n", argv[0]);
    return 2;
  }
  ArModel *model;
  ArInterpreter *interpreter;
  check(ar_model_from_file(argv[1], &model));
  check(ar_interpreter_new(model, NULL, &interpreter));
  check(ar_interpreter_allocate(interpreter));

  ArTensor *input;
  check(ar_interpreter_input(interpreter, 0, &input));
  uint32_t type = ar_tensor_type(input);
  if (type != AR_TYPE_FLOAT32 && type != AR_TYPE_INT8) {
    fprintf(stderr, "error: the model's input is %s, not FLOAT32 or INT8\n", ar_type_name(type));
    return 1;
  }
  size_t count = ar_tensor_element_count(input);
  unsigned char *pixels = malloc(count);
  if (!pixels) return 1;
  read_picture(argv[2], pixels, count);
  set_pixels(input, pixels, count);
  free(pixels);

  check(ar_interpreter_invoke(interpreter));

  const ArTensor *output;
  const void *data;
  check(ar_interpreter_output(interpreter, 0, &output));
  check(ar_tensor_data(output, &data));
  size_t best = 0;
  for (size_t i = 1; i < ar_tensor_element_count(output); i++) {
    if (score(output, data, i) > score(output, data, best)) best = i;
  }
  printf("%zu (%.1f %%)\n", best, 100.0 * (double)score(output, data, best));

  ar_interpreter_free(interpreter);
  ar_model_free(model);
  return 0;
}
