/* run MODEL PLUGINS OPS [IN OUT]...: checks the linked-in plugins, then writes output 0 for each file with input 0. */
#include "check.h"

int main(int argc, char **argv) {
  REQUIRE(argc >= 4);
  ArModel *model;
  ArInterpreter *interpreter;
  OK(ar_model_from_file(argv[1], &model));
  OK(ar_interpreter_new(model, NULL, &interpreter));
  ar_model_free(model);

  size_t ops = 0, planners = 0;
  REQUIRE(ar_interpreter_plugin_count(interpreter) == (size_t)atoi(argv[2]));
  for (size_t i = 0; i < ar_interpreter_plugin_count(interpreter); i++) {
    const ArPlugin *plugin = ar_interpreter_plugin(interpreter, i);
    REQUIRE(strncmp(ar_plugin_id(plugin), "org.arenite.", 12) == 0);
    REQUIRE(strcmp(ar_plugin_origin(plugin), "linked in") == 0);
    REQUIRE(strlen(ar_plugin_version(plugin)) > 0);
    ops += ar_plugin_op_count(plugin);
    planners += ar_plugin_planner_count(plugin);
  }
  REQUIRE(ops == (size_t)atoi(argv[3]));
  REQUIRE(planners >= 2);

  OK(ar_interpreter_allocate(interpreter));
  REQUIRE(ar_interpreter_arena_bytes(interpreter) > 0 && ar_interpreter_delegate_bytes(interpreter) > 0);
  ArTensor *input;
  const ArTensor *output;
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_output(interpreter, 0, &output));
  size_t in_size = ar_tensor_byte_size(input), out_size = ar_tensor_byte_size(output);
  unsigned char *buffer = malloc(in_size > out_size ? in_size : out_size);
  REQUIRE(buffer);
  for (int i = 4; i + 1 < argc; i += 2) {
    FILE *file = fopen(argv[i], "rb");
    REQUIRE(file && fread(buffer, 1, in_size, file) == in_size && fgetc(file) == EOF);
    fclose(file);
    OK(ar_tensor_copy_from(input, buffer, in_size));
    OK(ar_interpreter_invoke(interpreter));
    OK(ar_tensor_copy_to(output, buffer, out_size));
    file = fopen(argv[i + 1], "wb");
    REQUIRE(file && fwrite(buffer, 1, out_size, file) == out_size && fclose(file) == 0);
  }
  free(buffer);
  ar_interpreter_free(interpreter);
  return 0;
}
