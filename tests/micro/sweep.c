/*
 * sweep.c: runs each embedded case of cases.c, which tests/src/bin/embed_cases.rs writes, twice, and compares the bytes
 * of its outputs with cases.bin in the current folder.
 */
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *data;

void arenite_micro_panic(const char *file, size_t length, uint32_t line) {
  fprintf(stderr, "panic at %.*s line %u\n", (int)length, file, (unsigned)line);
  exit(3);
}

/* The next bytes of the file. */
static void *next(size_t bytes) {
  void *at = malloc(bytes + 1);
  if (at == NULL || fread(at, 1, bytes, data) != bytes) {
    fprintf(stderr, "cases.bin is too short\n");
    exit(2);
  }
  return at;
}

/* NULL, or what went wrong. */
static const char *run_once(const Case *one, unsigned char **inputs, unsigned char **outputs) {
  one->init();
  for (unsigned n = 0; n < one->invokes; n++) {
    for (size_t i = 0; i < one->inputs; i++) memcpy(one->input(i), inputs[i], one->input_bytes(i));
    if (one->run() != AR_STATUS_OK) return "a node failed";
  }
  for (size_t i = 0; i < one->outputs; i++) {
    if (memcmp(one->output(i), outputs[i], one->output_bytes(i)) != 0) return "the bytes differ";
  }
  return NULL;
}

int main(void) {
  int failed = 0, count = 0;
  data = fopen("cases.bin", "rb");
  if (data == NULL) return 2;
  for (const Case *one = cases; one->name != NULL; one++, count++) {
    unsigned char *inputs[64], *outputs[64];
    if (one->inputs > 64 || one->outputs > 64) return 2;
    for (size_t i = 0; i < one->inputs; i++) inputs[i] = next(one->input_bytes(i));
    for (size_t i = 0; i < one->outputs; i++) outputs[i] = next(one->output_bytes(i));
    for (int again = 0; again < 2; again++) {
      const char *wrong = run_once(one, inputs, outputs);
      if (wrong == NULL) continue;
      printf("%s: %s\n", one->name, wrong);
      failed = 1;
      break;
    }
    for (size_t i = 0; i < one->inputs; i++) free(inputs[i]);
    for (size_t i = 0; i < one->outputs; i++) free(outputs[i]);
  }
  if (fgetc(data) != EOF) return 2;
  printf("%d embedded cases ran\n", count);
  return failed;
}
