/*
 * program.h: helpers for the programs of tests/micro, which run the model of data.S on its inputs.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "ops.h"
#include "report.h"

#ifndef ARENA_BYTES
#define ARENA_BYTES (3u << 20)
#endif

/* Ends the program if a call failed. */
static inline void demand(ArMicroStatus status) { check(status == AR_MICRO_OK, ar_micro_error()); }

/* Fills the inputs from consecutive data. */
static inline void fill_inputs(ArMicro *micro) {
  const unsigned char *from = data_inputs;
  for (size_t i = 0; i < ar_micro_input_count(micro); i++) {
    ArMicroTensor input;
    demand(ar_micro_input(micro, i, &input));
    check(input.bytes <= (size_t)(data_inputs_end - from), "too few bytes for the inputs");
    for (size_t b = 0; b < input.bytes; b++) ((unsigned char *)input.data)[b] = from[b];
    from += input.bytes;
  }
  check(from == data_inputs_end, "too many bytes for the inputs");
}

/* The FNV-1a hash of all outputs. */
static inline uint64_t hash_outputs(ArMicro *micro, int writes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < ar_micro_output_count(micro); i++) {
    ArMicroTensor output;
    demand(ar_micro_output(micro, i, &output));
    if (writes) write_bytes(i, output.data, output.bytes);
    for (size_t b = 0; b < output.bytes; b++) hash = (hash ^ ((unsigned char *)output.data)[b]) * 0x100000001b3u;
  }
  return hash;
}

#endif
