/*
 * port.c: port.h for Arm's board MPS2 with the image AN386, a Cortex-M4 with 32-bit floats, as QEMU emulates it (-M
 * mps2-an386).
 *
 * Text is printed by semihosting. With QEMU's `-icount shift=0` an instruction takes one nanosecond, and the board's
 * timer ticks every 40.
 */
#include "../port.h"

#define STACK_PATTERN 0x5aa55aa5u
#define NANOSECONDS_PER_TICK 40u
#define SYS_WRITE0 0x04u
#define SYS_EXIT_EXTENDED 0x20u
#define APPLICATION_EXIT 0x20026u

extern uint32_t stack_low[], stack_top[], data_from[], data_begin[], data_end[], bss_begin[], bss_end[];
int main(void);

static uint32_t semihosting(uint32_t operation, const void *argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void port_write(const char *text) { semihosting(SYS_WRITE0, text); }

_Noreturn void port_stop(int status) {
  uint32_t arguments[2] = {APPLICATION_EXIT, (uint32_t)status};
  semihosting(SYS_EXIT_EXTENDED, arguments);
  for (;;) {
  }
}

/* The CMSDK timer: the control register, and a value that counts down from the reload value. */
static volatile uint32_t *const timer = (volatile uint32_t *)0x40000000u;

uint32_t port_instructions(void) { return (0u - timer[1]) * NANOSECONDS_PER_TICK; }

void port_paint_stack(void) {
  uint32_t *here;
  __asm__ volatile("mov %0, sp" : "=r"(here));
  for (uint32_t *at = stack_low; at < here; at++) *at = STACK_PATTERN;
}

size_t port_used_stack(void) {
  const uint32_t *here, *at = stack_low;
  __asm__ volatile("mov %0, sp" : "=r"(here));
  while (at < here && *at == STACK_PATTERN) at++;
  return (size_t)((const char *)here - (const char *)at);
}

/* The library leaves these functions to the program. Words are copied if both addresses are aligned. */
#define MEMORY_FUNCTION __attribute__((optimize("no-tree-loop-distribute-patterns")))

static int is_word_by_word(const void *a, const void *b) { return (((uintptr_t)a | (uintptr_t)b) & 3u) == 0; }

MEMORY_FUNCTION void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  char *at = to;
  const char *next = from;
  if (is_word_by_word(to, from))
    for (; bytes >= 4; bytes -= 4, at += 4, next += 4) *(uint32_t *)at = *(const uint32_t *)next;
  for (; bytes > 0; bytes--) *at++ = *next++;
  return to;
}

MEMORY_FUNCTION void *memmove(void *to, const void *from, size_t bytes) {
  char *at = to;
  const char *next = from;
  if (at <= next || at >= next + bytes) return memcpy(to, from, bytes);
  for (; bytes > 0; bytes--) at[bytes - 1] = next[bytes - 1];
  return to;
}

MEMORY_FUNCTION void *memset(void *to, int value, size_t bytes) {
  char *at = to;
  uint32_t word = (value & 255) * 0x01010101u;
  if (is_word_by_word(to, to))
    for (; bytes >= 4; bytes -= 4, at += 4) *(uint32_t *)at = word;
  for (; bytes > 0; bytes--) *at++ = (char)value;
  return to;
}

MEMORY_FUNCTION int memcmp(const void *a, const void *b, size_t bytes) {
  const unsigned char *one = a, *other = b;
  for (; bytes > 0; bytes--, one++, other++)
    if (*one != *other) return *one - *other;
  return 0;
}

static void fault(void) {
  port_write("fault\n");
  port_stop(4);
}

void start(void) {
  volatile uint32_t *coprocessors = (volatile uint32_t *)0xe000ed88u;
  *coprocessors |= 0xfu << 20; /* full access to the floating-point unit */
  __asm__ volatile("dsb\n isb");
  for (uint32_t *to = data_begin, *from = data_from; to < data_end;) *to++ = *from++;
  for (uint32_t *to = bss_begin; to < bss_end;) *to++ = 0;
  timer[2] = 0xffffffffu;
  timer[1] = 0xffffffffu;
  timer[0] = 1;
  port_stop(main());
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    stack_top, (const void *)start, (const void *)fault, (const void *)fault, (const void *)fault, (const void *)fault, (const void *)fault,
};
