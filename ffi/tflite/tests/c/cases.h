/* Runs a table of cases, for the test programs. Each case runs in its own process, so that a crash is a result. The
 * program prints one line per case: `name: result`. The .txt file with the program's name has the expected results. */
#ifndef ARENITE_TESTS_CASES_H
#define ARENITE_TESTS_CASES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Case {
  const char *name;
  void (*run)(void);
} Case;

/* The folder of the models. */
static const char *folder;

static inline const char *in_folder(const char *name) {
  static char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
    abort();
  }
  return path;
}

/* Prints a part of the result. */
#define SAY(...) (printf(__VA_ARGS__), printf(" "), (void)fflush(stdout))

static inline void run_case(const Case *one) {
  int status = 0;
  pid_t child;
  printf("%s: ", one->name);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    if (freopen("/dev/null", "w", stderr) == NULL) {
      _exit(3);
    }
    one->run();
    fflush(stdout);
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) < 0) {
    abort();
  }
  printf(WIFSIGNALED(status) ? "CRASH\n" : "\n");
}

/* Runs all cases, or those whose names follow the folder. With `one NAME`, runs one case in this process, for a
 * debugger. */
static inline int run_cases(const Case *cases, size_t count, int argc, char **argv) {
  size_t i;
  if (argc < 2) {
    return 2;
  }
  folder = argv[1];
  for (i = 0; i < count; i++) {
    if (argc == 4 && strcmp(argv[2], "one") == 0) {
      if (strcmp(argv[3], cases[i].name) == 0) {
        cases[i].run();
        printf("\n");
      }
    } else {
      run_case(&cases[i]);
    }
  }
  return 0;
}

#endif
