/*
 * port.h: the functions that a program of tests/micro needs from its machine.
 */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>
#include <stdint.h>

/* Writes a zero-terminated text. */
void port_write(const char *text);

/* Ends the program. */
_Noreturn void port_stop(int status);

/* Instructions since the start, modulo 2^32, or 0 if the machine does not count them. */
uint32_t port_instructions(void);

/* Fills the stack below the caller with a pattern, and returns how many bytes of it were used since; 0 if unknown. */
void port_paint_stack(void);
size_t port_used_stack(void);

#endif
