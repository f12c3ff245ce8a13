/*
 * embedded.c: runs a model that `arenite embed MODEL --name model` has written to model.h and model.c.
 *
 * Prints the sizes, the deepest stack, the instructions of one run, and the bytes of each output. It also checks that a
 * second run after another model_init gives the same bytes.
 */
#include "model.h"
#include "report.h"

static void fill(void) {
  const unsigned char *from = data_inputs;
  for (size_t i = 0; i != MODEL_INPUT_COUNT; i++) {
    unsigned char *to = model_input(i);
    size_t bytes = model_input_bytes(i);
    check(to != NULL && bytes <= (size_t)(data_inputs_end - from), "too few bytes for the inputs");
    for (size_t b = 0; b < bytes; b++) to[b] = from[b];
    from += bytes;
  }
  check(from == data_inputs_end, "too many bytes for the inputs");
  check(model_input(MODEL_INPUT_COUNT) == NULL && model_output_bytes(MODEL_OUTPUT_COUNT) == 0, "an index is out of range");
}

/* The FNV-1a hash of all outputs. */
static uint64_t hash(void) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < MODEL_OUTPUT_COUNT; i++) {
    const unsigned char *bytes = model_output(i);
    for (size_t b = 0; b < model_output_bytes(i); b++) hash = (hash ^ bytes[b]) * 0x100000001b3u;
  }
  return hash;
}

int main(void) {
  port_paint_stack();
  model_init();
  fill();
  uint32_t before = port_instructions();
  ArStatus status = model_run();
  uint32_t after = port_instructions();
  size_t stack = port_used_stack();
  check(status == AR_STATUS_OK, "a node failed");
  port_write("embedded");
  write_named("arena", MODEL_ARENA_BYTES);
  write_named("variables", MODEL_VARIABLE_BYTES);
  write_named("constants", MODEL_CONSTANT_BYTES);
  write_named("stack", stack);
  write_named("instructions", after - before);
  port_write("\n");
  for (size_t i = 0; i < MODEL_OUTPUT_COUNT; i++) write_bytes(i, model_output(i), model_output_bytes(i));
  uint64_t first = hash();
  model_init();
  fill();
  check(model_run() == AR_STATUS_OK && hash() == first, "a second run gave another result");
  port_stop(0);
}
