/*
 * report.h: the data of data.S, and helpers that check and print, for all programs of tests/micro.
 */
#ifndef REPORT_H
#define REPORT_H

#include "port.h"

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

void arenite_micro_panic(const char *file, size_t length, uint32_t line) {
  char one[2] = {0, 0};
  port_write("panic at ");
  for (size_t i = 0; i < length; i++) one[0] = file[i], port_write(one);
  write_named("line", line);
  port_write("\n");
  port_stop(3);
}

static inline void write_bytes(size_t index, const unsigned char *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  char text[65];
  port_write("output ");
  write_number(index);
  port_write(" ");
  for (size_t b = 0; b < count;) {
    size_t at = 0;
    for (; b < count && at < sizeof text - 1; b++) {
      text[at++] = digits[bytes[b] >> 4];
      text[at++] = digits[bytes[b] & 15];
    }
    text[at] = 0;
    port_write(text);
  }
  port_write("\n");
}

#endif
