/*
 * host.c: port.h for a machine with an operating system. Nothing here allocates.
 */
#include "port.h"

#include <string.h>
#include <unistd.h>

void port_write(const char *text) {
  if (write(1, text, strlen(text)) < 0) _exit(2);
}

_Noreturn void port_stop(int status) { _exit(status); }

uint32_t port_instructions(void) { return 0; }

void port_paint_stack(void) {}

size_t port_used_stack(void) { return 0; }
