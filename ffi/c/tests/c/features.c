/* features FOLDER PLUGIN_FOLDER: names, shapes, quantization, resizing, strings, signatures, cancelling, the log. */
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static void descriptions(const ArModel *model) {
  ArInterpreter *interpreter;
  ArTensor *input, *again;
  const ArTensor *output, *channels;
  ArQuantization quantization;
  OK(ar_interpreter_new(model, NULL, &interpreter));
  REQUIRE(ar_interpreter_input_count(interpreter) == 1 && ar_interpreter_output_count(interpreter) == 2);
  REQUIRE(ar_interpreter_tensor_count(interpreter) == 4);
  OK(ar_interpreter_input_by_name(interpreter, "x", &input));
  OK(ar_interpreter_input(interpreter, 0, &again));
  REQUIRE(input == again);
  OK(ar_interpreter_output_by_name(interpreter, "y", &output));
  REQUIRE(strcmp(ar_tensor_name(input), "x") == 0 && strcmp(ar_tensor_name(output), "y") == 0);
  REQUIRE(ar_tensor_type(input) == AR_TYPE_FLOAT32 && strcmp(ar_type_name(ar_tensor_type(input)), "FLOAT32") == 0);
  REQUIRE(!ar_type_name(1000));
  REQUIRE(ar_tensor_rank(input) == 2 && ar_tensor_dim(input, 0) == 2 && ar_tensor_dim(input, 1) == 3);
  REQUIRE(ar_tensor_dim(input, 2) == -1 && ar_tensor_element_count(input) == 6 && ar_tensor_byte_size(input) == 24);
  OK(ar_tensor_quantization(input, &quantization));
  REQUIRE(quantization.count == 0 && !quantization.scales && ar_tensor_scale(input) == 0.0f);

  OK(ar_interpreter_output_by_name(interpreter, "channels", &channels));
  REQUIRE(ar_tensor_is_constant(channels) && !ar_tensor_is_constant(input));
  OK(ar_tensor_quantization(channels, &quantization));
  REQUIRE(quantization.count == 3 && quantization.dimension == 1);
  REQUIRE(quantization.scales[0] == 0.5f && quantization.scales[2] == 0.125f && quantization.zero_points[2] == 0);
  REQUIRE(ar_tensor_scale(channels) == 0.5f && ar_tensor_zero_point(channels) == 0);
  const void *constant;
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_tensor_data(channels, &constant));
  REQUIRE(((const int8_t *)constant)[1] == -2);
  ar_interpreter_free(interpreter);
}

/* Handles are the same before and after a resize. */
static void resizing(const ArModel *model) {
  ArInterpreter *interpreter;
  ArTensor *input;
  const ArTensor *output;
  void *data;
  float result[8];
  OK(ar_interpreter_new(model, NULL, &interpreter));
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_output(interpreter, 0, &output));
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_resize_input(interpreter, 0, (int32_t[]){4, 2}, 2));
  FAILS(AR_ERROR_STATE, "allocate", ar_interpreter_invoke(interpreter));
  OK(ar_interpreter_allocate(interpreter));
  REQUIRE(ar_tensor_dim(input, 0) == 4 && ar_tensor_dim(output, 1) == 2 && ar_tensor_byte_size(output) == 32);
  OK(ar_tensor_data_mut(input, &data));
  for (int i = 0; i < 8; i++) ((float *)data)[i] = (float)(i * i);
  OK(ar_tensor_copy_from(input, data, 32)); /* from its own memory */
  OK(ar_interpreter_invoke(interpreter));
  OK(ar_tensor_copy_to(output, result, sizeof result));
  for (int i = 0; i < 8; i++) REQUIRE(result[i] == (float)i);
  OK(ar_interpreter_reset_variables(interpreter));
  ar_interpreter_free(interpreter);
}

static void strings(const char *folder) {
  ArModel *model;
  ArInterpreter *interpreter;
  ArTensor *input;
  const ArTensor *output;
  OK(ar_model_from_file(in_folder(folder, "strings.tflite"), &model));
  OK(ar_interpreter_new(model, NULL, &interpreter));
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_output(interpreter, 0, &output));
  ArString words[3] = {{"alpha", 5}, {NULL, 0}, {"ga\0ma", 5}}, found[2];
  FAILS(AR_ERROR_ARGUMENT, "2 strings are given", ar_tensor_set_strings(input, words, 2));
  OK(ar_tensor_set_strings(input, words, 3));
  OK(ar_interpreter_invoke(interpreter));
  FAILS(AR_ERROR_ARGUMENT, "has 2 strings", ar_tensor_strings(output, words, 3));
  OK(ar_tensor_strings(output, found, 2));
  REQUIRE(found[0].length == 5 && memcmp(found[0].data, "ga\0ma", 5) == 0);
  REQUIRE(found[1].length == 5 && memcmp(found[1].data, "alpha", 5) == 0);
  ar_interpreter_free(interpreter);
  ar_model_free(model);
}

static void signatures(const char *folder) {
  ArModel *model;
  ArInterpreter *interpreter;
  ArSignature *first, *second;
  ArTensor *input;
  const ArTensor *output;
  float result[2];
  OK(ar_model_from_file(in_folder(folder, "signatures.tflite"), &model));
  REQUIRE(ar_model_signature_count(model) == 2 && !ar_model_signature_key(model, 2));
  REQUIRE(strcmp(ar_model_signature_key(model, 0), "root") == 0);
  REQUIRE(strcmp(ar_model_signature_key(model, 1), "negate") == 0);
  OK(ar_interpreter_new(model, NULL, &interpreter));
  OK(ar_interpreter_signature(interpreter, "root", &first));
  OK(ar_interpreter_signature(interpreter, "negate", &second));
  REQUIRE(ar_signature_input_count(second) == 1 && ar_signature_output_count(second) == 1);
  REQUIRE(strcmp(ar_signature_input_name(second, 0), "value") == 0 && !ar_signature_input_name(second, 1));
  FAILS(AR_ERROR_NOT_FOUND, "known: value", ar_signature_input(second, "x", &input));
  OK(ar_signature_input(second, "value", &input));
  OK(ar_signature_output(second, "negated", &output));
  OK(ar_signature_resize_input(second, "value", (int32_t[]){2}, 1));
  OK(ar_signature_allocate(second));
  OK(ar_signature_allocate(first));
  OK(ar_tensor_copy_from(input, (float[]){3.0f, -4.0f}, 8));
  OK(ar_signature_invoke(second));
  OK(ar_tensor_copy_to(output, result, sizeof result));
  REQUIRE(result[0] == -3.0f && result[1] == 4.0f);
  ar_interpreter_free(interpreter);
  ar_model_free(model);
}

static atomic_bool stop = false;
static void *cancel_until_stopped(void *interpreter) {
  struct timespec pause = {0, 1000000};
  while (!atomic_load(&stop)) {
    ar_interpreter_cancel(interpreter);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

/* Counts the calls that fail because the other thread uses the interpreter. Frees their errors. */
static atomic_int collisions = 0;
static void count_collision(ArError *error) {
  if (error && strstr(ar_error_message(error), "in use by another call")) {
    REQUIRE(ar_error_code(error) == AR_ERROR_STATE);
    atomic_fetch_add(&collisions, 1);
  }
  ar_error_free(error);
}

static void *allocate_until_stopped(void *interpreter) {
  while (!atomic_load(&stop)) count_collision(ar_interpreter_allocate(interpreter));
  return NULL;
}

static ArError *allocate_and_invoke(ArInterpreter *interpreter) {
  ArError *error = ar_interpreter_allocate(interpreter);
  return error != NULL ? error : ar_interpreter_invoke(interpreter);
}

static ArError *build_and_invoke(ArModel *model, ArOptions *options) {
  ArInterpreter *interpreter;
  ArError *error = ar_interpreter_new(model, options, &interpreter);
  if (error != NULL) return error;
  error = allocate_and_invoke(interpreter);
  ar_interpreter_free(interpreter);
  return error;
}

/* The model is slow enough that a call every millisecond hits an invocation. */
static void cancelling(const char *folder) {
  ArModel *model;
  ArInterpreter *interpreter;
  pthread_t thread;
  OK(ar_model_from_file(in_folder(folder, "long.tflite"), &model));
  OK(ar_interpreter_new(model, NULL, &interpreter));
  OK(ar_interpreter_allocate(interpreter));
  REQUIRE(pthread_create(&thread, NULL, cancel_until_stopped, interpreter) == 0);
  FAILS(AR_ERROR_CANCELLED, "cancelled", ar_interpreter_invoke(interpreter));
  atomic_store(&stop, true);
  REQUIRE(pthread_join(thread, NULL) == 0);
  OK(ar_interpreter_invoke(interpreter));
  ar_interpreter_free(interpreter);

  ArOptions *options = ar_options_new();
  OK(ar_options_set_time_limit(options, 1));
  FAILS(AR_ERROR_QUOTA, "time", build_and_invoke(model, options));
  ar_options_free(options);

  /* Two threads use one interpreter: one of them gets an error, and nothing else happens. */
  OK(ar_interpreter_new(model, NULL, &interpreter));
  OK(ar_interpreter_allocate(interpreter));
  atomic_store(&stop, false);
  REQUIRE(pthread_create(&thread, NULL, allocate_until_stopped, interpreter) == 0);
  while (atomic_load(&collisions) == 0) count_collision(ar_interpreter_invoke(interpreter));
  atomic_store(&stop, true);
  REQUIRE(pthread_join(thread, NULL) == 0);
  ar_interpreter_free(interpreter);
  ar_model_free(model);
}

static int lines = 0;
static void log_line(ArLogLevel level, const char *target, const char *message, void *user_data) {
  REQUIRE(user_data == &lines && level >= AR_LOG_ERROR && level <= AR_LOG_WARN);
  REQUIRE(strncmp(target, "arenite", 7) == 0);
  if (strstr(message, "libbroken.so")) lines++;
  FAILS(AR_ERROR_STATE, "cannot set", ar_set_log_callback(NULL, NULL, AR_LOG_OFF));
}

/* A plugin that is not a library is skipped, and the log says so. */
static void logging(const ArModel *model, const char *plugin_folder) {
  ArInterpreter *interpreter;
  ArOptions *options = ar_options_new();
  FAILS(AR_ERROR_ARGUMENT, "'max_level' is 9", ar_set_log_callback(log_line, NULL, 9));
  OK(ar_set_log_callback(log_line, &lines, AR_LOG_WARN));
  OK(ar_options_add_plugin_dir(options, plugin_folder));
  OK(ar_interpreter_new(model, options, &interpreter));
  ar_interpreter_free(interpreter);
  REQUIRE(lines == 1);
  OK(ar_set_log_callback(log_line, &lines, AR_LOG_ERROR));
  OK(ar_interpreter_new(model, options, &interpreter));
  ar_interpreter_free(interpreter);
  OK(ar_set_log_callback(NULL, NULL, AR_LOG_TRACE));
  OK(ar_interpreter_new(model, options, &interpreter));
  ar_interpreter_free(interpreter);
  REQUIRE(lines == 1);
  ar_options_free(options);
}

int main(int argc, char **argv) {
  REQUIRE(argc == 3);
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", ARENITE_VERSION_MAJOR, ARENITE_VERSION_MINOR, ARENITE_VERSION_PATCH);
  REQUIRE(strcmp(ar_version(), version) == 0);
  ArModel *model;
  OK(ar_model_from_file(in_folder(argv[1], "sqrt.tflite"), &model));
  descriptions(model);
  resizing(model);
  strings(argv[1]);
  signatures(argv[1]);
  cancelling(argv[1]);
  logging(model, argv[2]);
  ar_model_free(model);
  return 0;
}
