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
#include "program.h"

#define GUARD 64u
#define GUARD_BYTE 0xe5

static ArMicro micro;
static _Alignas(16) unsigned char memory[GUARD + ARENA_BYTES + GUARD];

static ArMicroStatus init(unsigned char *arena, size_t bytes) {
  size_t model_bytes = (size_t)(data_model_end - data_model);
  return ar_micro_init(&micro, data_model, model_bytes, ops, sizeof ops / sizeof *ops, arena, bytes);
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
  fill_inputs(&micro);
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
  uint64_t first = hash_outputs(&micro, 1);
  ar_micro_reset(&micro);
  fill_inputs(&micro);
  demand(ar_micro_invoke(&micro));
  check(hash_outputs(&micro, 0) == first, "a second invocation gave another result");
  ar_micro_close(&micro);
  check_guards(sizes.arena);
  port_stop(0);
}
