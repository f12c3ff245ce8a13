/*
 * arenite/registry.h: plugins that are found once and serve any number of interpreters.
 *
 * Ownership  the caller owns a registry and frees it once, at any time: options and interpreters keep what they need of it. Plugins
 *            and texts belong to it, and live as long as it or an interpreter that uses it
 * Threads    a registry does not change and may be used from several threads at once
 * Errors     AR_ERROR_PLUGIN and AR_ERROR_ARGUMENT when it is made
 */
#ifndef ARENITE_REGISTRY_H
#define ARENITE_REGISTRY_H

#include <arenite/options.h>
#include <arenite/plugins.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the plugins that options name, beside those that are linked in, and has what was registered with the options. Then
 * ar_options_set_registry gives it to other options:
 *
 *   ar_registry_new(with_plugins, &registry);
 *   ar_options_set_registry(options, registry);
 *   for (i = 0; i < 8; i++) ar_interpreter_new(model, options, &interpreters[i]);
 *
 *   options  read now, not kept; null: as ar_options_new gives them
 * Errors: AR_ERROR_PLUGIN under `strict`. */
ARENITE_API ArError *ar_registry_new(const ArOptions *options, ArRegistry **registry);

/* Frees a registry. */
ARENITE_API void ar_registry_free(ArRegistry *registry);

/* Number of plugins. */
ARENITE_API size_t ar_registry_plugin_count(const ArRegistry *registry);

/* A plugin, in the order in which they were found. Null if there are fewer. */
ARENITE_API const ArPlugin *ar_registry_plugin(const ArRegistry *registry, size_t index);

/* How many plugins and plugin folders could not be loaded. */
ARENITE_API size_t ar_registry_failure_count(const ArRegistry *registry);

/* One of them: its path and the reason. Null if there are fewer. */
ARENITE_API const char *ar_registry_failure(const ArRegistry *registry, size_t index);

/* All of it as the JSON that `arenite plugins --json` prints, with the ops that several plugins offer.
 * Errors: AR_ERROR_FAILED if a path is not UTF-8; AR_ERROR_UNSUPPORTED in a library without the feature `report`. */
ARENITE_API ArError *ar_registry_inspect(const ArRegistry *registry, const char **json);

/* The devices that delegates run on, as the JSON that `arenite devices --json` prints. Drivers are asked once per registry, which may take
 * its time; what a delegate lacks, such as a driver, stands beside it.
 * Errors: AR_ERROR_UNSUPPORTED in a library without the feature `report`. */
ARENITE_API ArError *ar_registry_devices(const ArRegistry *registry, const char **json);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_REGISTRY_H */
