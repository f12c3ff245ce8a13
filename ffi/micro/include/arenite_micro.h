/*
 * arenite_micro.h: .tflite models on small machines, from memory that the program owns.
 *
 * Nothing here needs a heap, an operating system or a C library. The program gives a model, the ops that it has, and one block of
 * memory, the arena; it provides memcpy, memmove, memset, memcmp, and the function arenite_micro_panic.
 *
 *   static ArMicro micro;
 *   static const ArOpV1 *const ops[] = {&ar_micro_op_fully_connected};   // `arenite inspect MODEL --ops c` prints this list
 *   if (ar_micro_init(&micro, model, model_bytes, ops, 1, arena, sizeof arena) != AR_MICRO_OK) puts(ar_micro_error());
 *   ArMicroTensor x, y;
 *   ar_micro_input(&micro, 0, &x);    // write x.bytes bytes to x.data before each invocation
 *   ar_micro_invoke(&micro);
 *   ar_micro_output(&micro, 0, &y);   // y.data holds the answer until the next invocation
 *
 * Phases    zeros -> load -> prepare -> plan -> ready to run -> close -> zeros. ar_micro_init does the first three. A call in another
 *           phase gives AR_MICRO_PHASE and changes nothing; if one of the three fails, the interpreter is zeros again.
 * Ownership the model (its bytes aligned to 16), the ops and the arena are the program's. They stay, unchanged and unmoved, until the
 *           interpreter is closed. So does the ArMicro itself; it may be moved.
 * Threads   one thread at a time calls these functions.
 * Errors    a call that fails gives a status; ar_micro_error tells the rest.
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
#define AR_MICRO_ARENA 3u      /* the arena is too small: ar_micro_needed tells what it should have */
#define AR_MICRO_MODEL 4u      /* the model is malformed, or not aligned to 16 bytes */
#define AR_MICRO_OPS 5u        /* two ops of the list serve the same nodes, or one cannot be placed */
#define AR_MICRO_MISSING_OP 6u /* no op of the list serves a node */
#define AR_MICRO_NODE 7u       /* an op refuses its node, or fails */
#define AR_MICRO_TENSOR 8u     /* a tensor that cannot be held here */
#define AR_MICRO_PLAN 9u       /* the plan in the model is wrong, or there is none */
#define AR_MICRO_INDEX 10u     /* there is no such input or output */

/* An interpreter. Static memory, or `ArMicro micro = {0}`, is one without a model. */
typedef struct ArMicro {
  size_t is_open;
  size_t needed;
  uint64_t room[(64 * sizeof(size_t)) / sizeof(uint64_t)];
} ArMicro;

/* A tensor. What it points to lives as long as the interpreter. */
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

/* Bytes of an arena, by what they are for. */
typedef struct ArMicroSizes {
  size_t arena;       /* the least arena, aligned to 16, with which the model runs */
  size_t head;        /* tensors and scratch buffers, which share memory */
  size_t bookkeeping; /* an entry per tensor and per node */
  size_t ops;         /* states and tables of ops */
  size_t variables;
  size_t constants; /* those that lie misaligned in the file, or are computed ahead */
} ArMicroSizes;

/* How ar_micro_plan lays tensors out. */
typedef uint32_t ArMicroPlanner;
#define AR_MICRO_GREEDY 0u /* the largest first, each in the lowest gap */
#define AR_MICRO_LINEAR 1u /* one after the other: every tensor keeps its value */

/* Verifies a model, and takes bookkeeping from the arena. AR_MICRO_ARGUMENT for an op whose header is wrong, or whose `prepare` or `eval` is
   null: unlike the large runtime, this one needs both. */
ArMicroStatus ar_micro_load(ArMicro *micro, const void *model, size_t model_bytes, const ArOpV1 *const *ops, size_t op_count,
                            void *arena, size_t arena_bytes);

/* Prepares every node with the first op of the list that serves it. */
ArMicroStatus ar_micro_prepare(ArMicro *micro);

/* Gives every tensor its place. */
ArMicroStatus ar_micro_plan(ArMicro *micro, ArMicroPlanner planner);

/* Load, prepare, and plan by AR_MICRO_GREEDY. */
ArMicroStatus ar_micro_init(ArMicro *micro, const void *model, size_t model_bytes, const ArOpV1 *const *ops, size_t op_count,
                            void *arena, size_t arena_bytes);

/* Runs the model once. Values of inputs are overwritten. */
ArMicroStatus ar_micro_invoke(ArMicro *micro);

/* Gives variables, and ops that keep something from one invocation to the next, their first values. */
ArMicroStatus ar_micro_reset(ArMicro *micro);

/* Ends an interpreter: what it was given is the program's again. Nothing is done without a model. */
void ar_micro_close(ArMicro *micro);

/* How many inputs and outputs a model has that is ready to run; else 0. */
size_t ar_micro_input_count(const ArMicro *micro);
size_t ar_micro_output_count(const ArMicro *micro);

/* An input, an output. */
ArMicroStatus ar_micro_input(ArMicro *micro, size_t index, ArMicroTensor *tensor);
ArMicroStatus ar_micro_output(ArMicro *micro, size_t index, ArMicroTensor *tensor);

/* What a model that is ready to run needs: exact, on this machine, whatever arena it has. */
ArMicroStatus ar_micro_sizes(const ArMicro *micro, ArMicroSizes *sizes);

/* After AR_MICRO_ARENA: bytes without which the arena goes no further; one of so many may turn out to be too small later on. Else 0. */
size_t ar_micro_needed(const ArMicro *micro);

/* What went wrong last, for people; one text for the program, overwritten by the next failure. Never null. */
const char *ar_micro_error(void);

/* The host for plugins in C that are linked into the program: what their entry, `arenite_plugin_v1`, takes. */
const ArHostV1 *ar_micro_host(void);

/* What ops may ask for while they run (arenite_micro_kernel.h): any pointer of the program's. */
void ar_micro_set_external(void *external);
void *ar_micro_external(void);

/* Writes the sizes of what lies in an arena on this machine, a line per struct and per op: core/micro/targets has such tables, from which
 * `arenite plan --micro --target` tells sizes for other machines. `write` gets `length` bytes at a time. */
void ar_micro_write_layouts(void (*write)(const char *text, size_t length), const ArOpV1 *const *ops, size_t op_count);

/* The program's: called when the library breaks down, which is a defect to report. It does not return. `file`, which has `length`
 * bytes and no zero at its end, and `line` tell where. */
void arenite_micro_panic(const char *file, size_t length, uint32_t line);

#ifdef __cplusplus
}
#endif

#include <arenite_micro_ops.h>

#endif /* ARENITE_MICRO_H */
