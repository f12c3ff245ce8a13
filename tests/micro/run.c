/*
 * run.c: runs one model in static memory, on any machine of port.h.
 *
 * Prints the size of the arena, the deepest stack, the instructions of one invocation, and the bytes of each output.
 * The model is in the program (data.S), and so are the values of its inputs. `ops.h` is printed by
 * `arenite inspect MODEL --ops c`.
 *
 * It also checks that an arena of exactly that size suffices, that one byte less is an error with both sizes, that a
 * second invocation after a reset gives the same bytes, and that no bytes around the arena are written.
 */
#include "ops.h"
#include "port.h"

#ifndef ARENA_BYTES
#define ARENA_BYTES (3u << 20)
#endif
#define GUARD 64u
#define GUARD_BYTE 0xe5

extern const unsigned char data_model[], data_model_end[], data_inputs[], data_inputs_end[];

static ArMicro micro;
static _Alignas(16) unsigned char memory[GUARD + ARENA_BYTES + GUARD];

static void write_number(size_t number) {
  char text[24], *at = text + sizeof text - 1;
  *at = 0;
  do *--at = (char)('0' + number % 10);
  while (number /= 10);
  port_write(at);
}

static void write_named(const char *name, size_t number) {
  port_write(" ");
  port_write(name);
  port_write(" ");
  write_number(number);
}

static void check(int holds, const char *what) {
  if (holds) return;
  port_write("failed: ");
  port_write(what);
  port_write("\n");
  port_stop(1);
}

/* Ends the program if a call failed. */
static void demand(ArMicroStatus status) { check(status == AR_MICRO_OK, ar_micro_error()); }

void arenite_micro_panic(const char *file, size_t length, uint32_t line) {
  char one[2] = {0, 0};
  port_write("panic at ");
  for (size_t i = 0; i < length; i++) one[0] = file[i], port_write(one);
  write_named("line", line);
  port_write("\n");
  port_stop(3);
}

static ArMicroStatus init(unsigned char *arena, size_t bytes) {
  size_t model_bytes = (size_t)(data_model_end - data_model);
  return ar_micro_init(&micro, data_model, model_bytes, ops, sizeof ops / sizeof *ops, arena, bytes);
}

/* Fills the inputs from consecutive data. */
static void fill_inputs(void) {
  const unsigned char *from = data_inputs;
  for (size_t i = 0; i < ar_micro_input_count(&micro); i++) {
    ArMicroTensor input;
    demand(ar_micro_input(&micro, i, &input));
    check(input.bytes <= (size_t)(data_inputs_end - from), "too few bytes for the inputs");
    for (size_t b = 0; b < input.bytes; b++) ((unsigned char *)input.data)[b] = from[b];
    from += input.bytes;
  }
  check(from == data_inputs_end, "too many bytes for the inputs");
}

static void write_output(size_t index, const ArMicroTensor *output) {
  static const char digits[] = "0123456789abcdef";
  const unsigned char *bytes = output->data;
  char text[65];
  port_write("output ");
  write_number(index);
  port_write(" ");
  for (size_t b = 0; b < output->bytes;) {
    size_t at = 0;
    for (; b < output->bytes && at < sizeof text - 1; b++) {
      text[at++] = digits[bytes[b] >> 4];
      text[at++] = digits[bytes[b] & 15];
    }
    text[at] = 0;
    port_write(text);
  }
  port_write("\n");
}

/* The FNV-1a hash of all outputs. */
static uint64_t hash_outputs(int writes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < ar_micro_output_count(&micro); i++) {
    ArMicroTensor output;
    demand(ar_micro_output(&micro, i, &output));
    if (writes) write_output(i, &output);
    for (size_t b = 0; b < output.bytes; b++) hash = (hash ^ ((unsigned char *)output.data)[b]) * 0x100000001b3u;
  }
  return hash;
}

static void check_guards(size_t bytes) {
  for (size_t i = 0; i < GUARD; i++)
    check(memory[i] == GUARD_BYTE && memory[GUARD + bytes + i] == GUARD_BYTE, "bytes outside the arena were written");
}

static void guard(size_t bytes) {
  for (size_t i = 0; i < GUARD; i++) memory[i] = memory[GUARD + bytes + i] = GUARD_BYTE;
}

/* Prints the size of the arena, the stack and the time; leaves the model ready to run. */
static ArMicroSizes measure(void) {
  ArMicroSizes sizes;
  check(ar_micro_invoke(&micro) == AR_MICRO_PHASE, "a call in the wrong phase was accepted");
  port_paint_stack();
  demand(init(memory + GUARD, ARENA_BYTES));
  demand(ar_micro_sizes(&micro, &sizes));
  ar_micro_close(&micro);

  unsigned char *arena = memory + GUARD;
  guard(sizes.arena);
  check(init(arena, sizes.arena - 1) == AR_MICRO_ARENA, "an arena with one byte less was accepted");
  check(ar_micro_needed(&micro) == sizes.arena, "the error does not report the required size");
  demand(init(arena, sizes.arena));
  fill_inputs();
  uint32_t before = port_instructions();
  demand(ar_micro_invoke(&micro));
  uint32_t after = port_instructions();
  size_t stack = port_used_stack();

  port_write("arena");
  write_named("bytes", sizes.arena);
  write_named("head", sizes.head);
  write_named("bookkeeping", sizes.bookkeeping);
  write_named("ops", sizes.ops);
  write_named("variables", sizes.variables);
  write_named("constants", sizes.constants);
  port_write("\ncost");
  write_named("stack", stack);
  write_named("instructions", after - before);
  port_write("\n");
  return sizes;
}

#ifndef SETUP
#define SETUP() ((void)0)
#endif

int main(void) {
  SETUP();
  ArMicroSizes sizes = measure();
  uint64_t first = hash_outputs(1);
  ar_micro_reset(&micro);
  fill_inputs();
  demand(ar_micro_invoke(&micro));
  check(hash_outputs(0) == first, "a second invocation gave another result");
  ar_micro_close(&micro);
  check_guards(sizes.arena);
  port_stop(0);
}
