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
#include <arenite/signature.h>
#include <arenite/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model, ready to be run: new, allocate, fill inputs, invoke, read outputs. */
typedef struct ArInterpreter ArInterpreter;

/* Finds plugins and makes an interpreter of the main subgraph.
 *   options  read now, not kept; null: as ar_options_new gives them
 * Errors: AR_ERROR_NOT_FOUND for an unknown planner or delegate, with the known ones; AR_ERROR_PLUGIN under `strict`;
 * AR_ERROR_MEMORY for more nodes than the quota; AR_ERROR_MODEL. */
ARENITE_API ArError *ar_interpreter_new(const ArModel *model, const ArOptions *options, ArInterpreter **interpreter);

/* Frees an interpreter with all its handles. No call may be using it. */
ARENITE_API void ar_interpreter_free(ArInterpreter *interpreter);

/* Applies delegates, prepares every node, plans memory, zeroes variables. After ar_interpreter_new, and after each
 * resize.
 * Errors: AR_ERROR_UNSUPPORTED with all ops that no plugin serves; AR_ERROR_FAILED with the first node that is refused;
 * AR_ERROR_NOT_FOUND for an unknown delegate; AR_ERROR_MEMORY. */
ARENITE_API ArError *ar_interpreter_allocate(ArInterpreter *interpreter);

/* Runs the main subgraph once. The interpreter stays usable after an error.
 * Errors: AR_ERROR_STATE before ar_interpreter_allocate; AR_ERROR_FAILED with the first node that fails;
 * AR_ERROR_CANCELLED; AR_ERROR_MEMORY when the limit in time is reached. */
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

/* Bytes of the arena for activations and scratch buffers, and bytes of states, tables, folded constants and variables.
 * 0 before ar_interpreter_allocate. */
ARENITE_API uint64_t ar_interpreter_arena_bytes(const ArInterpreter *interpreter);
ARENITE_API uint64_t ar_interpreter_persistent_bytes(const ArInterpreter *interpreter);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_INTERPRETER_H */
