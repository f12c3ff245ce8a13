/*
 * port.h: what a program of tests/micro needs of the machine that it runs on.
 */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>
#include <stdint.h>

/* Writes text that ends with a zero. */
void port_write(const char *text);

/* Ends the program. */
_Noreturn void port_stop(int status);

/* Instructions since the start, where the machine counts them; else 0. They wrap. */
uint32_t port_instructions(void);

/* Writes a pattern to the stack below the caller, and tells how many bytes of it were used since; 0 where it cannot be told. */
void port_paint_stack(void);
size_t port_used_stack(void);

#endif
