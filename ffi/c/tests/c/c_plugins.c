/* c_plugins FOLDER PLUGINS: runs a model with an op, a planner and a delegate in C, each a library in the folder
 * PLUGINS. */
#include "check.h"

static void has(const char *json, const char *text) {
  if (!strstr(json, text)) fprintf(stderr, "'%s' is not in\n%s\n", text, json);
  REQUIRE(strstr(json, text));
}

int main(int argc, char **argv) {
  ArModel *model;
  ArInterpreter *interpreter;
  ArTensor *input;
  const ArTensor *output;
  const char *json;
  const float x[4] = {1.0f, -2.0f, 0.5f, 3.0f};
  float y[4];
  REQUIRE(argc == 3);
  ArOptions *options = ar_options_new();
  OK(ar_options_add_plugin_dir(options, argv[2]));
  OK(ar_options_set_strict(options, true));
  OK(ar_options_set_planner(options, "stacked", NULL, 0));
  OK(ar_options_add_delegate(options, "negate", AR_ON_MISSING_ERROR, NULL, 0));
  OK(ar_options_set_default_delegate(options, false));
  OK(ar_model_from_file(in_folder(argv[1], "cube.tflite"), &model));
  OK(ar_interpreter_new(model, options, &interpreter));
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_output(interpreter, 0, &output));
  OK(ar_tensor_copy_from(input, x, sizeof x));
  OK(ar_interpreter_invoke(interpreter));
  OK(ar_tensor_copy_to(output, y, sizeof y));
  for (int i = 0; i < 4; i++) REQUIRE(y[i] == x[i] * x[i] * x[i]);
  OK(ar_interpreter_inspect(interpreter, &json));
  has(json, "\"planner\":\"stacked\"");
  has(json, "{\"kind\":\"plugin\",\"id\":\"org.arenite.cube\"");
  has(json, "{\"kind\":\"delegate\",\"name\":\"negate\",\"partition\":0}");
  has(json, "{\"delegate\":\"negate\",\"reason\":\"negate supports only NEG\"}");
  ar_interpreter_free(interpreter);

  ArOption unknown = {"speed", "high"};
  OK(ar_options_set_planner(options, "stacked", &unknown, 1));
  FAILS(AR_ERROR_FAILED, "the planner stacked has no options", ar_interpreter_new(model, options, &interpreter));
  ar_options_free(options);
  ar_model_free(model);
  return 0;
}
