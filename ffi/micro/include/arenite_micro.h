/*
 * arenite_micro.h: runs .tflite models on small machines, in memory provided by the program.
 *
 * It needs no heap, operating system or C library. The program passes a model, a list of ops, and one block of memory,
 * the arena. It must also define memcpy, memmove, memset, memcmp and arenite_micro_panic.
 *
 *   static ArMicro micro;
 *   static const ArOpV1 *const ops[] = {&ar_micro_op_fully_connected};   // `arenite inspect MODEL --ops c` prints it
 *   if (ar_micro_init(&micro, model, model_bytes, ops, 1, arena, sizeof arena) != AR_MICRO_OK) puts(ar_micro_error());
 *   ArMicroTensor x, y;
 *   ar_micro_input(&micro, 0, &x);    // write x.bytes bytes to x.data before each invocation
 *   ar_micro_invoke(&micro);
 *   ar_micro_output(&micro, 0, &y);   // y.data holds the answer until the next invocation
 *
 * Phases    zeros -> load -> prepare -> plan -> ready to run -> close -> zeros. ar_micro_init does load, prepare and
 *           plan. A call in the wrong phase returns AR_MICRO_PHASE and changes nothing. If load, prepare or plan fails,
 *           the ArMicro is zeros again.
 * Ownership The model (aligned to 16 bytes), the ops and the arena belong to the program, which must not change, move
 *           or free them until the interpreter is closed. The ArMicro must exist until then, too, but may be moved.
 * Threads   Only one thread at a time may call these functions.
 * Errors    A call that fails returns a status; ar_micro_error describes the error.
 */
#ifndef ARENITE_MICRO_H
#define ARENITE_MICRO_H

#include <arenite_plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t ArMicroStatus;
#define AR_MICRO_OK 0u
#define AR_MICRO_ARGUMENT 1u   /* a pointer is null or misaligned, or a number out of range */
#define AR_MICRO_PHASE 2u      /* the call does not fit the phase */
#define AR_MICRO_ARENA 3u      /* the arena is too small: ar_micro_needed returns the size it needs */
#define AR_MICRO_MODEL 4u      /* the model is malformed, or not aligned to 16 bytes */
#define AR_MICRO_OPS 5u        /* two ops of the list serve the same nodes, or one cannot be placed */
#define AR_MICRO_MISSING_OP 6u /* no op of the list supports a node */
#define AR_MICRO_NODE 7u       /* an op rejected its node or failed */
#define AR_MICRO_TENSOR 8u     /* a tensor has an unsupported type or size */
#define AR_MICRO_PLAN 9u       /* the model's plan is missing or invalid */
#define AR_MICRO_INDEX 10u     /* the index of an input or output is out of range */

/* An interpreter. It must start as zeros: static memory or `ArMicro micro = {0}`. */
typedef struct ArMicro {
  size_t is_open;
  size_t needed;
  uint64_t room[(64 * sizeof(size_t)) / sizeof(uint64_t)];
} ArMicro;

/* A tensor. Its pointers are valid until the interpreter is closed. */
typedef struct ArMicroTensor {
  ArStr name;            /* in the model */
  uint32_t element_type; /* AR_TYPE_* */
  uint32_t rank;
  const int32_t *dims; /* outermost first */
  void *data;
  size_t bytes;
  float scale; /* of a tensor that is quantized with one scale; else 0 */
  int64_t zero_point;
} ArMicroTensor;

/* The bytes of an arena by use. */
typedef struct ArMicroSizes {
  size_t arena;       /* size of the smallest arena, aligned to 16, that runs the model */
  size_t head;        /* tensors and scratch buffers, which share memory */
  size_t bookkeeping; /* an entry per tensor and per node */
  size_t ops;         /* states and tables of ops */
  size_t variables;
  size_t constants; /* constants that are misaligned in the file or computed in advance */
} ArMicroSizes;

/* How ar_micro_plan places tensors. */
typedef uint32_t ArMicroPlanner;
#define AR_MICRO_GREEDY 0u /* largest first, each in the lowest gap */
#define AR_MICRO_LINEAR 1u /* without sharing memory, so every tensor keeps its value */

/* Verifies a model and allocates bookkeeping in the arena. Returns AR_MICRO_ARGUMENT for an op with an invalid
 * header, or whose `prepare` or `eval` is null: unlike the large runtime, this one requires both. */
ArMicroStatus ar_micro_load(ArMicro *micro, const void *model, size_t model_bytes, const ArOpV1 *const *ops, size_t op_count,
                            void *arena, size_t arena_bytes);

/* Prepares every node with the first op of the list that supports it. */
ArMicroStatus ar_micro_prepare(ArMicro *micro);

/* Places every tensor in the arena. */
ArMicroStatus ar_micro_plan(ArMicro *micro, ArMicroPlanner planner);

/* Loads, prepares, and plans with AR_MICRO_GREEDY. */
ArMicroStatus ar_micro_init(ArMicro *micro, const void *model, size_t model_bytes, const ArOpV1 *const *ops, size_t op_count,
                            void *arena, size_t arena_bytes);

/* Runs the model once. This may overwrite the inputs. */
ArMicroStatus ar_micro_invoke(ArMicro *micro);

/* Resets variables and the states of ops to their initial values. */
ArMicroStatus ar_micro_reset(ArMicro *micro);

/* Closes the interpreter. The program may then reuse the model, the ops and the arena. Does nothing if no model is
 * loaded. */
void ar_micro_close(ArMicro *micro);

/* The number of inputs and outputs; 0 before the model is ready to run. */
size_t ar_micro_input_count(const ArMicro *micro);
size_t ar_micro_output_count(const ArMicro *micro);

/* Describe an input or an output. */
ArMicroStatus ar_micro_input(ArMicro *micro, size_t index, ArMicroTensor *tensor);
ArMicroStatus ar_micro_output(ArMicro *micro, size_t index, ArMicroTensor *tensor);

/* Reports the exact sizes that the model needs on this machine, whatever the size of its arena. The model must be
 * ready to run. */
ArMicroStatus ar_micro_sizes(const ArMicro *micro, ArMicroSizes *sizes);

/* After AR_MICRO_ARENA: the arena size needed to get past the failed step. A later step may need more. Otherwise 0. */
size_t ar_micro_needed(const ArMicro *micro);

/* The message of the last error, for people. The next failure overwrites it. Never null. */
const char *ar_micro_error(void);

/* The host to pass to `arenite_plugin_v1`, the entry point of C plugins linked into the program. */
const ArHostV1 *ar_micro_host(void);

/* A pointer of the program that ops can get while they run (arenite_micro_kernel.h). */
void ar_micro_set_external(void *external);
void *ar_micro_external(void);

/* Writes the sizes of structs and ops in an arena on this machine, one per line. With such tables (core/micro/targets),
 * `arenite plan --micro --target` computes arena sizes for other machines. `write` receives `length` bytes per call. */
void ar_micro_write_layouts(void (*write)(const char *text, size_t length), const ArOpV1 *const *ops, size_t op_count);

/* Defined by the program and called when the library panics, which is a bug to report. It must not return. `file`
 * and `line` are the source location; `file` has `length` bytes and is not null-terminated. */
void arenite_micro_panic(const char *file, size_t length, uint32_t line);

#ifdef __cplusplus
}
#endif

#include <arenite_micro_ops.h>

#endif /* ARENITE_MICRO_H */
