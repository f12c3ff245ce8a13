/* Includes signature.h alone, then tests access by name and by position. Compiled as C and as C++. */
#include <arenite/signature.h>

#include "../check.h"

void test_signature(const char *folder) {
  ArModel *model;
  ArInterpreter *interpreter;
  ArSignature *signature, *again;
  ArTensor *input, *at;
  const ArTensor *output, *output_at;
  const float value[2] = {3.0f, -4.0f};
  const int32_t dims[1] = {2};
  float result[2];
  size_t count = 1;
  OK(ar_model_from_file(in_folder(folder, "signatures.tflite"), &model));
  OK(ar_interpreter_new(model, NULL, &interpreter));
  ar_model_free(model);
  FAILS(AR_ERROR_NOT_FOUND, "known: root, negate", ar_interpreter_signature(interpreter, "negat", &signature));
  OK(ar_interpreter_signature(interpreter, "negate", &signature));
  OK(ar_interpreter_signature(interpreter, "negate", &again));
  REQUIRE(signature == again && strcmp(ar_signature_key(signature), "negate") == 0);
  REQUIRE(ar_signature_subgraph(signature) == 1 && ar_signature_input_count(signature) == 1);
  REQUIRE(ar_signature_output_count(signature) == 1 && strcmp(ar_signature_output_name(signature, 0), "negated") == 0);
  REQUIRE(strcmp(ar_signature_input_name(signature, 0), "value") == 0 && !ar_signature_input_name(signature, 1));
  OK(ar_signature_input(signature, "value", &input));
  OK(ar_signature_input_at(signature, 0, &at));
  OK(ar_signature_output(signature, "negated", &output));
  OK(ar_signature_output_at(signature, 0, &output_at));
  REQUIRE(input == at && output == output_at && ar_tensor_subgraph(input) == 1);
  FAILS(AR_ERROR_NOT_FOUND, "unknown input 'valu'", ar_signature_input(signature, "valu", &input));
  FAILS(AR_ERROR_ARGUMENT, "output 1 does not exist; the signature has 1", ar_signature_output_at(signature, 1, &output_at));
  REQUIRE(!input && !output_at);
  OK(ar_signature_resize_input(signature, "value", dims, 1));
  OK(ar_signature_allocate(signature));
  OK(ar_tensor_copy_from(at, value, sizeof value));
  OK(ar_signature_invoke(signature));
  OK(ar_tensor_copy_to(output, result, sizeof result));
  REQUIRE(result[0] == -3.0f && result[1] == 4.0f);
  FAILS(AR_ERROR_NOT_FOUND, "unknown output 'value'", ar_signature_tie(signature, "value", "value"));
  FAILS(AR_ERROR_ARGUMENT, "'input' is null", ar_signature_tie(signature, "negated", NULL));
  OK(ar_interpreter_tie_caches(interpreter, &count));
  REQUIRE(count == 0);
  OK(ar_signature_resize_input(signature, "value", dims, 1));
  OK(ar_signature_tie(signature, "negated", "value"));
  OK(ar_signature_allocate(signature));
  OK(ar_tensor_copy_from(at, value, sizeof value));
  OK(ar_signature_invoke(signature));
  OK(ar_signature_invoke(signature));
  OK(ar_tensor_copy_to(at, result, sizeof result));
  REQUIRE(result[0] == 3.0f && result[1] == -4.0f);
  ar_interpreter_free(interpreter);
}
