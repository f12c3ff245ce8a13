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
 *           the ArMicro is zeros again. ar_micro_load_two takes the place of load for two blocks of memory, and
 *           ar_micro_add the place of all three for several models in one arena.
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
  uint64_t room[(72 * sizeof(size_t)) / sizeof(uint64_t)];
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

/* Like ar_micro_load, over two blocks: tensors, scratch buffers and temporary memory are in `planned`, which may be
 * small and fast; everything else is in `persistent`. ar_micro_record reports the sizes that both need.
 * AR_MICRO_ARENA can mean either block. */
ArMicroStatus ar_micro_load_two(ArMicro *micro, const void *model, size_t model_bytes, const ArOpV1 *const *ops,
                                size_t op_count, void *planned, size_t planned_bytes, void *persistent,
                                size_t persistent_bytes);

/* Prepares every node with the first op of the list that supports it. */
ArMicroStatus ar_micro_prepare(ArMicro *micro);

/* Places every tensor in the arena. */
ArMicroStatus ar_micro_plan(ArMicro *micro, ArMicroPlanner planner);

/* The buffers to place: tensors, then scratch buffers. Valid while the planner runs. */
typedef struct ArMicroBuffers ArMicroBuffers;

/* A buffer. Two buffers may overlap unless both are in use at some time: `first` to `last`, both included. */
typedef struct ArMicroBuffer {
  size_t bytes;
  uint32_t first;
  uint32_t last;
  size_t offset; /* SIZE_MAX before it is placed; a plan in the model places buffers in advance */
} ArMicroBuffer;

/* Places `count` buffers and returns 0; any other number is an error. */
typedef uint32_t (*ArMicroPlanCallback)(void *user, ArMicroBuffers *buffers, size_t count);

/* Places every tensor with a planner of the program. Returns AR_MICRO_PLAN if the planner fails, or if a buffer has no
 * offset, one that is no multiple of 16, or overlaps another one that is in use at the same time; the message names
 * both buffers. */
ArMicroStatus ar_micro_plan_with(ArMicro *micro, ArMicroPlanCallback planner, void *user);

/* For planners: describe buffer `index`; set its offset from the beginning of the arena. */
ArMicroStatus ar_micro_buffer(const ArMicroBuffers *buffers, size_t index, ArMicroBuffer *buffer);
ArMicroStatus ar_micro_place(ArMicroBuffers *buffers, size_t index, size_t offset);

/* Loads, prepares, and plans with AR_MICRO_GREEDY. */
ArMicroStatus ar_micro_init(ArMicro *micro, const void *model, size_t model_bytes, const ArOpV1 *const *ops, size_t op_count,
                            void *arena, size_t arena_bytes);

/* The memory of several models that run in turns. Must start as zeros. */
typedef struct ArMicroArena {
  void *memory;
} ArMicroArena;

/* Opens an arena in one block, or in two if `persistent` is not null: `planned` is then for what models share. The
 * blocks belong to the program, which must not use them while a model of the arena is open. */
ArMicroStatus ar_micro_arena_open(ArMicroArena *arena, void *planned, size_t planned_bytes, void *persistent,
                                  size_t persistent_bytes);

/* Loads, prepares and plans a model in an arena that other models use, too. Tensors and scratch buffers of all models
 * share memory, so the inputs and outputs of a model are invalid after another one ran or was added. If it fails, the
 * other models are not affected. Closing a model frees none of its memory: to start again, close all and open the arena
 * again. ar_micro_sizes and ar_micro_record report what all models use. */
ArMicroStatus ar_micro_add(ArMicro *micro, const ArMicroArena *arena, const void *model, size_t model_bytes,
                           const ArOpV1 *const *ops, size_t op_count, ArMicroPlanner planner);

/* Runs the model once. This may overwrite the inputs. */
ArMicroStatus ar_micro_invoke(ArMicro *micro);

/* Resets variables and the states of ops to their initial values. */
ArMicroStatus ar_micro_reset(ArMicro *micro);

/* Limits how many times nodes may call subgraphs in one invocation, which stops endless loops; ten million unless set.
 * The model must be ready to run. */
ArMicroStatus ar_micro_limit_calls(ArMicro *micro, uint32_t most);

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

/* The bytes of an arena by category. */
typedef struct ArMicroRecord {
  size_t planned;    /* peak of tensors, scratch buffers and temporary memory: the smallest first block of two */
  size_t persistent; /* peak of everything else: the smallest second block of two */
  size_t scratch;    /* scratch buffers that ops requested, in sum */
  size_t tensors;    /* an entry per tensor */
  size_t nodes;      /* an entry per node */
  size_t shapes;     /* shapes and scales that the file does not contain, or that this machine cannot read in place */
  size_t subgraphs;
  size_t op_states;
  size_t op_buffers;   /* tables and other persistent memory of ops */
  size_t first_values; /* for ar_micro_reset */
  size_t variables;
  size_t resources; /* values of READ_VARIABLE */
  size_t constants; /* constants that are misaligned in the file or computed in advance */
} ArMicroRecord;

/* Reports the use of the arena by category. The model must be ready to run. */
ArMicroStatus ar_micro_record(const ArMicro *micro, ArMicroRecord *record);

/* Functions to call before and after each node, for example to read a timer. `builtin_code` is the schema's number of
 * the op. Nodes of called subgraphs run inside the node that calls. A null function is not called. */
typedef struct ArMicroProfiler {
  void (*begin)(void *user, size_t subgraph, size_t node, int32_t builtin_code);
  void (*end)(void *user, size_t subgraph, size_t node, int32_t builtin_code);
  void *user;
} ArMicroProfiler;

/* Sets the profiler of a model that is ready to run; null removes it. The profiler belongs to the program, which must
 * neither move nor free it until it is replaced or the interpreter is closed. */
ArMicroStatus ar_micro_set_profiler(ArMicro *micro, const ArMicroProfiler *profiler);

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
 * and `line` are the source location; `file` has `length` bytes and is not null-terminated. In a library without
 * messages, `length` and `line` are 0. */
void arenite_micro_panic(const char *file, size_t length, uint32_t line);

#ifdef __cplusplus
}
#endif

#include <arenite_micro_ops.h>

#endif /* ARENITE_MICRO_H */
