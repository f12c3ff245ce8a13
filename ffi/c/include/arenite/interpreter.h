/*
 * arenite/interpreter.h: interpreters, which run models.
 *
 * Ownership  the caller owns an interpreter and frees it once; its handles (tensors, signatures, plugins) are freed
 *            with it
 * Threads    one thread at a time may use an interpreter and its handles, not necessarily the one that created it. Only
 *            ar_interpreter_cancel may be called on any thread at any time. Other calls during a call return
 *            AR_ERROR_STATE
 * Errors     an interpreter stays usable after an error, unless the error is AR_ERROR_PANICKED
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

/* Runs a model. Create an interpreter, allocate its memory, fill the inputs, invoke it, and read the outputs. */
typedef struct ArInterpreter ArInterpreter;

/* Creates an interpreter of a model. Finds and loads plugins, unless the options have a registry.
 *   options  copied; null means the defaults of ar_options_new
 * Errors: AR_ERROR_NOT_FOUND for an unknown planner or delegate, with the known ones; AR_ERROR_PLUGIN if `strict` is
 * set; AR_ERROR_QUOTA if the model has more nodes or deeper nesting than the limits, or if the time limit expires;
 * AR_ERROR_MODEL. */
ARENITE_API ArError *ar_interpreter_new(const ArModel *model, const ArOptions *options, ArInterpreter **interpreter);

/* Frees an interpreter and all its handles. No other call may use it at the same time. */
ARENITE_API void ar_interpreter_free(ArInterpreter *interpreter);

/* Lets delegates claim nodes, computes all shapes, plans and allocates memory, and sets variables to zero. Must be
 * called after ar_interpreter_new and after an input gets another shape; otherwise it does nothing. Delegates keep
 * what they compiled if they run the same nodes again. After a loan (ar_tensor_lend) or
 * ar_interpreter_release_memory, it only assigns memory.
 * Errors: AR_ERROR_UNSUPPORTED with all ops that no plugin implements; AR_ERROR_FAILED with the first node that is
 * not supported; AR_ERROR_NOT_FOUND for an unknown delegate; AR_ERROR_MEMORY; AR_ERROR_QUOTA if the time limit
 * expires. */
ARENITE_API ArError *ar_interpreter_allocate(ArInterpreter *interpreter);

/* Runs the main subgraph once.
 * Errors: AR_ERROR_STATE before ar_interpreter_allocate; AR_ERROR_FAILED with the first node that failed;
 * AR_ERROR_CANCELLED; AR_ERROR_QUOTA if the time limit expires. */
ARENITE_API ArError *ar_interpreter_invoke(ArInterpreter *interpreter);

/* Makes the invocation in progress end soon with AR_ERROR_CANCELLED. May be called on any thread until the
 * interpreter is freed. Does nothing without an invocation in progress. */
ARENITE_API void ar_interpreter_cancel(const ArInterpreter *interpreter);

/* Sets the variables of all subgraphs to zero, and resets the state that ops keep between invocations. */
ARENITE_API ArError *ar_interpreter_reset_variables(ArInterpreter *interpreter);

/* Changes the shape of an input. Call ar_interpreter_allocate afterwards.
 *   dims  outermost first, each at least 0; may be null if rank is 0
 * Errors: AR_ERROR_STATE if the index is out of range; AR_ERROR_ARGUMENT if the shape is not valid or needs more
 * memory than the quota, or if the input is constant. */
ARENITE_API ArError *ar_interpreter_resize_input(ArInterpreter *interpreter, size_t index, const int32_t *dims,
                                                 size_t rank);

/* The number of inputs, of outputs, and of all tensors of the main subgraph. */
ARENITE_API size_t ar_interpreter_input_count(const ArInterpreter *interpreter);
ARENITE_API size_t ar_interpreter_output_count(const ArInterpreter *interpreter);
ARENITE_API size_t ar_interpreter_tensor_count(const ArInterpreter *interpreter);

/* An input, by position or by its name in the model.
 * Errors: AR_ERROR_STATE if the index is out of range; AR_ERROR_NOT_FOUND with the known names. */
ARENITE_API ArError *ar_interpreter_input(ArInterpreter *interpreter, size_t index, ArTensor **tensor);
ARENITE_API ArError *ar_interpreter_input_by_name(ArInterpreter *interpreter, const char *name, ArTensor **tensor);

/* An output, by position or by its name in the model. Errors: as for inputs. */
ARENITE_API ArError *ar_interpreter_output(const ArInterpreter *interpreter, size_t index, const ArTensor **tensor);
ARENITE_API ArError *ar_interpreter_output_by_name(const ArInterpreter *interpreter, const char *name,
                                                   const ArTensor **tensor);

/* A tensor of the main subgraph, by its index in the model. Tensors share memory: after an invocation, a tensor that
 * is neither input nor output may contain the data of another tensor. */
ARENITE_API ArError *ar_interpreter_tensor(const ArInterpreter *interpreter, size_t index, const ArTensor **tensor);

/* The signature with this key. Errors: AR_ERROR_NOT_FOUND with the known keys. */
ARENITE_API ArError *ar_interpreter_signature(ArInterpreter *interpreter, const char *key, ArSignature **signature);

/* Memory in bytes: of the arena for activations and scratch buffers; of states, tables, folded constants and
 * variables; of delegates, as they report it, for example packed weights; of tensors whose shape is known only after
 * a run. 0 before ar_interpreter_allocate. */
ARENITE_API uint64_t ar_interpreter_arena_bytes(const ArInterpreter *interpreter);
ARENITE_API uint64_t ar_interpreter_persistent_bytes(const ArInterpreter *interpreter);
ARENITE_API uint64_t ar_interpreter_delegate_bytes(const ArInterpreter *interpreter);
ARENITE_API uint64_t ar_interpreter_dynamic_bytes(const ArInterpreter *interpreter);

/* The size in bytes that every plan of the arena needs, with any planner. */
ARENITE_API uint64_t ar_interpreter_arena_lower_bound(const ArInterpreter *interpreter);

/* Frees the memory of activations, in all subgraphs. States, variables, constants and the memory of delegates are
 * kept. ar_interpreter_allocate allocates it again without other work; then the inputs must be filled again. */
ARENITE_API ArError *ar_interpreter_release_memory(ArInterpreter *interpreter);

/* Ties each output of a signature to the input with the same name, type and shape, in all signatures; see
 * ar_signature_tie. `count` gets the number of different names, which is 0 if there are no such pairs; it may be null.
 * Errors: as ar_signature_tie. */
ARENITE_API ArError *ar_interpreter_tie_caches(ArInterpreter *interpreter, size_t *count);

/* An object of the API of a delegate's device, as a pointer or number, on which a program creates memory for
 * ar_tensor_bind_device_memory. "opencl" has "context", "device" and "queue"; "vulkan" has "instance",
 * "physical_device", "device", "queue" and "queue_family". All interpreters of a process share them, except the queue
 * of "opencl". A program uses the queue of "vulkan" only while no interpreter with that delegate runs.
 * Errors: AR_ERROR_STATE before allocation, or without this delegate; AR_ERROR_UNSUPPORTED for a delegate without
 * device memory, or for an unknown name, with the known names. */
ARENITE_API ArError *ar_interpreter_device_object(ArInterpreter *interpreter, const char *delegate, const char *name,
                                                  uint64_t *object);

/* The number of plugins that the interpreter may use. */
ARENITE_API size_t ar_interpreter_plugin_count(const ArInterpreter *interpreter);

/* A plugin, in the order in which they were found. Null if the index is out of range. */
ARENITE_API const ArPlugin *ar_interpreter_plugin(const ArInterpreter *interpreter, size_t index);

/* The number of plugins and plugin folders that could not be loaded. */
ARENITE_API size_t ar_interpreter_failure_count(const ArInterpreter *interpreter);

/* The path of one of them and the reason. The text belongs to the interpreter. Null if the index is out of range. */
ARENITE_API const char *ar_interpreter_failure(const ArInterpreter *interpreter, size_t index);

/* The number of delegates that the main subgraph does not use: missing ones, those that failed during allocation,
 * and those that an invocation fell back from. */
ARENITE_API size_t ar_interpreter_left_out_count(const ArInterpreter *interpreter);

/* The name of one of them and the reason. The text is valid until the list changes. Null if the index is out of
 * range. */
ARENITE_API const char *ar_interpreter_left_out(const ArInterpreter *interpreter, size_t index);

/* Describes the model, which op or delegate runs each node, why delegates did not claim it, and, if memory is
 * planned, where tensors are placed: the JSON that `arenite inspect --json` prints. The text belongs to the
 * interpreter and is valid until the next report.
 * Errors: AR_ERROR_FAILED if a path is not UTF-8; AR_ERROR_UNSUPPORTED in a library without the feature `report`. */
ARENITE_API ArError *ar_interpreter_inspect(ArInterpreter *interpreter, const char **json);

/* Describes the partitions that delegates would have if ar_interpreter_allocate_subgraph followed, for the current
 * shapes of inputs, up to the first node of dynamic shape. Nothing is compiled. As JSON: {"delegates":[{"delegate":
 * "cpu","partitions":[[0,1]],"refusals":[{"node":2,"reason":"…"}],"left_out":null}]}; nodes are numbered as in
 * ar_interpreter_inspect. The text belongs to the interpreter and is valid until the next report.
 * Errors: AR_ERROR_STATE if the subgraph is allocated; AR_ERROR_NOT_FOUND if it does not exist; AR_ERROR_UNSUPPORTED in
 * a library without the feature `report`; otherwise those of ar_interpreter_allocate for a node, or for a delegate
 * that cannot be created. */
ARENITE_API ArError *ar_interpreter_preview_delegates(ArInterpreter *interpreter, size_t subgraph, const char **json);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_INTERPRETER_H */
