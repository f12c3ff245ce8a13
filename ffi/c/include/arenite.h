/*
 * arenite.h: run .tflite models from C and C++.
 *
 *   ArModel *model;
 *   ArInterpreter *interpreter;
 *   ArTensor *input;
 *   const ArTensor *output;
 *   ar_model_from_file("model.tflite", &model);
 *   ar_interpreter_new(model, NULL, &interpreter);
 *   ar_interpreter_allocate(interpreter);
 *   ar_interpreter_input(interpreter, 0, &input);
 *   ar_tensor_copy_from(input, pixels, sizeof pixels);
 *   ar_interpreter_invoke(interpreter);
 *   ar_interpreter_output(interpreter, 0, &output);
 *   ar_tensor_copy_to(output, scores, sizeof scores);
 *
 * with the returned errors looked at: examples/classify.c is a whole program.
 *
 * Rules
 *  - A function that can fail returns an ArError, or null if it went well. The caller frees it. A function that returns
 *    a plain value cannot be asked why it gave 0 or null.
 *  - What a function gives through its last argument, `X **x`, is null after an error.
 *  - ArModel, ArOptions, ArInterpreter and ArError are owned by the caller, who frees each once. Freeing null does
 *    nothing. Models and options may be freed while interpreters that were made of them live.
 *  - Handles (ArTensor, ArSignature, ArPlugin) belong to their interpreter and live as long. Asking twice for the
 *    same tensor gives the same handle. A handle stays right after a resize: it is asked anew each time.
 *  - Text is UTF-8 and ends with a null byte. Text that the library returns belongs to the object that it was asked from.
 *  - No argument may be null, unless its description says so; a null is an error (AR_ERROR_ARGUMENT), not a crash.
 *  - A model may be used from several threads at once. An interpreter and its handles are for one thread at a time,
 *    which need not be the one that made it, ar_interpreter_cancel apart; a call that comes while another one runs is
 *    an error (AR_ERROR_STATE).
 *  - Nothing unwinds out of the library. No longjmp or C++ exception may leave a callback.
 */
#ifndef ARENITE_H
#define ARENITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ARENITE_API
#if defined(_WIN32) && !defined(ARENITE_STATIC)
#define ARENITE_API __declspec(dllimport)
#elif defined(__GNUC__)
#define ARENITE_API __attribute__((visibility("default")))
#else
#define ARENITE_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version that this header belongs to. Within a major version, functions are added but never changed. */
#define ARENITE_VERSION_MAJOR 0
#define ARENITE_VERSION_MINOR 1
#define ARENITE_VERSION_PATCH 0

/* The version of the library that is in use, "0.1.0". Never null; lives as long as the program. */
ARENITE_API const char *ar_version(void);

/* ── Errors ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* An error: a code for programs and a text for people. */
typedef struct ArError ArError;

typedef uint32_t ArErrorCode;
#define AR_ERROR_NONE 0u        /* no error */
#define AR_ERROR_ARGUMENT 1u    /* an argument is null, no UTF-8, out of range, or of another size or type */
#define AR_ERROR_IO 2u          /* a file cannot be opened or read */
#define AR_ERROR_MODEL 3u       /* the model is refused */
#define AR_ERROR_CONFIG 4u      /* the configuration is refused */
#define AR_ERROR_PLUGIN 5u      /* a plugin cannot be loaded */
#define AR_ERROR_NOT_FOUND 6u   /* there is no planner, delegate, signature, input or output of this name */
#define AR_ERROR_UNSUPPORTED 7u /* no plugin serves an op of the model, or none in this form */
#define AR_ERROR_STATE 8u       /* the call does not fit the state; the text says which call is missing */
#define AR_ERROR_MEMORY 9u      /* the quota, of memory, nodes, depth or time, or the system's memory is exhausted */
#define AR_ERROR_CANCELLED 10u  /* the invocation was cancelled */
#define AR_ERROR_FAILED 11u     /* an op, a planner or a delegate failed, or refused the model */
#define AR_ERROR_PANICKED 12u   /* the library or a plugin broke down: a defect to report */
#define AR_ERROR_UNAVAILABLE 13u /* what a delegate works with is not there: no device, a device lost, its memory gone */

/* The error's code. AR_ERROR_NONE for null. */
ARENITE_API ArErrorCode ar_error_code(const ArError *error);

/* The error's text, for people; it may have several lines. Belongs to the error. Empty for null, never null. */
ARENITE_API const char *ar_error_message(const ArError *error);

/* Frees an error. */
ARENITE_API void ar_error_free(ArError *error);

/* ── Log ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef uint32_t ArLogLevel;
#define AR_LOG_OFF 0u
#define AR_LOG_ERROR 1u
#define AR_LOG_WARN 2u
#define AR_LOG_INFO 3u
#define AR_LOG_DEBUG 4u
#define AR_LOG_TRACE 5u

/* Gets a line of the log. Called on any thread, on several at once. `target` is the part of the library that speaks;
 * both texts live until it returns. What it makes the library say itself is dropped. */
typedef void (*ArLogCallback)(ArLogLevel level, const char *target, const char *message, void *user_data);

/* Sends the log of the whole process to a function, in place of the one that was set before; null: to none, which is
 * how a program begins. When this returns, the old function is not running and is not called again.
 *   max_level  AR_LOG_*: the least severe lines to pass on
 * Errors: a level that does not exist; a call from inside the callback (AR_ERROR_STATE). */
ARENITE_API ArError *ar_set_log_callback(ArLogCallback callback, void *user_data, ArLogLevel max_level);

/* ── Models ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A verified .tflite model. It does not change; interpreters share it and keep it alive. */
typedef struct ArModel ArModel;

/* Maps a file into memory and verifies it. The file must not be written to while the model lives.
 * Errors: AR_ERROR_IO; AR_ERROR_MODEL, with the field that is wrong. */
ARENITE_API ArError *ar_model_from_file(const char *path, ArModel **model);

/* Copies the bytes of a file and verifies them. `data` need not be aligned.
 * Errors: AR_ERROR_MODEL. */
ARENITE_API ArError *ar_model_from_memory(const void *data, size_t size, ArModel **model);

/* Called when lent memory is no longer needed, on any thread. */
typedef void (*ArReleaseCallback)(void *user_data);

/* Verifies the bytes of a file without copying them. They must stay as they are until `release` is called.
 *   release  called exactly once: when the model and all its interpreters are freed, or before this returns if it
 *            fails, whatever the reason. May be null.
 * Errors: AR_ERROR_MODEL. */
ARENITE_API ArError *ar_model_from_borrowed(const void *data, size_t size, ArReleaseCallback release, void *user_data,
                                            ArModel **model);

/* Number of signatures: entry points with names for their inputs and outputs. */
ARENITE_API size_t ar_model_signature_count(const ArModel *model);

/* Key of a signature. Belongs to the model. Null if there are fewer. */
ARENITE_API const char *ar_model_signature_key(const ArModel *model, size_t index);

/* Frees a model. Its memory lives on until its interpreters are freed. */
ARENITE_API void ar_model_free(ArModel *model);

/* ── Options ────────────────────────────────────────────────────────────────────────────────────────────────────── */

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

/* What to do about a delegate that no plugin has, or whose device is not there. Whatever else keeps it from starting, such as an
 * unknown option, is an error of ar_interpreter_allocate. */
typedef uint32_t ArOnMissing;
#define AR_ON_MISSING_ERROR 0u /* making the interpreter fails; without the device, allocating it */
#define AR_ON_MISSING_SKIP 1u  /* go on without it */

/* New options: linked-in plugins and those of ARENITE_PLUGIN_PATH, planner "portfolio", delegate "cpu", one thread per
 * processor, as much memory as the machine has. Owned by the caller. Null only if the library broke down. */
ARENITE_API ArOptions *ar_options_new(void);

/* Replaces everything that was set before, but for what was registered, by what a file says (arenite.toml); call it first. Relative paths in it start
 * at the file's folder.
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

/* Plans memory with the planner of this name. Whether there is one shows when the interpreter is made.
 *   planner_options  copied; may be null if option_count is 0 */
ARENITE_API ArError *ar_options_set_planner(ArOptions *options, const char *name, const ArOption *planner_options,
                                            size_t option_count);

/* Adds a delegate. It claims nodes after those that were added before; "cpu" comes last by itself. "none",
 * which stands alone, keeps it away.
 *   on_missing        AR_ON_MISSING_*
 *   delegate_options  copied; may be null if option_count is 0 */
ARENITE_API ArError *ar_options_add_delegate(ArOptions *options, const char *name, ArOnMissing on_missing,
                                             const ArOption *delegate_options, size_t option_count);

/* Registers an op, a planner or a delegate of the program's own, for interpreters that are made with these options. The structures
 * are those of arenite_plugin.h. What is registered comes before what plugins have, and is listed as a plugin "program".
 *   op, planner, delegate  copied, with its name; its functions are called as those of a plugin, on any thread
 *   user_data              may be null. Of an op with AR_OP_USER_DATA: in the first word of the zeroed state, before `prepare`. Of a
 *                          planner with AR_INTERFACE_PLAN, a delegate with AR_INTERFACE_CREATE: what these functions are given.
 *                          Without these it must be null.
 *   drop                   may be null. Called once with user_data, on any thread: when the options and all interpreters that were
 *                          made with them are freed. If the call fails, before it returns.
 * Errors: AR_ERROR_ARGUMENT for a name, a number, versions or sizes that cannot be, or if the program registered a planner or
 * a delegate of this name, or an op that serves some of the same nodes, before. Nothing is registered then. */
ARENITE_API ArError *ar_options_register_op(ArOptions *options, const ArOpV1 *op, void *user_data,
                                            void (*drop)(void *user_data));
ARENITE_API ArError *ar_options_register_planner(ArOptions *options, const ArPlannerV1 *planner, void *user_data,
                                                 void (*drop)(void *user_data));
ARENITE_API ArError *ar_options_register_delegate(ArOptions *options, const ArDelegateV1 *delegate, void *user_data,
                                                  void (*drop)(void *user_data));

/* What the functions of these tell errors with, and have loops run by. Never null; lives as long as the program. */
ARENITE_API const ArHostV1 *ar_host(void);

/* Most bytes that an interpreter may hold. */
ARENITE_API ArError *ar_options_set_quota_bytes(ArOptions *options, uint64_t bytes);

/* Most nodes of a model, all subgraphs together. */
ARENITE_API ArError *ar_options_set_quota_nodes(ArOptions *options, uint64_t nodes);

/* Deepest nesting of subgraphs that call one another. */
ARENITE_API ArError *ar_options_set_quota_depth(ArOptions *options, uint32_t depth);

/* Most calls of subgraphs by nodes of others in one invoke: a bound for loops. */
ARENITE_API ArError *ar_options_set_quota_calls(ArOptions *options, uint64_t calls);

/* Longest time of one allocate or invoke, in milliseconds; 0: no limit. */
ARENITE_API ArError *ar_options_set_time_limit(ArOptions *options, uint64_t milliseconds);

/* Frees options. */
ARENITE_API void ar_options_free(ArOptions *options);

/* ── Interpreters ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* A model, ready to be run: new, allocate, fill inputs, invoke, read outputs. */
typedef struct ArInterpreter ArInterpreter;
/* A tensor of an interpreter. */
typedef struct ArTensor ArTensor;
/* A signature of an interpreter's model. */
typedef struct ArSignature ArSignature;
/* A plugin that an interpreter may use. */
typedef struct ArPlugin ArPlugin;

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

/* ── Tensors ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Element types: the numbers of the .tflite schema, the same as in arenite_plugin.h. */
#define AR_TYPE_FLOAT32 0u
#define AR_TYPE_FLOAT16 1u
#define AR_TYPE_INT32 2u
#define AR_TYPE_UINT8 3u
#define AR_TYPE_INT64 4u
#define AR_TYPE_STRING 5u
#define AR_TYPE_BOOL 6u
#define AR_TYPE_INT16 7u
#define AR_TYPE_COMPLEX64 8u
#define AR_TYPE_INT8 9u
#define AR_TYPE_FLOAT64 10u
#define AR_TYPE_COMPLEX128 11u
#define AR_TYPE_UINT64 12u
#define AR_TYPE_RESOURCE 13u
#define AR_TYPE_VARIANT 14u
#define AR_TYPE_UINT32 15u
#define AR_TYPE_UINT16 16u
#define AR_TYPE_INT4 17u
#define AR_TYPE_BFLOAT16 18u
#define AR_TYPE_INT2 19u
#define AR_TYPE_UINT4 20u
#define AR_TYPE_FLOAT8_E4M3FN 21u
#define AR_TYPE_FLOAT8_E5M2 22u

/* The schema's name of an element type, "FLOAT32". Null for a number that is none. Lives as long as the program. */
ARENITE_API const char *ar_type_name(uint32_t element_type);

/* How integers stand for real numbers: real = scale * (q - zero_point). */
typedef struct ArQuantization {
  const float *scales;        /* `count` of them; null if the tensor is not quantized */
  const int64_t *zero_points; /* as many */
  size_t count;               /* 0: not quantized; 1: one pair for all; else one per slice of `dimension` */
  int32_t dimension;
} ArQuantization;

/* An element of a tensor of strings: any bytes, with no null byte at their end. */
typedef struct ArString {
  const char *data; /* may be null if length is 0 */
  size_t length;
} ArString;

/* The tensor's name in the model. Null only for null. */
ARENITE_API const char *ar_tensor_name(const ArTensor *tensor);

/* AR_TYPE_*. */
ARENITE_API uint32_t ar_tensor_type(const ArTensor *tensor);

/* Number of dimensions; 0: a scalar. Like all that follows from the shape, it is the one of now: a resize shows
 * after ar_interpreter_allocate, and some outputs change with each invocation. */
ARENITE_API size_t ar_tensor_rank(const ArTensor *tensor);

/* A dimension, the outermost first. -1 if there are fewer. */
ARENITE_API int32_t ar_tensor_dim(const ArTensor *tensor, size_t axis);

/* Product of the dimensions. */
ARENITE_API size_t ar_tensor_element_count(const ArTensor *tensor);

/* Bytes of data. */
ARENITE_API size_t ar_tensor_byte_size(const ArTensor *tensor);

/* Whether its value is part of the model, or was computed once when memory was allocated. */
ARENITE_API bool ar_tensor_is_constant(const ArTensor *tensor);

/* Scale and zero point of a tensor that is quantized with one pair; the first pair if there are more; 0 if none. */
ARENITE_API float ar_tensor_scale(const ArTensor *tensor);
ARENITE_API int64_t ar_tensor_zero_point(const ArTensor *tensor);

/* All scales and zero points. The arrays belong to the tensor. */
ARENITE_API ArError *ar_tensor_quantization(const ArTensor *tensor, ArQuantization *quantization);

/* The data, dense, in row-major order, to be read. It stays there until the interpreter is allocated, resized or freed;
 * outputs whose shape only the run tells move with each invocation. Null without error for a tensor of 0 bytes.
 * Errors: AR_ERROR_STATE before ar_interpreter_allocate; AR_ERROR_ARGUMENT for a tensor without memory. */
ARENITE_API ArError *ar_tensor_data(const ArTensor *tensor, const void **data);

/* The data of an input, to be written, as ar_tensor_data.
 * Errors: also AR_ERROR_ARGUMENT for a tensor that is no input, is constant, or has strings. */
ARENITE_API ArError *ar_tensor_data_mut(ArTensor *tensor, void **data);

/* Fills an input from a buffer.
 *   size  bytes of the buffer: ar_tensor_byte_size
 * Errors: AR_ERROR_ARGUMENT for another size, with both; else as ar_tensor_data_mut. */
ARENITE_API ArError *ar_tensor_copy_from(ArTensor *tensor, const void *buffer, size_t size);

/* Copies the data to a buffer.
 *   size  bytes of the buffer: ar_tensor_byte_size
 * Errors: AR_ERROR_ARGUMENT for another size, with both; else as ar_tensor_data. */
ARENITE_API ArError *ar_tensor_copy_to(const ArTensor *tensor, void *buffer, size_t size);

/* Fills an input of strings.
 *   strings  copied
 *   count    ar_tensor_element_count
 * Errors: AR_ERROR_ARGUMENT for another count or type, or more than 2 GiB. */
ARENITE_API ArError *ar_tensor_set_strings(ArTensor *tensor, const ArString *strings, size_t count);

/* Writes where the strings of a tensor lie. They belong to the tensor and stay as long as ar_tensor_data says.
 *   count  elements of `strings`: ar_tensor_element_count
 * Errors: AR_ERROR_ARGUMENT for another count or type; else as ar_tensor_data. */
ARENITE_API ArError *ar_tensor_strings(const ArTensor *tensor, ArString *strings, size_t count);

/* ── Signatures ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The signature's key, and the names of its inputs and outputs. They belong to the signature. Null if there are fewer. */
ARENITE_API const char *ar_signature_key(const ArSignature *signature);
ARENITE_API size_t ar_signature_input_count(const ArSignature *signature);
ARENITE_API const char *ar_signature_input_name(const ArSignature *signature, size_t index);
ARENITE_API size_t ar_signature_output_count(const ArSignature *signature);
ARENITE_API const char *ar_signature_output_name(const ArSignature *signature, size_t index);

/* An input and an output, by the name that the signature gives it. Errors: AR_ERROR_NOT_FOUND with the known names. */
ARENITE_API ArError *ar_signature_input(ArSignature *signature, const char *name, ArTensor **tensor);
ARENITE_API ArError *ar_signature_output(const ArSignature *signature, const char *name, const ArTensor **tensor);

/* As ar_interpreter_resize_input, ar_interpreter_allocate and ar_interpreter_invoke, for the signature's subgraph.
 * ar_interpreter_cancel cancels this invocation too. */
ARENITE_API ArError *ar_signature_resize_input(ArSignature *signature, const char *name, const int32_t *dims,
                                               size_t rank);
ARENITE_API ArError *ar_signature_allocate(ArSignature *signature);
ARENITE_API ArError *ar_signature_invoke(ArSignature *signature);

/* ── Plugins ────────────────────────────────────────────────────────────────────────────────────────────────────── */

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

#endif /* ARENITE_H */
