/* Checks for the test programs. A failed check ends the program and prints file and line. */
#ifndef CHECK_H
#define CHECK_H

#include <arenite.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                        \
  do {                                                                            \
    if (!(condition)) {                                                           \
      fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition);     \
      exit(1);                                                                    \
    }                                                                             \
  } while (0)

/* The call must succeed. */
#define OK(call) expect_ok(__FILE__, __LINE__, (call))
static inline void expect_ok(const char *file, int line, ArError *error) {
  if (error) {
    fprintf(stderr, "%s:%d: error %u: %s\n", file, line, ar_error_code(error), ar_error_message(error));
    exit(1);
  }
}

/* The call must fail with this code and a message that contains `text`. */
#define FAILS(code, text, call) expect_failure(__FILE__, __LINE__, (code), (text), (call))
static inline void expect_failure(const char *file, int line, ArErrorCode code, const char *text, ArError *error) {
  if (!error) {
    fprintf(stderr, "%s:%d: no error, expected %u with '%s'\n", file, line, code, text);
    exit(1);
  }
  if (ar_error_code(error) != code || !strstr(ar_error_message(error), text)) {
    fprintf(stderr, "%s:%d: error %u: %s\nexpected %u with '%s'\n", file, line, ar_error_code(error),
            ar_error_message(error), code, text);
    exit(1);
  }
  ar_error_free(error);
}

/* `folder/name`, in memory that the next call overwrites. */
static inline const char *in_folder(const char *folder, const char *name) {
  static char path[4096];
  REQUIRE(snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path);
  return path;
}

#endif
