/*
 * arenite/options.h: what an interpreter is to be made with.
 *
 * Ownership  the caller owns options and frees them once, at any time: interpreters keep none; what is passed in is copied
 * Threads    options are used by one thread at a time
 * Errors     AR_ERROR_ARGUMENT for what cannot be; what depends on plugins shows when an interpreter is made
 */
#ifndef ARENITE_OPTIONS_H
#define ARENITE_OPTIONS_H

#include <arenite/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an interpreter is to be made with. Used by one thread at a time. */
typedef struct ArOptions ArOptions;

/* An option of a planner or a delegate, as text: {"threads", "2"}. */
typedef struct ArOption {
  const char *key;
  const char *value;
} ArOption;

/* Of arenite_plugin.h. */
typedef struct ArHostV1 ArHostV1;
typedef struct ArOpV1 ArOpV1;
typedef struct ArPlannerV1 ArPlannerV1;
typedef struct ArDelegateV1 ArDelegateV1;

/* Of registry.h. */
typedef struct ArRegistry ArRegistry;

/* What to do about a delegate that no plugin has, or whose device is not there. Whatever else keeps it from starting, such as an
 * unknown option, is an error of ar_interpreter_allocate. */
typedef uint32_t ArOnMissing;
#define AR_ON_MISSING_ERROR 0u /* making the interpreter fails; without the device, allocating it */
#define AR_ON_MISSING_SKIP 1u  /* go on without it */

/* New options: linked-in plugins and those of ARENITE_PLUGIN_PATH, planner "portfolio", delegate "cpu", one thread per
 * processor, as much memory as the machine has. Owned by the caller. Null only if the library broke down. */
ARENITE_API ArOptions *ar_options_new(void);

/* Replaces everything that was set before, but for what was registered, by what a file says (arenite.toml); call it first.
 * Relative paths in it start at the file's folder.
 * Errors: AR_ERROR_IO; AR_ERROR_CONFIG, with line, column and the nearest known key. Nothing is changed then. */
ARENITE_API ArError *ar_options_set_config_file(ArOptions *options, const char *path);

/* As ar_options_set_config_file, with the text of the file. Relative paths start at the working directory. */
ARENITE_API ArError *ar_options_set_config_text(ArOptions *options, const char *toml);

/* Threads that ops and delegates may use, the calling one included; 0: one per processor.
 * Errors: AR_ERROR_ARGUMENT for more than the library can have. */
ARENITE_API ArError *ar_options_set_threads(ArOptions *options, uint32_t count);

/* Adds a folder whose plugins are loaded when an interpreter is made, not recursively. Plugins are trusted code. One
 * that cannot be loaded, or a folder that cannot be read, is a warning in the log, stands in errors that may follow from it and in
 * ar_interpreter_failure, and is an error of ar_interpreter_new if the configuration says `strict`. */
ARENITE_API ArError *ar_options_add_plugin_dir(ArOptions *options, const char *path);

/* Adds one plugin. As ar_options_add_plugin_dir. */
ARENITE_API ArError *ar_options_add_plugin_file(ArOptions *options, const char *path);

/* Lets only plugins load whose id matches this pattern, in which * stands for any characters, or one that was given before.
 * Without patterns every plugin may load. */
ARENITE_API ArError *ar_options_allow_plugins(ArOptions *options, const char *pattern);

/* Whether a plugin or a folder that cannot be loaded is an error of ar_interpreter_new; at first it is not. */
ARENITE_API ArError *ar_options_set_strict(ArOptions *options, bool strict);

/* Whether the plugins are used that are linked into the library; at first they are. */
ARENITE_API ArError *ar_options_set_builtin_plugins(ArOptions *options, bool builtin);

/* Of several plugins that offer an op, the one with this id serves it where it can; behind those that were preferred before.
 *   op         "CONV_2D", or the name of a custom op
 *   plugin_id  may have * in it, for any characters */
ARENITE_API ArError *ar_options_prefer_plugin(ArOptions *options, const char *op, const char *plugin_id);

/* Has interpreters use the plugins of a registry, found once, in place of finding them anew. What the options say of plugins and of
 * preferred ones is not asked then: the registry was made with it. The options keep what they need of it.
 * Errors: AR_ERROR_STATE if something was registered with these options. */
ARENITE_API ArError *ar_options_set_registry(ArOptions *options, const ArRegistry *registry);

/* Plans memory with the planner of this name. Whether there is one shows when the interpreter is made.
 *   planner_options  copied; may be null if option_count is 0 */
ARENITE_API ArError *ar_options_set_planner(ArOptions *options, const char *name, const ArOption *planner_options,
                                            size_t option_count);

/* Longest time that the planner may take for one plan, in milliseconds; 0: no limit. Planners that search end with what they have. */
ARENITE_API ArError *ar_options_set_planning_time(ArOptions *options, uint64_t milliseconds);

/* Switches a way to lay tensors over one another: "views", "in_place", "split", "concat", "overlap", "reorder", which are on at first,
 * and "overwrite_inputs", which is off. None changes a result; with the last one inputs must be filled before each run.
 * Errors: AR_ERROR_NOT_FOUND with the known names. */
ARENITE_API ArError *ar_options_set_technique(ArOptions *options, const char *name, bool on);

/* Whether no tensor is overwritten, so that each can be read after an invocation. Takes as much memory as all together. */
ARENITE_API ArError *ar_options_set_preserve_all(ArOptions *options, bool preserve);

/* Whether outputs have their memory from the first node on, not only from the one that writes them. */
ARENITE_API ArError *ar_options_set_outputs_from_start(ArOptions *options, bool from_start);

/* Adds a delegate. It claims nodes after those that were added before; "cpu" comes last by itself. "none",
 * which stands alone, keeps it away.
 *   on_missing        AR_ON_MISSING_*
 *   delegate_options  copied; may be null if option_count is 0 */
ARENITE_API ArError *ar_options_add_delegate(ArOptions *options, const char *name, ArOnMissing on_missing,
                                             const ArOption *delegate_options, size_t option_count);

/* What becomes of an invocation in which a delegate loses its device. */
typedef uint32_t ArOnFailure;
#define AR_ON_FAILURE_ERROR 0u    /* it fails with AR_ERROR_UNAVAILABLE */
#define AR_ON_FAILURE_FALLBACK 1u /* it runs again without the delegate, which is left out from then on */

/* Of the delegate of this name that was added last: an op that stays off it ("SOFTMAX", once per op); the least nodes of its
 * partitions; the most partitions of a subgraph, those with the most nodes, 0 being no limit; AR_ON_FAILURE_*.
 * Errors: AR_ERROR_NOT_FOUND if it was not added. */
ARENITE_API ArError *ar_options_exclude_op(ArOptions *options, const char *delegate, const char *op);
ARENITE_API ArError *ar_options_set_min_nodes(ArOptions *options, const char *delegate, size_t nodes);
ARENITE_API ArError *ar_options_set_max_partitions(ArOptions *options, const char *delegate, size_t partitions);
ARENITE_API ArError *ar_options_set_on_failure(ArOptions *options, const char *delegate, ArOnFailure on_failure);

/* Whether the delegate "cpu" comes behind those that were added; at first it does. */
ARENITE_API ArError *ar_options_set_default_delegate(ArOptions *options, bool added);

/* Registers an op, a planner or a delegate of the program's own, for interpreters that are made with these options. The structures
 * are those of arenite_plugin.h. What is registered comes before what plugins have, and is listed as a plugin "program".
 *   op, planner, delegate  copied, with its name; its functions are called as those of a plugin, on any thread
 *   user_data              may be null. Of an op with AR_OP_USER_DATA: in the first word of the zeroed state, before `prepare`. Of a
 *                          planner with AR_INTERFACE_PLAN, a delegate with AR_INTERFACE_CREATE: what these functions are given.
 *                          Without these it must be null.
 *   drop                   may be null. Called once with user_data, on any thread: when the options, and all registries and interpreters
 *                          that were made with them, are freed. If the call fails, before it returns.
 * Errors: AR_ERROR_ARGUMENT for a name, a number, versions or sizes that cannot be, or if the program registered a planner or
 * a delegate of this name, or an op that serves some of the same nodes, before; AR_ERROR_STATE for options that have a registry.
 * Nothing is registered then. */
ARENITE_API ArError *ar_options_register_op(ArOptions *options, const ArOpV1 *op, void *user_data, ArReleaseCallback drop);
ARENITE_API ArError *ar_options_register_planner(ArOptions *options, const ArPlannerV1 *planner, void *user_data,
                                                 ArReleaseCallback drop);
ARENITE_API ArError *ar_options_register_delegate(ArOptions *options, const ArDelegateV1 *delegate, void *user_data,
                                                  ArReleaseCallback drop);

/* What the functions of these tell errors with, and have loops run by. Never null; lives as long as the program. */
ARENITE_API const ArHostV1 *ar_host(void);

/* Most bytes that an interpreter may hold. */
ARENITE_API ArError *ar_options_set_quota_bytes(ArOptions *options, uint64_t bytes);

/* Most bytes of devices' memory that an interpreter may hold, of all delegates together. */
ARENITE_API ArError *ar_options_set_quota_device_bytes(ArOptions *options, uint64_t bytes);

/* Most nodes of a model, all subgraphs together, composites expanded. */
ARENITE_API ArError *ar_options_set_quota_nodes(ArOptions *options, uint64_t nodes);

/* Deepest nesting of subgraphs that call one another; more than 256 counts as 256. */
ARENITE_API ArError *ar_options_set_quota_depth(ArOptions *options, uint32_t depth);

/* Most calls of subgraphs by nodes of others in one invoke: a bound for loops. */
ARENITE_API ArError *ar_options_set_quota_calls(ArOptions *options, uint64_t calls);

/* Longest time of one build, allocate or invoke, in milliseconds; 0: no limit. */
ARENITE_API ArError *ar_options_set_time_limit(ArOptions *options, uint64_t milliseconds);

/* Frees options. */
ARENITE_API void ar_options_free(ArOptions *options);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_OPTIONS_H */
