/*
 * arenite/plugins.h: what an interpreter found: plugins, those that were not loaded, delegates that were left out.
 *
 * Ownership  plugins and texts belong to the interpreter and live as long, unless a function says less
 * Threads    those of the interpreter: one at a time
 * Errors     none of these functions fails
 */
#ifndef ARENITE_PLUGINS_H
#define ARENITE_PLUGINS_H

#include <arenite/interpreter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plugin that an interpreter may use. */
typedef struct ArPlugin ArPlugin;

/* Number of plugins that the interpreter found. */
ARENITE_API size_t ar_interpreter_plugin_count(const ArInterpreter *interpreter);

/* A plugin, in the order in which they were found. Null if there are fewer. */
ARENITE_API const ArPlugin *ar_interpreter_plugin(const ArInterpreter *interpreter, size_t index);

/* The plugin's id ("org.arenite.ops"), the version of its package, and where it came from: a path, or "linked in". */
ARENITE_API const char *ar_plugin_id(const ArPlugin *plugin);
ARENITE_API const char *ar_plugin_version(const ArPlugin *plugin);
ARENITE_API const char *ar_plugin_origin(const ArPlugin *plugin);

/* How many plugins and plugin folders could not be loaded. */
ARENITE_API size_t ar_interpreter_failure_count(const ArInterpreter *interpreter);

/* One of them: its path and the reason, as a text that belongs to the interpreter. Null if there are fewer. */
ARENITE_API const char *ar_interpreter_failure(const ArInterpreter *interpreter, size_t index);

/* How many delegates were left out of the main subgraph when it was allocated last, absent ones included. */
ARENITE_API size_t ar_interpreter_left_out_count(const ArInterpreter *interpreter);

/* One of them: the reason, with its name, as a text that stays until the interpreter is allocated again. Null if there are
 * fewer. */
ARENITE_API const char *ar_interpreter_left_out(const ArInterpreter *interpreter, size_t index);

/* How many op registrations, planners and delegates the plugin has. */
ARENITE_API size_t ar_plugin_op_count(const ArPlugin *plugin);
ARENITE_API size_t ar_plugin_planner_count(const ArPlugin *plugin);
ARENITE_API size_t ar_plugin_delegate_count(const ArPlugin *plugin);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_PLUGINS_H */
