/*
 * arenite/registry.h: registries, which find and load plugins once for any number of interpreters.
 *
 * Ownership  the caller owns a registry and frees it once, at any time: options and interpreters keep its contents
 *            alive. Plugins and texts are valid as long as the registry or an interpreter that uses it exists
 * Threads    a registry does not change and may be used on several threads at the same time
 * Errors     AR_ERROR_PLUGIN and AR_ERROR_ARGUMENT when it is created
 */
#ifndef ARENITE_REGISTRY_H
#define ARENITE_REGISTRY_H

#include <arenite/options.h>
#include <arenite/plugins.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds and loads the plugins that the options name. The registry also has the linked-in plugins and everything that
 * was registered with the options. Pass it to other options with ar_options_set_registry:
 *
 *   ar_registry_new(with_plugins, &registry);
 *   ar_options_set_registry(options, registry);
 *   for (i = 0; i < 8; i++) ar_interpreter_new(model, options, &interpreters[i]);
 *
 *   options  copied; null means the defaults of ar_options_new
 * Errors: AR_ERROR_PLUGIN if `strict` is set. */
ARENITE_API ArError *ar_registry_new(const ArOptions *options, ArRegistry **registry);

/* Frees a registry. Does nothing for null. */
ARENITE_API void ar_registry_free(ArRegistry *registry);

/* The number of plugins. */
ARENITE_API size_t ar_registry_plugin_count(const ArRegistry *registry);

/* A plugin, in the order in which they were found. Null if the index is out of range. */
ARENITE_API const ArPlugin *ar_registry_plugin(const ArRegistry *registry, size_t index);

/* The number of plugins and plugin folders that could not be loaded. */
ARENITE_API size_t ar_registry_failure_count(const ArRegistry *registry);

/* The path of one of them and the reason. Null if the index is out of range. */
ARENITE_API const char *ar_registry_failure(const ArRegistry *registry, size_t index);

/* Describes the plugins, and the ops that several plugins implement: the JSON that `arenite plugins --json` prints.
 * Errors: AR_ERROR_FAILED if a path is not UTF-8; AR_ERROR_UNSUPPORTED in a library without the feature `report`. */
ARENITE_API ArError *ar_registry_inspect(const ArRegistry *registry, const char **json);

/* Describes the devices on which delegates can run: the JSON that `arenite devices --json` prints. Drivers are
 * queried once per registry, which may take a while. A missing requirement of a delegate, such as a driver, is
 * listed with the delegate.
 * Errors: AR_ERROR_UNSUPPORTED in a library without the feature `report`. */
ARENITE_API ArError *ar_registry_devices(const ArRegistry *registry, const char **json);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_REGISTRY_H */
