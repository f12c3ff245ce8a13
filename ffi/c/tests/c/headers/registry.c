/* Includes registry.h alone, then tests a registry that two interpreters share. Compiled as C and as C++. */
#include <arenite/registry.h>

#include "../check.h"

void test_registry(const char *folder) {
  ArModel *model;
  ArRegistry *registry;
  ArInterpreter *interpreters[2];
  const char *json, *again;
  ArOptions *with_plugins = ar_options_new(), *options = ar_options_new();
  OK(ar_options_add_plugin_dir(with_plugins, in_folder(folder, "plugins")));
  OK(ar_registry_new(with_plugins, &registry));
  ar_options_free(with_plugins);
  REQUIRE(ar_registry_plugin_count(registry) >= 3 && !ar_registry_plugin(registry, 99));
  REQUIRE(ar_registry_failure_count(registry) == 1 && !ar_registry_failure(registry, 1));
  REQUIRE(strstr(ar_registry_failure(registry, 0), "plugins/libbroken.so: "));
  OK(ar_registry_inspect(registry, &json));
  OK(ar_registry_inspect(registry, &again));
  REQUIRE(json == again && strncmp(json, "{\"plugins\":[{\"id\":\"org.arenite.", 30) == 0 && strstr(json, "libbroken.so"));

  OK(ar_registry_devices(registry, &json));
  REQUIRE(strcmp(json, "{\"delegates\":[]}") == 0);

  OK(ar_options_set_registry(options, registry));
  OK(ar_model_from_file(in_folder(folder, "root.tflite"), &model));
  for (int i = 0; i < 2; i++) OK(ar_interpreter_new(model, options, &interpreters[i]));
  REQUIRE(ar_interpreter_plugin(interpreters[0], 0) == ar_registry_plugin(registry, 0));
  REQUIRE(ar_interpreter_plugin(interpreters[1], 0) == ar_registry_plugin(registry, 0));
  ar_options_free(options);
  ar_registry_free(registry);
  for (int i = 0; i < 2; i++) {
    OK(ar_interpreter_allocate(interpreters[i]));
    REQUIRE(ar_plugin_id(ar_interpreter_plugin(interpreters[i], 0)) && ar_interpreter_failure_count(interpreters[i]) == 1);
    ar_interpreter_free(interpreters[i]);
  }
  ar_model_free(model);
  FAILS(AR_ERROR_ARGUMENT, "'registry' is null", ar_registry_new(NULL, NULL));
  REQUIRE(ar_registry_plugin_count(NULL) == 0 && !ar_registry_failure(NULL, 0));
  ar_registry_free(NULL);
}
