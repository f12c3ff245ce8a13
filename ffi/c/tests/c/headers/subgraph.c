/* Includes subgraph.h alone, then tests access by index. Compiled as C and as C++. */
#include <arenite/subgraph.h>

#include "../check.h"

void test_subgraph(const char *folder) {
  ArModel *model;
  ArInterpreter *interpreter;
  ArTensor *variable, *negated, *in, *out, *none;
  const int32_t *tensors;
  size_t count;
  const float four = 4.0f;
  float result;
  OK(ar_model_from_file(in_folder(folder, "variable.tflite"), &model));
  OK(ar_interpreter_new(model, NULL, &interpreter));
  ar_model_free(model);
  REQUIRE(ar_interpreter_subgraph_count(interpreter) == 2);
  OK(ar_interpreter_variables_of(interpreter, 0, &tensors, &count));
  REQUIRE(count == 1 && tensors[0] == 1);
  OK(ar_interpreter_inputs_of(interpreter, 1, &tensors, &count));
  REQUIRE(count == 1 && tensors[0] == 0);
  OK(ar_interpreter_outputs_of(interpreter, 1, &tensors, &count));
  REQUIRE(count == 1 && tensors[0] == 1);
  OK(ar_interpreter_variables_of(interpreter, 1, &tensors, &count));
  REQUIRE(count == 0 && !tensors);
  FAILS(AR_ERROR_NOT_FOUND, "subgraph 2 does not exist", ar_interpreter_inputs_of(interpreter, 2, &tensors, &count));
  OK(ar_interpreter_tensor_count_of(interpreter, 1, &count));
  REQUIRE(count == 2);

  /* A variable of the main subgraph. */
  OK(ar_interpreter_tensor_of(interpreter, 0, 1, &variable));
  OK(ar_interpreter_tensor_of(interpreter, 0, 2, &negated));
  REQUIRE(ar_tensor_is_variable(variable) && !ar_tensor_is_variable(negated));
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_tensor_copy_from(variable, &four, sizeof four));
  OK(ar_interpreter_invoke(interpreter));
  OK(ar_tensor_copy_to(negated, &result, sizeof result));
  REQUIRE(result == -4.0f);
  uint64_t before = ar_interpreter_generation(interpreter, 0);
  OK(ar_interpreter_allocate(interpreter)); /* does nothing, since nothing has changed */
  REQUIRE(before != 0 && ar_interpreter_generation(interpreter, 0) == before);
  OK(ar_interpreter_release_memory(interpreter));
  REQUIRE(ar_interpreter_generation(interpreter, 0) != before);

  /* Another subgraph, on its own. */
  OK(ar_interpreter_tensor_of(interpreter, 1, 0, &in));
  OK(ar_interpreter_tensor_of(interpreter, 1, 1, &out));
  OK(ar_interpreter_allocate_subgraph(interpreter, 1));
  OK(ar_tensor_quantize(in, &four, 1));
  OK(ar_interpreter_invoke_subgraph(interpreter, 1));
  OK(ar_tensor_dequantize(out, &result, 1));
  REQUIRE(result == 2.0f);
  FAILS(AR_ERROR_STATE, "tensor 2 does not exist; subgraph 1 has 2", ar_interpreter_tensor_of(interpreter, 1, 2, &none));
  REQUIRE(!none);
  ar_interpreter_free(interpreter);
}
