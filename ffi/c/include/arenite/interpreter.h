/*
 * arenite/interpreter.h: a model, ready to be run.
 *
 * Ownership  the caller owns an interpreter and frees it once; its handles (tensors, signatures, plugins) go with it
 * Threads    an interpreter and its handles are for one thread at a time, which need not be the one that made it;
 *            ar_interpreter_cancel alone is for any thread. A call that comes while another one runs is AR_ERROR_STATE
 * Errors     an interpreter stays usable after an error, unless it is AR_ERROR_PANICKED
 */
#ifndef ARENITE_INTERPRETER_H
#define ARENITE_INTERPRETER_H

#include <arenite/model.h>
#include <arenite/options.h>
#include <arenite/plugins.h>
#include <arenite/signature.h>
#include <arenite/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model, ready to be run: new, allocate, fill inputs, invoke, read outputs. */
typedef struct ArInterpreter ArInterpreter;

/* Makes an interpreter of the main subgraph; finds plugins, unless the options have a registry.
 *   options  read now, not kept; null: as ar_options_new gives them
 * Errors: AR_ERROR_NOT_FOUND for an unknown planner or delegate, with the known ones; AR_ERROR_PLUGIN under `strict`;
 * AR_ERROR_QUOTA for a model with more nodes or deeper nesting than the limits, and when the time limit expires; AR_ERROR_MODEL. */
ARENITE_API ArError *ar_interpreter_new(const ArModel *model, const ArOptions *options, ArInterpreter **interpreter);

/* Frees an interpreter with all its handles. No call may be using it. */
ARENITE_API void ar_interpreter_free(ArInterpreter *interpreter);

/* Applies delegates, prepares every node, plans memory, zeroes variables. After ar_interpreter_new, and after each
 * resize to another shape; else it does nothing. What delegates compiled is kept where they run the same nodes. After a loan
 * (ar_tensor_lend) or ar_interpreter_release_memory it places tensors, and no more.
 * Errors: AR_ERROR_UNSUPPORTED with all ops that no plugin serves; AR_ERROR_FAILED with the first node that is refused;
 * AR_ERROR_NOT_FOUND for an unknown delegate; AR_ERROR_MEMORY; AR_ERROR_QUOTA when the time
 * limit expires. */
ARENITE_API ArError *ar_interpreter_allocate(ArInterpreter *interpreter);

/* Runs the main subgraph once. The interpreter stays usable after an error.
 * Errors: AR_ERROR_STATE before ar_interpreter_allocate; AR_ERROR_FAILED with the first node that fails;
 * AR_ERROR_CANCELLED; AR_ERROR_QUOTA when the time limit expires. */
ARENITE_API ArError *ar_interpreter_invoke(ArInterpreter *interpreter);

/* Makes the invocation in progress end with AR_ERROR_CANCELLED, soon. For any thread, at any time until the interpreter
 * is freed; without an invocation in progress it does nothing. */
ARENITE_API void ar_interpreter_cancel(const ArInterpreter *interpreter);

/* Zeroes the variables of all subgraphs, and lets the states that ops keep between calls begin anew. */
ARENITE_API ArError *ar_interpreter_reset_variables(ArInterpreter *interpreter);

/* Gives an input another shape. ar_interpreter_allocate must follow.
 *   dims  outermost first, each at least 0; may be null if rank is 0
 * Errors: AR_ERROR_STATE for an input that is not there; AR_ERROR_ARGUMENT for a shape that no tensor may have, that
 * needs more than the quota, or for a constant. */
ARENITE_API ArError *ar_interpreter_resize_input(ArInterpreter *interpreter, size_t index, const int32_t *dims,
                                                 size_t rank);

/* Number of inputs, of outputs, and of all tensors of the main subgraph. */
ARENITE_API size_t ar_interpreter_input_count(const ArInterpreter *interpreter);
ARENITE_API size_t ar_interpreter_output_count(const ArInterpreter *interpreter);
ARENITE_API size_t ar_interpreter_tensor_count(const ArInterpreter *interpreter);

/* An input, by position or by its name in the model.
 * Errors: AR_ERROR_STATE for a position that is not there; AR_ERROR_NOT_FOUND with the known names. */
ARENITE_API ArError *ar_interpreter_input(ArInterpreter *interpreter, size_t index, ArTensor **tensor);
ARENITE_API ArError *ar_interpreter_input_by_name(ArInterpreter *interpreter, const char *name, ArTensor **tensor);

/* An output, by position or by its name in the model. Errors: as for inputs. */
ARENITE_API ArError *ar_interpreter_output(const ArInterpreter *interpreter, size_t index, const ArTensor **tensor);
ARENITE_API ArError *ar_interpreter_output_by_name(const ArInterpreter *interpreter, const char *name,
                                                   const ArTensor **tensor);

/* Any tensor of the main subgraph, by its index in the model. Memory is shared among tensors: one that is neither input
 * nor output may have the data of another after an invocation. */
ARENITE_API ArError *ar_interpreter_tensor(const ArInterpreter *interpreter, size_t index, const ArTensor **tensor);

/* The signature with this key. Errors: AR_ERROR_NOT_FOUND with the known keys. */
ARENITE_API ArError *ar_interpreter_signature(ArInterpreter *interpreter, const char *key, ArSignature **signature);

/* Bytes of the arena for activations and scratch buffers; of states, tables, folded constants and variables; what delegates say that
 * they hold, as packed weights; of tensors whose shape only the run tells. 0 before ar_interpreter_allocate. */
ARENITE_API uint64_t ar_interpreter_arena_bytes(const ArInterpreter *interpreter);
ARENITE_API uint64_t ar_interpreter_persistent_bytes(const ArInterpreter *interpreter);
ARENITE_API uint64_t ar_interpreter_delegate_bytes(const ArInterpreter *interpreter);
ARENITE_API uint64_t ar_interpreter_dynamic_bytes(const ArInterpreter *interpreter);

/* Bytes that the arena has in every plan: no planner could do with less. */
ARENITE_API uint64_t ar_interpreter_arena_lower_bound(const ArInterpreter *interpreter);

/* Gives back the memory of activations, of all subgraphs. States, variables, constants and what delegates hold stay.
 * ar_interpreter_allocate takes it again, at the cost of that alone; inputs must be filled then. */
ARENITE_API ArError *ar_interpreter_release_memory(ArInterpreter *interpreter);

/* Number of plugins that the interpreter may use. */
ARENITE_API size_t ar_interpreter_plugin_count(const ArInterpreter *interpreter);

/* A plugin, in the order in which they were found. Null if there are fewer. */
ARENITE_API const ArPlugin *ar_interpreter_plugin(const ArInterpreter *interpreter, size_t index);

/* How many plugins and plugin folders could not be loaded. */
ARENITE_API size_t ar_interpreter_failure_count(const ArInterpreter *interpreter);

/* One of them: its path and the reason, as a text that belongs to the interpreter. Null if there are fewer. */
ARENITE_API const char *ar_interpreter_failure(const ArInterpreter *interpreter, size_t index);

/* How many delegates are left out of the main subgraph: absent ones, those that failed when it was allocated, and those that an
 * invocation fell back from. */
ARENITE_API size_t ar_interpreter_left_out_count(const ArInterpreter *interpreter);

/* One of them: the reason, with its name, as a text that stays until another is left out. Null if there are fewer. */
ARENITE_API const char *ar_interpreter_left_out(const ArInterpreter *interpreter, size_t index);

/* What is in the model, who runs which node and who refused it, and where tensors lie, if that is planned: the JSON that
 * `arenite inspect --json` prints. Belongs to the interpreter, and stays until another report is asked for.
 * Errors: AR_ERROR_FAILED if a path is not UTF-8; AR_ERROR_UNSUPPORTED in a library without the feature `report`. */
ARENITE_API ArError *ar_interpreter_inspect(ArInterpreter *interpreter, const char **json);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_INTERPRETER_H */
