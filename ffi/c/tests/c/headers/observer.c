/* Includes observer.h alone, then tests calls before and after a node. Compiled as C and as C++. */
#include <arenite/observer.h>

#include "../check.h"

typedef struct {
  ArInterpreter *interpreter;
  int before, after, released;
  float output;
} Seen;

static void see(const ArObserved *observed, void *user_data) {
  Seen *seen = (Seen *)user_data;
  ArTensorView view;
  size_t nodes, inputs, outputs;
  const int32_t *written = ar_observed_outputs(observed, &outputs);
  const int32_t *read = ar_observed_inputs(observed, &inputs);
  const size_t *which = ar_observed_nodes(observed, &nodes);
  REQUIRE(ar_observed_subgraph(observed) == 0 && nodes == 1 && which[0] == 0);
  REQUIRE(strcmp(ar_observed_op(observed), "SQRT") == 0 && !ar_observed_delegate(observed));
  REQUIRE(inputs == 1 && read[0] == 0 && outputs == 1 && written[0] == 1);
  OK(ar_observed_tensor(observed, written[0], &view));
  REQUIRE(view.element_type == AR_TYPE_FLOAT32 && view.rank == 1 && view.dims[0] == 1 && view.bytes == 4);
  FAILS(AR_ERROR_STATE, "tensor 7 does not exist", ar_observed_tensor(observed, 7, &view));
  FAILS(AR_ERROR_ARGUMENT, "tensor -1 is absent", ar_observed_tensor(observed, -1, &view));
  OK(ar_observed_tensor(observed, 1, &view));
  if (ar_observed_moment(observed) == AR_MOMENT_BEFORE) {
    seen->before++;
  } else {
    seen->after++;
    seen->output = *(const float *)view.data;
  }
  FAILS(AR_ERROR_STATE, "in use by another call", ar_interpreter_allocate(seen->interpreter));
}

static void released(void *user_data) { ((Seen *)user_data)->released++; }

void test_observer(const char *folder) {
  ArModel *model;
  ArTensor *input;
  Seen seen = {NULL, 0, 0, 0, 0.0f};
  const float nine = 9.0f;
  ArOptions *options = ar_options_new();
  OK(ar_options_add_delegate(options, "none", AR_ON_MISSING_ERROR, NULL, 0));
  OK(ar_model_from_file(in_folder(folder, "root.tflite"), &model));
  OK(ar_interpreter_new(model, options, &seen.interpreter));
  OK(ar_interpreter_allocate(seen.interpreter));
  OK(ar_interpreter_input(seen.interpreter, 0, &input));
  OK(ar_tensor_copy_from(input, &nine, 4));
  OK(ar_interpreter_set_observer(seen.interpreter, see, &seen, released));
  OK(ar_interpreter_invoke(seen.interpreter));
  REQUIRE(seen.before == 1 && seen.after == 1 && seen.output == 3.0f && seen.released == 0);
  OK(ar_interpreter_set_observer(seen.interpreter, NULL, NULL, NULL));
  REQUIRE(seen.released == 1);
  OK(ar_interpreter_invoke(seen.interpreter));
  REQUIRE(seen.before == 1);
  FAILS(AR_ERROR_ARGUMENT, "'interpreter' is null", ar_interpreter_set_observer(NULL, see, &seen, released));
  REQUIRE(seen.released == 2);
  OK(ar_interpreter_set_observer(seen.interpreter, see, &seen, released));
  ar_interpreter_free(seen.interpreter);
  REQUIRE(seen.released == 3 && ar_observed_subgraph(NULL) == 0 && !ar_observed_op(NULL));
  ar_options_free(options);
  ar_model_free(model);
}
