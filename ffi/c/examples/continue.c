/*
 * Continues tokens with a language model: prints the COUNT likeliest tokens, one after another.
 *
 *   cc -std=c11 continue.c $(pkg-config --cflags --libs arenite) -o continue
 *   ./continue model.tflite COUNT ID...
 */
#include <arenite.h>
#include <stdio.h>
#include <stdlib.h>

/* Exits with the error's message. */
static void check(ArError *error) {
  if (error) {
    fprintf(stderr, "error: %s\n", ar_error_message(error));
    ar_error_free(error);
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: %s MODEL.tflite COUNT ID...\n", argv[0]);
    return 2;
  }
  ArModel *model;
  ArSession *session;
  /* Nothing may write to the file until the session is freed. */
  check(ar_model_map_file(argv[1], &model));
  check(ar_session_new(model, NULL, &session));
  ar_model_free(model);
  const size_t given = (size_t)argc - 3;
  uint32_t *ids = malloc(given * sizeof *ids);
  if (!ids) return 1;
  for (size_t i = 0; i < given; i++) ids[i] = (uint32_t)strtoul(argv[i + 3], NULL, 10);
  check(ar_session_append(session, ids, given)); /* in as few runs as the model permits */
  free(ids);
  for (unsigned long count = strtoul(argv[2], NULL, 10); count > 0; count--) {
    uint32_t id;
    check(ar_session_choose(session, &id));
    printf(count > 1 ? "%u," : "%u\n", (unsigned)id);
    fflush(stdout);
    if (count > 1) check(ar_session_append(session, &id, 1));
  }
  ar_session_free(session);
  return 0;
}
