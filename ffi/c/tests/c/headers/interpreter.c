/* Includes interpreter.h alone, then tests the way from a model to its outputs. Compiled as C and as C++. */
#include <arenite/interpreter.h>

#include "../check.h"

void test_interpreter(const char *folder) {
  ArModel *model;
  ArInterpreter *interpreter;
  ArTensor *input, *named;
  const ArTensor *output;
  const char *json;
  const float x[6] = {0, 1, 4, 9, 16, 25};
  const int32_t dims[1] = {1};
  float y[6];
  OK(ar_model_from_file(in_folder(folder, "sqrt.tflite"), &model));
  OK(ar_interpreter_new(model, NULL, &interpreter));
  ar_model_free(model);
  REQUIRE(ar_interpreter_input_count(interpreter) == 1 && ar_interpreter_output_count(interpreter) == 2);
  REQUIRE(ar_interpreter_tensor_count(interpreter) == 4 && ar_interpreter_arena_bytes(interpreter) == 0);
  OK(ar_interpreter_inspect(interpreter, &json));
  REQUIRE(strstr(json, "\"memory\":null") && strstr(json, "sqrt.tflite\""));
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_input_by_name(interpreter, "x", &named));
  REQUIRE(input == named);
  OK(ar_interpreter_resize_input(interpreter, 0, dims, 1));
  FAILS(AR_ERROR_NOT_FOUND, "subgraph 7", ar_interpreter_preview_delegates(interpreter, 7, &json));
  OK(ar_interpreter_preview_delegates(interpreter, 0, &json));
  REQUIRE(strcmp(json, "{\"delegates\":[{\"delegate\":\"cpu\",\"partitions\":[[0,1]],\"refusals\":[],\"left_out\":null}]}") == 0);
  OK(ar_interpreter_allocate(interpreter));
  FAILS(AR_ERROR_STATE, "preview", ar_interpreter_preview_delegates(interpreter, 0, &json));
  OK(ar_interpreter_output(interpreter, 0, &output));
  OK(ar_tensor_copy_from(input, &x[2], 4));
  OK(ar_interpreter_invoke(interpreter));
  OK(ar_tensor_copy_to(output, y, 4));
  REQUIRE(y[0] == 2.0f);
  OK(ar_interpreter_inspect(interpreter, &json));
  REQUIRE(strstr(json, "\"memory\":{\"planner\":\"portfolio\"") && strstr(json, "\"refusals\":[]"));
  REQUIRE(ar_interpreter_arena_lower_bound(interpreter) <= ar_interpreter_arena_bytes(interpreter));
  REQUIRE(ar_interpreter_arena_bytes(interpreter) > 0 && ar_interpreter_dynamic_bytes(interpreter) == 0);
  (void)ar_interpreter_persistent_bytes(interpreter);
  uint64_t object;
  FAILS(AR_ERROR_STATE, "no delegate 'attic' is set", ar_interpreter_device_object(interpreter, "attic", "stairs", &object));
  FAILS(AR_ERROR_ARGUMENT, "'name' is null", ar_interpreter_device_object(interpreter, "attic", NULL, &object));
  REQUIRE(ar_interpreter_delegate_bytes(interpreter) == 0); /* run.c uses a model with weights */
  OK(ar_interpreter_release_memory(interpreter));
  REQUIRE(ar_interpreter_arena_bytes(interpreter) == 0);
  FAILS(AR_ERROR_STATE, "allocate", ar_interpreter_invoke(interpreter));
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_reset_variables(interpreter));
  ar_interpreter_cancel(interpreter); /* does nothing without an invocation */
  OK(ar_interpreter_invoke(interpreter));
  REQUIRE(ar_interpreter_plugin_count(interpreter) >= 3 && ar_interpreter_failure_count(interpreter) == 0);
  REQUIRE(!ar_interpreter_failure(interpreter, 0));
  REQUIRE(ar_interpreter_left_out_count(interpreter) == 0 && !ar_interpreter_left_out(interpreter, 0));
  ar_interpreter_free(interpreter);
}
