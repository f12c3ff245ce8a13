/*
 * rust.c: runs the models of tests/embedded, which Rust's compiler has linked in, and prints their outputs.
 */
#include <stdbool.h>

#include "port.h"
#include "report.h"

bool run_rust_models(void (*show)(const char *model, size_t length, size_t index, const unsigned char *bytes, size_t count));

static void show(const char *model, size_t length, size_t index, const unsigned char *bytes, size_t count) {
  char one[2] = {0, 0};
  for (size_t i = 0; i < length; i++) one[0] = model[i], port_write(one);
  port_write(" ");
  write_bytes(index, bytes, count);
}

int main(void) {
  port_paint_stack();
  check(run_rust_models(show), "a model did not run");
  port_write("stack");
  write_named("bytes", port_used_stack());
  port_write("\n");
  port_stop(0);
}
