/* threads FOLDER: 8 threads, each with an interpreter of one model and one registry, invoke 1,000 times each. */
#include "check.h"
#include <pthread.h>

#define THREADS 8
#define RUNS 1000

typedef struct {
  const ArModel *model;
  const ArRegistry *registry;
  int number;
  int wrong;
} Work;

/* Each thread makes its interpreter itself, so that making one is shared, too. */
static void *work(void *argument) {
  Work *work = argument;
  ArInterpreter *interpreter;
  ArTensor *input;
  const ArTensor *output;
  ArOptions *options = ar_options_new();
  OK(ar_options_set_registry(options, work->registry));
  OK(ar_options_set_threads(options, 1));
  OK(ar_interpreter_new(work->model, options, &interpreter));
  ar_options_free(options);
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_output(interpreter, 0, &output));
  for (int run = 0; run < RUNS; run++) {
    float x[6], y[6];
    for (int i = 0; i < 6; i++) x[i] = (float)((work->number + run + i) * (work->number + run + i));
    OK(ar_tensor_copy_from(input, x, sizeof x));
    OK(ar_interpreter_invoke(interpreter));
    OK(ar_tensor_copy_to(output, y, sizeof y));
    for (int i = 0; i < 6; i++) work->wrong += y[i] != (float)(work->number + run + i);
  }
  ar_interpreter_free(interpreter);
  return NULL;
}

int main(int argc, char **argv) {
  ArModel *model;
  ArRegistry *registry;
  pthread_t threads[THREADS];
  Work works[THREADS];
  REQUIRE(argc == 2);
  OK(ar_model_from_file(in_folder(argv[1], "sqrt.tflite"), &model));
  OK(ar_registry_new(NULL, &registry));
  for (int i = 0; i < THREADS; i++) {
    works[i] = (Work){model, registry, 100 * i, 0};
    REQUIRE(pthread_create(&threads[i], NULL, work, &works[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    REQUIRE(pthread_join(threads[i], NULL) == 0);
    REQUIRE(works[i].wrong == 0);
  }
  ar_registry_free(registry);
  ar_model_free(model);
  return 0;
}
