/*
 * arenite/plugins.h: describes plugins.
 *
 * Ownership  plugins and their texts belong to the registry or interpreter that returned them
 * Threads    plugins do not change and may be used on several threads at the same time
 * Errors     AR_ERROR_ARGUMENT if the index of an op is out of range
 */
#ifndef ARENITE_PLUGINS_H
#define ARENITE_PLUGINS_H

#include <arenite/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plugin that interpreters may use. */
typedef struct ArPlugin ArPlugin;

/* An op that a plugin implements. */
typedef struct ArOpInfo {
  const char *name;       /* "CONV_2D", or the custom op's name; belongs to the plugin */
  uint64_t element_types; /* bit AR_TYPE_* for each type that its tensors may have; 0: any */
  int32_t builtin_code;   /* the schema's builtin code; 32 (AR_BUILTIN_CUSTOM) for a custom op */
  int32_t min_version;    /* the versions that are supported */
  int32_t max_version;
  uint32_t flags;         /* AR_OP_* of arenite_plugin.h */
} ArOpInfo;

/* The plugin's id ("org.arenite.ops"), the version of its package, a one-line description, and its origin: a path,
 * or "linked in". */
ARENITE_API const char *ar_plugin_id(const ArPlugin *plugin);
ARENITE_API const char *ar_plugin_version(const ArPlugin *plugin);
ARENITE_API const char *ar_plugin_description(const ArPlugin *plugin);
ARENITE_API const char *ar_plugin_origin(const ArPlugin *plugin);

/* The number of op registrations, planners and delegates of the plugin. */
ARENITE_API size_t ar_plugin_op_count(const ArPlugin *plugin);
ARENITE_API size_t ar_plugin_planner_count(const ArPlugin *plugin);
ARENITE_API size_t ar_plugin_delegate_count(const ArPlugin *plugin);

/* Describes an op registration. Errors: AR_ERROR_ARGUMENT if the index is out of range. */
ARENITE_API ArError *ar_plugin_op(const ArPlugin *plugin, size_t index, ArOpInfo *op);

/* The name of a planner or delegate. Null if the index is out of range. */
ARENITE_API const char *ar_plugin_planner(const ArPlugin *plugin, size_t index);
ARENITE_API const char *ar_plugin_delegate(const ArPlugin *plugin, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_PLUGINS_H */
