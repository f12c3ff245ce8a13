/*
 * board.c: starts the program on Arm's MPS2 with the image AN386, a Cortex-M4 with 32-bit floats that QEMU emulates
 * (-M mps2-an386), and prints by semihosting. On your board, its vendor's startup code and a UART take this file's
 * place.
 */
#include "board.h"

#include <stddef.h>
#include <stdint.h>

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };

void start(void); /* the entry in board.ld */
extern uint32_t stack_top[], data_from[], data_begin[], data_end[], bss_begin[], bss_end[];

static void semihosting(uint32_t operation, const void *argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void board_print(const char *text) { semihosting(SYS_WRITE0, text); }

_Noreturn void board_stop(int status) {
  uint32_t arguments[2] = {APPLICATION_EXIT, (uint32_t)status};
  semihosting(SYS_EXIT_EXTENDED, arguments);
  for (;;) {
  }
}

/* The kernels call it if they find an error in themselves. */
_Noreturn void arenite_micro_panic(const char *file, size_t length, uint32_t line) {
  (void)file, (void)length, (void)line;
  board_print("panic\n");
  board_stop(3);
}

static void fault(void) {
  board_print("fault\n");
  board_stop(4);
}

void start(void) {
  volatile uint32_t *coprocessors = (volatile uint32_t *)0xe000ed88u;
  *coprocessors |= 0xfu << 20; /* turns the floating-point unit on */
  __asm__ volatile("dsb\n isb");
  for (uint32_t *to = data_begin, *from = data_from; to < data_end;) *to++ = *from++;
  for (uint32_t *to = bss_begin; to < bss_end;) *to++ = 0;
  board_stop(main());
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    stack_top, (const void *)start, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault,
};
