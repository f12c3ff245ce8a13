/*
 * sweep.h: a conformance case that was embedded, see sweep.c.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include <arenite_embedded.h>

typedef struct Case {
  const char *name;
  void (*init)(void);
  void *(*input)(size_t index);
  size_t (*input_bytes)(size_t index);
  const void *(*output)(size_t index);
  size_t (*output_bytes)(size_t index);
  ArStatus (*run)(void);
  size_t inputs, outputs;
  unsigned invokes;
} Case;

/* The last one has no name. */
extern const Case cases[];

#endif
