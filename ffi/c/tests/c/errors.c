/* errors FOLDER: checks the code and message of every kind of error. Nothing may crash or leak. */
#include "check.h"

static int releases = 0;
static void released(void *count) { ++*(int *)count; }

static void nulls(ArModel *model) {
  ArModel *other = (ArModel *)1;
  ArInterpreter *interpreter = (ArInterpreter *)1;
  const ArTensor *tensor = (const ArTensor *)1;
  FAILS(AR_ERROR_ARGUMENT, "argument 'path' is null", ar_model_from_file(NULL, &other));
  REQUIRE(!other);
  FAILS(AR_ERROR_ARGUMENT, "argument 'model' is null", ar_model_from_file("x", NULL));
  FAILS(AR_ERROR_ARGUMENT, "argument 'data' is null", ar_model_from_memory(NULL, 8, &other));
  FAILS(AR_ERROR_ARGUMENT, "argument 'model' is null", ar_interpreter_new(NULL, NULL, &interpreter));
  REQUIRE(!interpreter);
  FAILS(AR_ERROR_ARGUMENT, "argument 'interpreter' is null", ar_interpreter_new(model, NULL, NULL));
  FAILS(AR_ERROR_ARGUMENT, "argument 'interpreter' is null", ar_interpreter_allocate(NULL));
  FAILS(AR_ERROR_ARGUMENT, "argument 'interpreter' is null", ar_interpreter_invoke(NULL));
  FAILS(AR_ERROR_ARGUMENT, "argument 'interpreter' is null", ar_interpreter_output(NULL, 0, &tensor));
  REQUIRE(!tensor);
  FAILS(AR_ERROR_ARGUMENT, "argument 'tensor' is null", ar_tensor_copy_from(NULL, "", 0));
  FAILS(AR_ERROR_ARGUMENT, "argument 'options' is null", ar_options_set_threads(NULL, 1));
  FAILS(AR_ERROR_ARGUMENT, "argument 'signature' is null", ar_signature_invoke(NULL));
  FAILS(AR_ERROR_ARGUMENT, "argument 'signature' is null", ar_signature_tie(NULL, "y", "x"));
  FAILS(AR_ERROR_ARGUMENT, "argument 'interpreter' is null", ar_interpreter_tie_caches(NULL, NULL));
  REQUIRE(!ar_model_signature_key(model, 99) && !ar_tensor_name(NULL) && !ar_plugin_id(NULL));
  REQUIRE(ar_interpreter_input_count(NULL) == 0 && ar_tensor_dim(NULL, 0) == -1);
  REQUIRE(ar_error_code(NULL) == AR_ERROR_NONE && *ar_error_message(NULL) == '\0');
  ar_interpreter_cancel(NULL);
  ar_interpreter_free(NULL);
  ar_model_free(NULL);
  ar_options_free(NULL);
  ar_error_free(NULL);
}

static void files(const char *folder) {
  ArModel *model;
  FAILS(AR_ERROR_IO, "no_such_model.tflite", ar_model_from_file(in_folder(folder, "no_such_model.tflite"), &model));
  FAILS(AR_ERROR_IO, "directory", ar_model_from_file(folder, &model));
  FAILS(AR_ERROR_MODEL, "", ar_model_from_file(in_folder(folder, "truncated.tflite"), &model));
  FAILS(AR_ERROR_ARGUMENT, "argument 'path' is not valid UTF-8 at byte 2", ar_model_from_file("ab\xff", &model));
  FAILS(AR_ERROR_MODEL, "", ar_model_from_memory("TFL3", 4, &model));
  FAILS(AR_ERROR_MODEL, "", ar_model_from_memory(NULL, 0, &model));
  REQUIRE(!model);

  /* `release` is called if the call fails, for whatever reason. */
  FAILS(AR_ERROR_MODEL, "", ar_model_from_borrowed("garbage garbage", 15, released, &releases, &model));
  REQUIRE(releases == 1);
  FAILS(AR_ERROR_ARGUMENT, "'data'", ar_model_from_borrowed(NULL, 15, released, &releases, &model));
  REQUIRE(releases == 2);
  FAILS(AR_ERROR_ARGUMENT, "'model'", ar_model_from_borrowed("garbage", 7, released, &releases, NULL));
  REQUIRE(releases == 3);
  FAILS(AR_ERROR_MODEL, "", ar_model_from_borrowed(NULL, 0, NULL, NULL, &model));
  const int before = releases;
  const ArGroup unnamed = {NULL, "x", 1, released, &releases};
  FAILS(AR_ERROR_ARGUMENT, "'name'", ar_model_with_groups("garbage", 7, released, &releases, &unnamed, 1, &model));
  REQUIRE(releases == before + 2);
  FAILS(AR_ERROR_ARGUMENT, "'groups'", ar_model_with_groups("garbage", 7, released, &releases, NULL, 1, &model));
  FAILS(AR_ERROR_MODEL, "", ar_model_with_groups("garbage", 7, released, &releases, NULL, 0, &model));
  REQUIRE(releases == before + 4);
}

static void options(const ArModel *model) {
  ArInterpreter *interpreter;
  ArOptions *options = ar_options_new();
  REQUIRE(options);
  FAILS(AR_ERROR_CONFIG, "planner", ar_options_set_config_text(options, "schema = 1\n[planer]\nuse = \"arena\"\n"));
  FAILS(AR_ERROR_IO, "no_such.toml", ar_options_set_config_file(options, "no_such.toml"));
  FAILS(AR_ERROR_ARGUMENT, "threads", ar_options_set_threads(options, 4000000000u));
  FAILS(AR_ERROR_ARGUMENT, "'on_missing' is 7", ar_options_add_delegate(options, "x", 7, NULL, 0));
  ArOption half = {"threads", NULL};
  FAILS(AR_ERROR_ARGUMENT, "'delegate_options[0].value' is null",
        ar_options_add_delegate(options, "x", AR_ON_MISSING_SKIP, &half, 1));

  OK(ar_options_set_planner(options, "arenna", NULL, 0));
  FAILS(AR_ERROR_NOT_FOUND, "did you mean 'arena'?", ar_interpreter_new(model, options, &interpreter));
  REQUIRE(!interpreter);

  OK(ar_options_set_config_text(options, "schema = 1\n[plugins]\nbuiltin = false\n"));
  FAILS(AR_ERROR_NOT_FOUND, "planner 'portfolio'", ar_interpreter_new(model, options, &interpreter));

  OK(ar_options_set_config_text(options, "schema = 1\n[plugins]\nstrict = true\n"));
  OK(ar_options_add_plugin_file(options, "/no/such/plugin.so"));
  FAILS(AR_ERROR_PLUGIN, "/no/such/plugin.so", ar_interpreter_new(model, options, &interpreter));

  OK(ar_options_set_config_text(options, "schema = 1\n"));
  ArOption threads = {"threads", "2"};
  OK(ar_options_add_delegate(options, "no_such_delegate", AR_ON_MISSING_SKIP, &threads, 1));
  OK(ar_interpreter_new(model, options, &interpreter));
  OK(ar_interpreter_allocate(interpreter));
  ar_interpreter_free(interpreter);
  OK(ar_options_add_delegate(options, "no_such_delegate", AR_ON_MISSING_ERROR, NULL, 0));
  FAILS(AR_ERROR_NOT_FOUND, "unknown delegate 'no_such_delegate'", ar_interpreter_new(model, options, &interpreter));

  OK(ar_options_set_config_text(options, "schema = 1\n"));
  OK(ar_options_set_quota_nodes(options, 0));
  FAILS(AR_ERROR_QUOTA, "quota is 0", ar_interpreter_new(model, options, &interpreter));
  OK(ar_options_set_quota_nodes(options, 100));
  OK(ar_options_set_quota_bytes(options, 1));
  OK(ar_options_set_quota_depth(options, 4));
  OK(ar_interpreter_new(model, options, &interpreter));
  FAILS(AR_ERROR_MEMORY, "quota", ar_interpreter_allocate(interpreter));
  ar_interpreter_free(interpreter);
  ar_options_free(options);
}

static void tensors(const ArModel *model) {
  ArInterpreter *interpreter;
  ArTensor *input;
  const ArTensor *output;
  const void *data;
  void *writable;
  float values[64] = {0};
  OK(ar_interpreter_new(model, NULL, &interpreter));
  OK(ar_interpreter_input(interpreter, 0, &input));
  FAILS(AR_ERROR_STATE, "allocate", ar_interpreter_invoke(interpreter));
  FAILS(AR_ERROR_STATE, "allocate", ar_tensor_data(input, &data));
  REQUIRE(!data);
  FAILS(AR_ERROR_STATE, "input 5 does not exist", ar_interpreter_input(interpreter, 5, &input));
  REQUIRE(!input);
  FAILS(AR_ERROR_NOT_FOUND, "unknown input 'inptu'", ar_interpreter_input_by_name(interpreter, "inptu", &input));
  FAILS(AR_ERROR_NOT_FOUND, "unknown output 'z'", ar_interpreter_output_by_name(interpreter, "z", &output));
  FAILS(AR_ERROR_STATE, "tensor 99 does not exist", ar_interpreter_tensor(interpreter, 99, &output));
  int32_t dims[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  FAILS(AR_ERROR_ARGUMENT, "8 dimensions", ar_interpreter_resize_input(interpreter, 0, dims, 9));
  int32_t negative = -3;
  FAILS(AR_ERROR_ARGUMENT, "negative", ar_interpreter_resize_input(interpreter, 0, &negative, 1));

  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_output(interpreter, 0, &output));
  FAILS(AR_ERROR_ARGUMENT, "it has 24 bytes, 7 are given", ar_tensor_copy_from(input, values, 7));
  FAILS(AR_ERROR_ARGUMENT, "has 24 bytes, but the buffer has 256", ar_tensor_copy_to(output, values, sizeof values));
  FAILS(AR_ERROR_ARGUMENT, "'buffer' is null", ar_tensor_copy_to(output, NULL, 24));
  FAILS(AR_ERROR_ARGUMENT, "'buffer' is null", ar_tensor_copy_from(input, NULL, 24));
  /* An output is const in C; casting that away does not make it writable. */
  FAILS(AR_ERROR_ARGUMENT, "not an input", ar_tensor_data_mut((ArTensor *)(uintptr_t)output, &writable));
  ArString string = {"x", 1};
  FAILS(AR_ERROR_ARGUMENT, "not STRING", ar_tensor_set_strings(input, &string, 1));
  FAILS(AR_ERROR_ARGUMENT, "not STRING", ar_tensor_strings(output, &string, 1));
  ArSignature *signature;
  FAILS(AR_ERROR_NOT_FOUND, "signature 'none'", ar_interpreter_signature(interpreter, "none", &signature));
  REQUIRE(!signature);
  ar_interpreter_free(interpreter);
}

static void unresolved(const char *folder) {
  ArModel *model;
  ArInterpreter *interpreter;
  OK(ar_model_from_file(in_folder(folder, "custom.tflite"), &model));
  OK(ar_interpreter_new(model, NULL, &interpreter));
  FAILS(AR_ERROR_UNSUPPORTED, "custom op NoSuchOp", ar_interpreter_allocate(interpreter));
  ar_interpreter_free(interpreter);
  ar_model_free(model);
}

int main(int argc, char **argv) {
  REQUIRE(argc == 2);
  ArModel *model;
  OK(ar_model_from_file(in_folder(argv[1], "sqrt.tflite"), &model));
  nulls(model);
  files(argv[1]);
  options(model);
  tensors(model);
  unresolved(argv[1]);
  ar_model_free(model);
  return 0;
}
