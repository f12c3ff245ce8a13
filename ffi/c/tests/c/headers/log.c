/* Includes log.h alone, then tests the log of the process. Compiled as C and as C++. */
#include <arenite/log.h>

#include "../check.h"

static void count_warning(ArLogLevel level, const char *target, const char *message, void *lines) {
  REQUIRE(level == AR_LOG_WARN && strncmp(target, "arenite", 7) == 0);
  if (strstr(message, "libbroken.so")) ++*(int *)lines;
}

void test_log(const char *folder) {
  int lines = 0;
  ArRegistry *registry;
  ArOptions *options = ar_options_new();
  OK(ar_options_add_plugin_dir(options, in_folder(folder, "plugins")));
  FAILS(AR_ERROR_ARGUMENT, "'max_level' is 9", ar_set_log_callback(count_warning, NULL, 9));
  OK(ar_set_log_callback(count_warning, &lines, AR_LOG_WARN));
  OK(ar_registry_new(options, &registry));
  ar_registry_free(registry);
  OK(ar_set_log_callback(NULL, NULL, AR_LOG_OFF));
  OK(ar_registry_new(options, &registry));
  ar_registry_free(registry);
  REQUIRE(lines == 1);
  ar_options_free(options);
}
