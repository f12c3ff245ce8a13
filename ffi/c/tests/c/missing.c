/* missing FOLDER PLUGIN_FOLDER: what is not there, or is no more, stands in the errors that follow from it. */
#include "check.h"

/* The delegate of gone.c, which fails in this call. */
static void add_gone(ArOptions *options, const char *call) {
  ArOption in = {"in", call};
  OK(ar_options_add_delegate(options, "gone", AR_ON_MISSING_ERROR, &in, 1));
}

static ArOptions *with_folder(const char *folder) {
  ArOptions *options = ar_options_new();
  OK(ar_options_add_plugin_dir(options, folder));
  return options;
}

/* `skip` forgives absence, of a delegate or of its device, and no wrong option. */
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

/* A device that is lost has a code of its own. */
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
  lost_devices(model, argv[2]);
  ar_model_free(model);
  return 0;
}
