/*
 * turns.c: runs one model in every way that arenite_micro.h offers: with the linear planner, with a planner of the
 * program, in two blocks, twice in one arena, and with a profiler. Every way must give the same bytes.
 *
 * Prints the bytes of each output, and the sizes.
 */
#include "program.h"

#define HALF (ARENA_BYTES / 2)

static ArMicro first, second;
static _Alignas(16) unsigned char memory[ARENA_BYTES];

static const size_t op_count = sizeof ops / sizeof *ops;

static size_t model_bytes(void) { return (size_t)(data_model_end - data_model); }

static uint64_t run(ArMicro *micro, int writes) {
  demand(ar_micro_reset(micro));
  fill_inputs(micro);
  demand(ar_micro_invoke(micro));
  return hash_outputs(micro, writes);
}

/* Each buffer in the lowest place that is free, in the order of the list. */
static uint32_t first_fit(void *user, ArMicroBuffers *buffers, size_t count) {
  (void)user;
  for (size_t i = 0; i < count; i++) {
    ArMicroBuffer buffer, other;
    if (ar_micro_buffer(buffers, i, &buffer) != AR_MICRO_OK) return 1;
    if (buffer.offset != SIZE_MAX) continue;
    size_t at = 0;
    for (size_t j = 0; j < count; j++) {
      if (ar_micro_buffer(buffers, j, &other) != AR_MICRO_OK) return 1;
      if (other.offset == SIZE_MAX || other.first > buffer.last || buffer.first > other.last) continue;
      if (other.offset >= at + buffer.bytes || at >= other.offset + other.bytes) continue;
      at = (other.offset + other.bytes + 15) / 16 * 16;
      j = (size_t)-1; /* again, from the first buffer */
    }
    if (ar_micro_place(buffers, i, at) != AR_MICRO_OK) return 1;
  }
  return 0;
}

static void load_two(size_t planned, size_t persistent) {
  demand(ar_micro_load_two(&first, data_model, model_bytes(), ops, op_count, memory, planned, memory + HALF, persistent));
  demand(ar_micro_prepare(&first));
  demand(ar_micro_plan(&first, AR_MICRO_GREEDY));
}

/* The number of nodes that began and ended. */
typedef struct Counts {
  size_t begun, ended;
} Counts;

static void begin(void *user, size_t subgraph, size_t node, int32_t code) {
  (void)subgraph, (void)code;
  Counts *counts = user;
  check(counts->begun == node, "the profiler misses a node");
  counts->begun++;
}

static void end(void *user, size_t subgraph, size_t node, int32_t code) {
  (void)subgraph, (void)code;
  Counts *counts = user;
  check(counts->ended == node, "the profiler misses the end of a node");
  counts->ended++;
}

static uint64_t plan_and_run(ArMicroPlanCallback planner) {
  demand(ar_micro_load(&first, data_model, model_bytes(), ops, op_count, memory, ARENA_BYTES));
  demand(ar_micro_prepare(&first));
  demand(planner ? ar_micro_plan_with(&first, planner, 0) : ar_micro_plan(&first, AR_MICRO_LINEAR));
  uint64_t hash = run(&first, !planner);
  ArMicroSizes sizes;
  demand(ar_micro_sizes(&first, &sizes));
  port_write(planner ? "own" : "linear");
  write_named("head", sizes.head);
  port_write("\n");
  return hash;
}

int main(void) {
  uint64_t wanted = plan_and_run(0);
  ar_micro_close(&first);

  check(plan_and_run(first_fit) == wanted, "a planner of the program changed the result");
  Counts counts = {0, 0};
  ArMicroProfiler profiler = {begin, end, &counts};
  demand(ar_micro_set_profiler(&first, &profiler));
  check(run(&first, 0) == wanted, "a profiler changed the result");
  check(counts.begun > 0 && counts.begun == counts.ended, "nodes that began did not end");
  ar_micro_close(&first);

  ArMicroRecord record;
  load_two(HALF, HALF);
  demand(ar_micro_record(&first, &record));
  ar_micro_close(&first);
  load_two(record.planned, record.persistent);
  check(run(&first, 0) == wanted, "two blocks changed the result");
  ar_micro_close(&first);

  ArMicroArena arena = {0};
  demand(ar_micro_arena_open(&arena, memory, ARENA_BYTES, 0, 0));
  demand(ar_micro_add(&first, &arena, data_model, model_bytes(), ops, op_count, AR_MICRO_GREEDY));
  demand(ar_micro_add(&second, &arena, data_model, model_bytes(), ops, op_count, AR_MICRO_LINEAR));
  for (int turn = 0; turn < 2; turn++)
    check(run(&first, 0) == wanted && run(&second, 0) == wanted, "a shared arena changed the result");
  ArMicroSizes sizes;
  demand(ar_micro_sizes(&second, &sizes));
  ar_micro_close(&second);
  check(run(&first, 0) == wanted, "closing a model changed the other one");
  ar_micro_close(&first);

  port_write("turns");
  write_named("nodes", counts.begun);
  write_named("planned", record.planned);
  write_named("persistent", record.persistent);
  write_named("shared", sizes.arena);
  port_write("\n");
  port_stop(0);
}
