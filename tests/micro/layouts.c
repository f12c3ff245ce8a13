/*
 * layouts.c: prints this machine's layout table for core/micro/targets. `ops.h` lists all ops.
 */
#include "ops.h"
#include "port.h"

void arenite_micro_panic(const char *file, size_t length, uint32_t line) {
  (void)file, (void)length, (void)line;
  port_stop(3);
}

static void write_text(const char *text, size_t length) {
  char piece[64];
  while (length > 0) {
    size_t part = length < sizeof piece - 1 ? length : sizeof piece - 1;
    for (size_t i = 0; i < part; i++) piece[i] = text[i];
    piece[part] = 0;
    port_write(piece);
    text += part;
    length -= part;
  }
}

int main(void) {
  ar_micro_write_layouts(write_text, ops, sizeof ops / sizeof *ops);
  port_stop(0);
}
