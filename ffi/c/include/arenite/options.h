/*
 * arenite/options.h: the settings from which interpreters are created.
 *
 * Ownership  the caller owns options and frees them once, at any time: interpreters copy them, and they copy their
 *            arguments
 * Threads    one thread at a time may use options
 * Errors     AR_ERROR_ARGUMENT for an invalid value; errors that depend on plugins occur when an interpreter is created
 */
#ifndef ARENITE_OPTIONS_H
#define ARENITE_OPTIONS_H

#include <arenite/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The settings from which interpreters are created. One thread at a time may use them. */
typedef struct ArOptions ArOptions;

/* An option of a planner or a delegate, as text: {"threads", "2"}. */
typedef struct ArOption {
  const char *key;
  const char *value;
} ArOption;

/* Declared in arenite_plugin.h. */
typedef struct ArHostV1 ArHostV1;
typedef struct ArOpV1 ArOpV1;
typedef struct ArPlannerV1 ArPlannerV1;
typedef struct ArDelegateV1 ArDelegateV1;

/* Declared in registry.h. */
typedef struct ArRegistry ArRegistry;

/* What to do if no plugin has a delegate, or if its device does not exist. Any other reason for which it cannot
 * start, such as an unknown option, is an error of ar_interpreter_allocate. */
typedef uint32_t ArOnMissing;
#define AR_ON_MISSING_ERROR 0u /* creating the interpreter fails or, without the device, allocating it */
#define AR_ON_MISSING_SKIP 1u  /* continue without the delegate */

/* Creates options with default values: linked-in plugins and those in ARENITE_PLUGIN_PATH, planner "portfolio",
 * delegate "cpu", one thread per processor, no memory quota. Null only if the library panicked. */
ARENITE_API ArOptions *ar_options_new(void);

/* Reads all settings from a file (arenite.toml). Earlier settings are lost, so call it first; registered ops, planners
 * and delegates stay. Relative paths in the file start at its folder.
 * Errors: AR_ERROR_IO; AR_ERROR_CONFIG, with line, column and the most similar known key. After an error the options
 * are unchanged. */
ARENITE_API ArError *ar_options_set_config_file(ArOptions *options, const char *path);

/* Like ar_options_set_config_file, with the text of the file. Relative paths start at the working directory. */
ARENITE_API ArError *ar_options_set_config_text(ArOptions *options, const char *toml);

/* Sets the number of threads for ops and delegates, including the calling thread. 0 means one per processor.
 * Errors: AR_ERROR_ARGUMENT if the number exceeds the maximum. */
ARENITE_API ArError *ar_options_set_threads(ArOptions *options, uint32_t count);

/* Adds a folder whose plugins are loaded when an interpreter is created. Subfolders are not searched. Plugins are
 * trusted code. A plugin that cannot be loaded, or a folder that cannot be read, is logged as a warning, listed by
 * ar_interpreter_failure, and mentioned in errors that it causes. With `strict` it is an error of
 * ar_interpreter_new. */
ARENITE_API ArError *ar_options_add_plugin_dir(ArOptions *options, const char *path);

/* Adds one plugin file, which is handled like a plugin in a folder of ar_options_add_plugin_dir. */
ARENITE_API ArError *ar_options_add_plugin_file(ArOptions *options, const char *path);

/* Permits plugins whose id matches this pattern to be loaded; * matches any characters. Once a pattern was added,
 * only plugins that match one of the patterns are loaded. */
ARENITE_API ArError *ar_options_allow_plugins(ArOptions *options, const char *pattern);

/* Sets whether a plugin or folder that cannot be loaded is an error of ar_interpreter_new. Default: false. */
ARENITE_API ArError *ar_options_set_strict(ArOptions *options, bool strict);

/* Sets whether the plugins that are linked into the library are used. Default: true. */
ARENITE_API ArError *ar_options_set_builtin_plugins(ArOptions *options, bool builtin);

/* If several plugins implement an op, prefers the one with this id. Plugins that were preferred earlier come first. A
 * delegate does not claim the nodes of a builtin op that a preferred plugin serves.
 *   op         "CONV_2D", or the name of a custom op
 *   plugin_id  may contain *, which matches any characters */
ARENITE_API ArError *ar_options_prefer_plugin(ArOptions *options, const char *op, const char *plugin_id);

/* Makes interpreters use the plugins of a registry instead of finding plugins again. Settings of these options on
 * plugins and preferred plugins are then ignored: the registry has its own. The options keep the registry's contents
 * alive.
 * Errors: AR_ERROR_STATE if an op, planner or delegate was registered with these options. */
ARENITE_API ArError *ar_options_set_registry(ArOptions *options, const ArRegistry *registry);

/* Sets the planner by name. An unknown name is an error when the interpreter is created.
 *   planner_options  copied; may be null if option_count is 0 */
ARENITE_API ArError *ar_options_set_planner(ArOptions *options, const char *name, const ArOption *planner_options,
                                            size_t option_count);

/* Sets the maximum time for one plan, in milliseconds; 0: no limit. When it expires, planners that search return the
 * best plan so far. */
ARENITE_API ArError *ar_options_set_planning_time(ArOptions *options, uint64_t milliseconds);

/* Enables or disables a technique that lets tensors share memory: "views", "in_place", "split", "concat", "overlap",
 * "reorder", which are enabled by default, and "overwrite_inputs", which is not. No technique changes results. With
 * "overwrite_inputs", inputs must be filled before each invocation.
 * Errors: AR_ERROR_NOT_FOUND with the known names. */
ARENITE_API ArError *ar_options_set_technique(ArOptions *options, const char *name, bool on);

/* Sets whether all tensors keep their values, so that each can be read after an invocation. Needs memory for all
 * tensors together. Default: false. */
ARENITE_API ArError *ar_options_set_preserve_all(ArOptions *options, bool preserve);

/* Sets whether outputs have their own memory from the first node of an invocation, instead of from the node that
 * writes them. Default: false. */
ARENITE_API ArError *ar_options_set_outputs_from_start(ArOptions *options, bool from_start);

/* Adds a delegate. It claims nodes after the delegates that were added before. The delegate "cpu" is added at the
 * end by default. The name "none", without other delegates, disables all delegates.
 *   on_missing        AR_ON_MISSING_*
 *   delegate_options  copied; may be null if option_count is 0 */
ARENITE_API ArError *ar_options_add_delegate(ArOptions *options, const char *name, ArOnMissing on_missing,
                                             const ArOption *delegate_options, size_t option_count);

/* What happens to an invocation in which a delegate loses its device. */
typedef uint32_t ArOnFailure;
#define AR_ON_FAILURE_ERROR 0u    /* the invocation fails with AR_ERROR_UNAVAILABLE */
#define AR_ON_FAILURE_FALLBACK 1u /* the invocation is repeated without the delegate, which is not used again */

/* Settings of the delegate that was added last under this name: an op whose nodes it must not claim ("SOFTMAX", one
 * call per op); the smallest number of nodes in its partitions; the maximum number of partitions per subgraph, where
 * the largest are kept and 0 means no limit; AR_ON_FAILURE_*; the nodes that it must run.
 * ar_options_require_delegate makes it an error, with the reasons, if a node runs elsewhere: with null for `op` any
 * node, otherwise a node of this op (one call per op). Nodes whose results are known in advance are exempt. It
 * contradicts AR_ON_MISSING_SKIP and AR_ON_FAILURE_FALLBACK.
 * Errors: AR_ERROR_NOT_FOUND if no delegate with this name was added. */
ARENITE_API ArError *ar_options_exclude_op(ArOptions *options, const char *delegate, const char *op);
ARENITE_API ArError *ar_options_set_min_nodes(ArOptions *options, const char *delegate, size_t nodes);
ARENITE_API ArError *ar_options_set_max_partitions(ArOptions *options, const char *delegate, size_t partitions);
ARENITE_API ArError *ar_options_set_on_failure(ArOptions *options, const char *delegate, ArOnFailure on_failure);
ARENITE_API ArError *ar_options_require_delegate(ArOptions *options, const char *delegate, const char *op);

/* Sets whether the delegate "cpu" is added after the others. Default: true. */
ARENITE_API ArError *ar_options_set_default_delegate(ArOptions *options, bool added);

/* Registers an op, a planner or a delegate that the program implements, for interpreters that are created with these
 * options. The structs are declared in arenite_plugin.h. Registered ones take precedence over those of plugins, and
 * are listed under a plugin named "program".
 *   op, planner, delegate  copied, with its name; its functions are called like those of a plugin, on any thread
 *   user_data              may be null. An op with AR_OP_USER_DATA finds it in the first word of the zeroed state,
 *                          before `prepare`. A planner with AR_INTERFACE_PLAN and a delegate with AR_INTERFACE_CREATE
 *                          get it as an argument of these functions. Must be null in all other cases
 *   drop                   may be null. Called once with user_data, on any thread: when the options, and all registries
 *                          and interpreters that were created with them, are freed or, if this function fails, before
 *                          it returns
 * Errors: AR_ERROR_ARGUMENT for an invalid name, number, version or size, or if the program has already registered a
 * planner or delegate of this name, or an op for some of the same nodes; AR_ERROR_STATE for options that have a
 * registry. After an error nothing is registered. */
ARENITE_API ArError *ar_options_register_op(ArOptions *options, const ArOpV1 *op, void *user_data, ArReleaseCallback drop);
ARENITE_API ArError *ar_options_register_planner(ArOptions *options, const ArPlannerV1 *planner, void *user_data,
                                                 ArReleaseCallback drop);
ARENITE_API ArError *ar_options_register_delegate(ArOptions *options, const ArDelegateV1 *delegate, void *user_data,
                                                  ArReleaseCallback drop);

/* The table of functions with which registered functions report errors and run loops in parallel. Never null; valid
 * as long as the program runs. */
ARENITE_API const ArHostV1 *ar_host(void);

/* Limits the memory of an interpreter, in bytes. */
ARENITE_API ArError *ar_options_set_quota_bytes(ArOptions *options, uint64_t bytes);

/* Limits the device memory of an interpreter, in bytes, for all delegates together. */
ARENITE_API ArError *ar_options_set_quota_device_bytes(ArOptions *options, uint64_t bytes);

/* Limits the number of nodes of a model, in all subgraphs together, after composites are expanded. */
ARENITE_API ArError *ar_options_set_quota_nodes(ArOptions *options, uint64_t nodes);

/* Limits how deeply subgraphs may call each other. Values above 256 count as 256. */
ARENITE_API ArError *ar_options_set_quota_depth(ArOptions *options, uint32_t depth);

/* Limits the number of calls of subgraphs by nodes in one invocation: a bound for loops. */
ARENITE_API ArError *ar_options_set_quota_calls(ArOptions *options, uint64_t calls);

/* Limits the time of one build, allocation or invocation, in milliseconds; 0: no limit. */
ARENITE_API ArError *ar_options_set_time_limit(ArOptions *options, uint64_t milliseconds);

/* Frees options. Does nothing for null. */
ARENITE_API void ar_options_free(ArOptions *options);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_OPTIONS_H */
