/* plugins FOLDER MODEL IN OUT: like run.c, but without linked-in plugins: ops and planner come from the folder. */
#include "check.h"

int main(int argc, char **argv) {
  REQUIRE(argc == 5);
  ArModel *model;
  ArInterpreter *interpreter;
  ArTensor *input;
  const ArTensor *output;
  ArOptions *options = ar_options_new();
  OK(ar_options_set_config_text(options, "schema = 1\n[plugins]\nbuiltin = false\nstrict = true\n"));
  OK(ar_options_add_plugin_dir(options, argv[1]));
  OK(ar_model_from_file(argv[2], &model));
  OK(ar_interpreter_new(model, options, &interpreter));
  REQUIRE(ar_interpreter_plugin_count(interpreter) == 2 && !ar_interpreter_plugin(interpreter, 2));
  for (size_t i = 0; i < 2; i++) {
    REQUIRE(strncmp(ar_plugin_origin(ar_interpreter_plugin(interpreter, i)), argv[1], strlen(argv[1])) == 0);
  }
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_output(interpreter, 0, &output));
  void *in;
  const void *out;
  OK(ar_tensor_data_mut(input, &in));
  FILE *file = fopen(argv[3], "rb");
  REQUIRE(file && fread(in, 1, ar_tensor_byte_size(input), file) == ar_tensor_byte_size(input));
  fclose(file);
  OK(ar_interpreter_invoke(interpreter));
  OK(ar_tensor_data(output, &out));
  file = fopen(argv[4], "wb");
  REQUIRE(file && fwrite(out, 1, ar_tensor_byte_size(output), file) == ar_tensor_byte_size(output));
  REQUIRE(fclose(file) == 0);
  ar_interpreter_free(interpreter);
  ar_model_free(model);
  ar_options_free(options);
  return 0;
}
