/*
 * arenite/plugins.h: plugins, for listings.
 *
 * Ownership  plugins and their texts belong to the registry or the interpreter that they were asked from, and live as long
 * Threads    plugins do not change: those of a registry may be used from several threads at once, like those of an interpreter
 * Errors     AR_ERROR_ARGUMENT for an op that is not there
 */
#ifndef ARENITE_PLUGINS_H
#define ARENITE_PLUGINS_H

#include <arenite/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plugin that interpreters may use. */
typedef struct ArPlugin ArPlugin;

/* An op that a plugin serves. */
typedef struct ArOpInfo {
  const char *name;       /* "CONV_2D", or the custom op's name; belongs to the plugin */
  uint64_t element_types; /* bit AR_TYPE_* for each type that its tensors may have; 0: any */
  int32_t builtin_code;   /* the schema's number; 32 (AR_BUILTIN_CUSTOM) for a custom op */
  int32_t min_version;    /* the versions that it serves */
  int32_t max_version;
  uint32_t flags;         /* AR_OP_* of arenite_plugin.h */
} ArOpInfo;

/* The plugin's id ("org.arenite.ops"), the version of its package, one line about it, and where it came from: a path, or
 * "linked in". */
ARENITE_API const char *ar_plugin_id(const ArPlugin *plugin);
ARENITE_API const char *ar_plugin_version(const ArPlugin *plugin);
ARENITE_API const char *ar_plugin_description(const ArPlugin *plugin);
ARENITE_API const char *ar_plugin_origin(const ArPlugin *plugin);

/* How many op registrations, planners and delegates the plugin has. */
ARENITE_API size_t ar_plugin_op_count(const ArPlugin *plugin);
ARENITE_API size_t ar_plugin_planner_count(const ArPlugin *plugin);
ARENITE_API size_t ar_plugin_delegate_count(const ArPlugin *plugin);

/* One of its op registrations. Errors: AR_ERROR_ARGUMENT if there are fewer. */
ARENITE_API ArError *ar_plugin_op(const ArPlugin *plugin, size_t index, ArOpInfo *op);

/* The name of one of its planners, of one of its delegates. Null if there are fewer. */
ARENITE_API const char *ar_plugin_planner(const ArPlugin *plugin, size_t index);
ARENITE_API const char *ar_plugin_delegate(const ArPlugin *plugin, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_PLUGINS_H */
