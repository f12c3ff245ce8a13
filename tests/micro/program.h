/*
 * program.h: helpers for the programs of tests/micro, which run the model of data.S on its inputs.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "ops.h"
#include "port.h"

#ifndef ARENA_BYTES
#define ARENA_BYTES (3u << 20)
#endif

extern const unsigned char data_model[], data_model_end[], data_inputs[], data_inputs_end[];

static inline void write_number(size_t number) {
  char text[24], *at = text + sizeof text - 1;
  *at = 0;
  do *--at = (char)('0' + number % 10);
  while (number /= 10);
  port_write(at);
}

static inline void write_named(const char *name, size_t number) {
  port_write(" ");
  port_write(name);
  port_write(" ");
  write_number(number);
}

static inline void check(int holds, const char *what) {
  if (holds) return;
  port_write("failed: ");
  port_write(what);
  port_write("\n");
  port_stop(1);
}

/* Ends the program if a call failed. */
static inline void demand(ArMicroStatus status) { check(status == AR_MICRO_OK, ar_micro_error()); }

void arenite_micro_panic(const char *file, size_t length, uint32_t line) {
  char one[2] = {0, 0};
  port_write("panic at ");
  for (size_t i = 0; i < length; i++) one[0] = file[i], port_write(one);
  write_named("line", line);
  port_write("\n");
  port_stop(3);
}

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

static inline void write_output(size_t index, const ArMicroTensor *output) {
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
static inline uint64_t hash_outputs(ArMicro *micro, int writes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < ar_micro_output_count(micro); i++) {
    ArMicroTensor output;
    demand(ar_micro_output(micro, i, &output));
    if (writes) write_output(i, &output);
    for (size_t b = 0; b < output.bytes; b++) hash = (hash ^ ((unsigned char *)output.data)[b]) * 0x100000001b3u;
  }
  return hash;
}

#endif
