/* missing FOLDER PLUGIN_FOLDER: errors name missing plugins, delegates and devices that caused them. */
#include "check.h"

/* Adds the delegate of gone.c, which loses its device in this call. */
static void add_gone(ArOptions *options, const char *call) {
  ArOption in = {"in", call};
  OK(ar_options_add_delegate(options, "gone", AR_ON_MISSING_ERROR, &in, 1));
}

static ArOptions *with_folder(const char *folder) {
  ArOptions *options = ar_options_new();
  OK(ar_options_add_plugin_dir(options, folder));
  return options;
}

/* `skip` permits that a delegate or its device is missing, but not that an option is wrong. */
static void skipping(const ArModel *model, const char *plugins) {
  ArInterpreter *interpreter;
  ArOptions *options = with_folder(plugins);
  ArOption threads = {"threads", "2"};
  OK(ar_options_add_delegate(options, "cpu", AR_ON_MISSING_SKIP, &threads, 1));
  OK(ar_interpreter_new(model, options, &interpreter));
  FAILS(AR_ERROR_FAILED, "delegate 'cpu': unknown option 'threads'", ar_interpreter_allocate(interpreter));
  ar_interpreter_free(interpreter);
  ar_options_free(options);

  for (ArOnMissing on_missing = AR_ON_MISSING_ERROR; on_missing <= AR_ON_MISSING_SKIP; on_missing++) {
    ArOption in = {"in", "create"};
    options = with_folder(plugins);
    OK(ar_options_add_delegate(options, "gone", on_missing, &in, 1));
    OK(ar_interpreter_new(model, options, &interpreter));
    if (on_missing == AR_ON_MISSING_SKIP) {
      OK(ar_interpreter_allocate(interpreter));
    } else {
      FAILS(AR_ERROR_UNAVAILABLE, "delegate 'gone': the device is gone", ar_interpreter_allocate(interpreter));
    }
    ar_interpreter_free(interpreter);
    ar_options_free(options);
  }
}

/* Checks that the call failed with this code and a message that contains all of these lines, in this order. */
static void fails_with(ArErrorCode code, const char *const *lines, size_t count, ArError *error) {
  REQUIRE(ar_error_code(error) == code);
  const char *rest = ar_error_message(error);
  for (size_t i = 0; i < count; i++) {
    const char *found = strstr(rest, lines[i]);
    if (!found) fprintf(stderr, "'%s' is not in '%s'\n", lines[i], ar_error_message(error));
    REQUIRE(found);
    rest = found + strlen(lines[i]);
  }
  ar_error_free(error);
}

/* If no plugin implements an op, the error names the delegate, the library and the folder that might have done so. */
static void left_out(const char *folder, const char *plugins) {
  ArModel *model;
  ArInterpreter *interpreter;
  ArOptions *options = with_folder(plugins);
  OK(ar_options_add_plugin_dir(options, "/no/such/folder"));
  add_gone(options, "claim");
  OK(ar_model_from_file(in_folder(folder, "custom.tflite"), &model));
  OK(ar_interpreter_new(model, options, &interpreter));
  const char *const lines[] = {
      "no plugin serves 1 of the model's ops:\n  custom op NoSuchOp",
      "\n  not loaded: plugin ",
      "libbroken.so: ",
      "\n  not loaded: plugin /no/such/folder: the plugin folder cannot be read",
      "\n  left out: delegate 'gone': the device is gone",
  };
  fails_with(AR_ERROR_UNSUPPORTED, lines, 5, ar_interpreter_allocate(interpreter));
  REQUIRE(ar_interpreter_failure_count(interpreter) == 2 && !ar_interpreter_failure(interpreter, 2));
  REQUIRE(strstr(ar_interpreter_failure(interpreter, 0), "libbroken.so"));
  REQUIRE(strstr(ar_interpreter_failure(interpreter, 1), "/no/such/folder"));
  REQUIRE(ar_interpreter_left_out_count(interpreter) == 1 && !ar_interpreter_left_out(interpreter, 1));
  REQUIRE(strcmp(ar_interpreter_left_out(interpreter, 0), "delegate 'gone': the device is gone") == 0);
  REQUIRE(ar_interpreter_failure_count(NULL) == 0 && ar_interpreter_left_out_count(NULL) == 0);
  ar_interpreter_free(interpreter);

  OK(ar_options_set_planner(options, "no_such_planner", NULL, 0));
  const char *const unknown[] = {"unknown planner 'no_such_planner'", "\n  not loaded: plugin ", "/no/such/folder: "};
  fails_with(AR_ERROR_NOT_FOUND, unknown, 3, ar_interpreter_new(model, options, &interpreter));
  ar_options_free(options);
  ar_model_free(model);
}

/* A lost device has its own error code. */
static void lost_devices(const ArModel *model, const char *plugins) {
  ArInterpreter *interpreter;
  ArOptions *options = with_folder(plugins);
  add_gone(options, "invoke");
  OK(ar_interpreter_new(model, options, &interpreter));
  OK(ar_interpreter_allocate(interpreter));
  FAILS(AR_ERROR_UNAVAILABLE, "the device is gone", ar_interpreter_invoke(interpreter));
  ar_interpreter_free(interpreter);
  ar_options_free(options);
}

int main(int argc, char **argv) {
  REQUIRE(argc == 3);
  ArModel *model;
  OK(ar_model_from_file(in_folder(argv[1], "sqrt.tflite"), &model));
  skipping(model, argv[2]);
  left_out(argv[1], argv[2]);
  lost_devices(model, argv[2]);
  ar_model_free(model);
  return 0;
}
