/* Includes options.h alone, then tests each option and its effects. Compiled as C and as C++. */
#include <arenite/options.h>

#include "../check.h"

static void config(ArOptions *options) {
  OK(ar_options_set_config_text(options, "schema = 1\n"));
  FAILS(AR_ERROR_CONFIG, "planer", ar_options_set_config_text(options, "schema = 1\n[planer]\n"));
  FAILS(AR_ERROR_IO, "no_such.toml", ar_options_set_config_file(options, "no_such.toml"));
  OK(ar_options_set_threads(options, 1));
}

static void plugins(ArOptions *options) {
  OK(ar_options_add_plugin_file(options, "/no/such.so"));
  OK(ar_options_allow_plugins(options, "org.arenite.*"));
  OK(ar_options_set_strict(options, false));
  OK(ar_options_set_builtin_plugins(options, true));
  OK(ar_options_prefer_plugin(options, "SQRT", "org.arenite.*"));
}

static void planning(ArOptions *options) {
  OK(ar_options_set_planner(options, "naive", NULL, 0));
  OK(ar_options_set_planning_time(options, 1000));
  OK(ar_options_set_technique(options, "in_place", false));
  FAILS(AR_ERROR_NOT_FOUND, "unknown technique 'inplace'; known techniques: views, in_place", ar_options_set_technique(options, "inplace", true));
  OK(ar_options_set_preserve_all(options, true));
  OK(ar_options_set_outputs_from_start(options, true));
  OK(ar_options_set_quota_bytes(options, 1 << 24));
  OK(ar_options_set_quota_device_bytes(options, 1 << 20));
  OK(ar_options_set_quota_nodes(options, 1000));
  OK(ar_options_set_quota_depth(options, 4));
  OK(ar_options_set_quota_calls(options, 1000));
  OK(ar_options_set_time_limit(options, 60000));
}

static void delegates(ArOptions *options) {
  ArOption absent[1] = {{"unknown", "1"}};
  OK(ar_options_add_delegate(options, "absent", AR_ON_MISSING_SKIP, absent, 1));
  FAILS(AR_ERROR_NOT_FOUND, "delegate 'cpu' was not added", ar_options_exclude_op(options, "cpu", "SQRT"));
  OK(ar_options_add_delegate(options, "cpu", AR_ON_MISSING_ERROR, NULL, 0));
  OK(ar_options_exclude_op(options, "cpu", "SQRT"));
  OK(ar_options_set_min_nodes(options, "cpu", 1));
  OK(ar_options_set_max_partitions(options, "cpu", 1));
  OK(ar_options_set_on_failure(options, "cpu", AR_ON_FAILURE_FALLBACK));
  FAILS(AR_ERROR_ARGUMENT, "'on_failure' is 2", ar_options_set_on_failure(options, "cpu", 2));
  OK(ar_options_set_default_delegate(options, false));
}

/* SQRT is excluded, so a delegate that must run all nodes is an error with that reason. */
static void required(const ArModel *model) {
  ArInterpreter *interpreter;
  ArOptions *options = ar_options_new();
  FAILS(AR_ERROR_NOT_FOUND, "delegate 'cpu' was not added", ar_options_require_delegate(options, "cpu", NULL));
  OK(ar_options_add_delegate(options, "cpu", AR_ON_MISSING_ERROR, NULL, 0));
  OK(ar_options_exclude_op(options, "cpu", "SQRT"));
  OK(ar_options_require_delegate(options, "cpu", "RELU"));
  OK(ar_interpreter_new(model, options, &interpreter));
  OK(ar_interpreter_allocate(interpreter));
  ar_interpreter_free(interpreter);
  OK(ar_options_require_delegate(options, "cpu", NULL));
  OK(ar_interpreter_new(model, options, &interpreter));
  FAILS(AR_ERROR_UNSUPPORTED, "SQRT is in exclude_ops", ar_interpreter_allocate(interpreter));
  ar_interpreter_free(interpreter);
  OK(ar_options_set_on_failure(options, "cpu", AR_ON_FAILURE_FALLBACK));
  FAILS(AR_ERROR_FAILED, "contradict each other", ar_interpreter_new(model, options, &interpreter));
  ar_options_free(options);
}

/* Where nodes run, according to the report. */
static void check_placement(const ArModel *model, const ArOptions *options, const char *wanted, const char *unwanted) {
  ArInterpreter *interpreter;
  const char *json;
  OK(ar_interpreter_new(model, options, &interpreter));
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_inspect(interpreter, &json));
  if (!strstr(json, wanted) || strstr(json, unwanted)) fprintf(stderr, "'%s', not '%s':\n%s\n", wanted, unwanted, json);
  REQUIRE(strstr(json, wanted) && !strstr(json, unwanted));
  ar_interpreter_free(interpreter);
}

void test_options(const char *folder) {
  ArModel *model;
  ArOptions *options = ar_options_new();
  OK(ar_model_from_file(in_folder(folder, "sqrt.tflite"), &model));
  config(options);
  plugins(options);
  planning(options);
  delegates(options);
  /* RELU runs on the delegate, SQRT on the reference op. */
  check_placement(model, options, "{\"kind\":\"delegate\",\"name\":\"cpu\",\"partition\":0}", "\"partition\":1");
  check_placement(model, options, "{\"kind\":\"plugin\",\"id\":\"org.arenite.ops\"", "\"planner\":\"portfolio\"");
  OK(ar_options_set_min_nodes(options, "cpu", 2));
  check_placement(model, options, "\"planner\":\"naive\"", "\"kind\":\"delegate\"");
  ar_options_free(options);

  options = ar_options_new();
  OK(ar_options_set_default_delegate(options, false));
  check_placement(model, options, "\"planner\":\"portfolio\"", "\"kind\":\"delegate\"");
  OK(ar_options_allow_plugins(options, "org.example.*"));
  OK(ar_options_set_strict(options, true));
  OK(ar_options_add_plugin_file(options, "/no/such.so"));
  ArInterpreter *interpreter;
  FAILS(AR_ERROR_PLUGIN, "/no/such.so", ar_interpreter_new(model, options, &interpreter));
  ar_options_free(options);
  ar_options_free(NULL);
  required(model);
  REQUIRE(ar_host());
  ar_model_free(model);
}
