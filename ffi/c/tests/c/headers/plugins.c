/* Includes plugins.h alone, then tests the description of plugins. Compiled as C and as C++. */
#include <arenite/plugins.h>

#include "../check.h"

void test_plugins(const char *folder) {
  ArRegistry *registry;
  const ArPlugin *plugin = NULL;
  ArOpInfo op;
  int found = 0;
  (void)folder;
  OK(ar_registry_new(NULL, &registry));
  for (size_t i = 0; i < ar_registry_plugin_count(registry); i++) {
    const ArPlugin *candidate = ar_registry_plugin(registry, i);
    if (strcmp(ar_plugin_id(candidate), "org.arenite.ops") == 0) plugin = candidate;
    if (ar_plugin_planner_count(candidate) > 0) REQUIRE(ar_plugin_planner(candidate, 0));
    if (ar_plugin_delegate_count(candidate) > 0) REQUIRE(strcmp(ar_plugin_delegate(candidate, 0), "cpu") == 0);
    REQUIRE(!ar_plugin_planner(candidate, 99) && !ar_plugin_delegate(candidate, 99));
  }
  REQUIRE(plugin && strcmp(ar_plugin_origin(plugin), "linked in") == 0);
  REQUIRE(strlen(ar_plugin_version(plugin)) >= 5 && strlen(ar_plugin_description(plugin)) > 0);
  for (size_t i = 0; i < ar_plugin_op_count(plugin); i++) {
    OK(ar_plugin_op(plugin, i, &op));
    REQUIRE(op.min_version <= op.max_version);
    if (strcmp(op.name, "SQRT") == 0) {
      REQUIRE(op.builtin_code == 75 && op.element_types & 1u << AR_TYPE_FLOAT32);
      found++;
    }
    found += strcmp(op.name, "TFLite_Detection_PostProcess") == 0 && op.builtin_code == 32;
  }
  REQUIRE(found == 2);
  FAILS(AR_ERROR_ARGUMENT, "op 9999 does not exist", ar_plugin_op(plugin, 9999, &op));
  FAILS(AR_ERROR_ARGUMENT, "'plugin' is null", ar_plugin_op(NULL, 0, &op));
  REQUIRE(!ar_plugin_id(NULL) && ar_plugin_op_count(NULL) == 0);
  ar_registry_free(registry);
}
