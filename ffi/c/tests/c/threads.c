/* threads MODEL: 8 threads, each with its own interpreter of one shared model and registry, invoke 1,000 times each.
 * Every output must be equal to that of a single thread. */
#include "check.h"
#include <pthread.h>

#define THREADS 8
#define RUNS 1000
#define INPUTS 4
#define MOST 4096 /* maximum size of an input or output in bytes */

typedef struct {
  const ArModel *model;
  const ArRegistry *registry;
  int number, wrong;
} Work;

static unsigned char expected[INPUTS][MOST];

/* Fills input `number` with floats from -1 to 1. */
static void fill(float *values, size_t count, int number) {
  for (size_t i = 0; i < count; i++) values[i] = (float)((int)((i * 7 + (size_t)number * 13) % 21) - 10) / 10.0f;
}

/* Each thread creates its own interpreter, so that creating one is tested for races too. */
static ArInterpreter *make(const Work *work) {
  ArInterpreter *interpreter;
  ArOptions *options = ar_options_new();
  OK(ar_options_set_registry(options, work->registry));
  OK(ar_options_set_threads(options, 1));
  OK(ar_interpreter_new(work->model, options, &interpreter));
  ar_options_free(options);
  OK(ar_interpreter_allocate(interpreter));
  return interpreter;
}

/* Copies output `number` to `answer` and returns its size. */
static size_t answer_to(ArInterpreter *interpreter, int number, unsigned char *answer) {
  static const size_t most = MOST / sizeof(float);
  float values[MOST / sizeof(float)];
  ArTensor *input;
  const ArTensor *output;
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_output(interpreter, 0, &output));
  size_t count = ar_tensor_element_count(input), bytes = ar_tensor_byte_size(output);
  REQUIRE(count <= most && bytes <= MOST);
  fill(values, count, number);
  OK(ar_tensor_quantize(input, values, count));
  OK(ar_interpreter_invoke(interpreter));
  OK(ar_tensor_copy_to(output, answer, bytes));
  return bytes;
}

static void *work(void *argument) {
  Work *work = argument;
  ArInterpreter *interpreter = make(work);
  for (int run = 0; run < RUNS; run++) {
    unsigned char answer[MOST];
    int number = (work->number + run) % INPUTS;
    size_t bytes = answer_to(interpreter, number, answer);
    work->wrong += memcmp(answer, expected[number], bytes) != 0;
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
  OK(ar_model_from_file(argv[1], &model));
  OK(ar_registry_new(NULL, &registry));
  Work alone = {model, registry, 0, 0};
  ArInterpreter *interpreter = make(&alone);
  for (int number = 0; number < INPUTS; number++) answer_to(interpreter, number, expected[number]);
  REQUIRE(memcmp(expected[0], expected[1], 16) != 0);
  ar_interpreter_free(interpreter);
  for (int i = 0; i < THREADS; i++) {
    works[i] = (Work){model, registry, i, 0};
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
