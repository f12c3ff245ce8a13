/*
 * arenite/observer.h: functions of the program that see each node before and after it runs.
 *
 * Ownership  what is observed lives until the function returns, with all that is asked from it; user data until it is released
 * Threads    the function is called on the thread that invokes, one call at a time
 * Errors     AR_ERROR_STATE for calls of the interpreter from inside the function, but for ar_interpreter_cancel
 */
#ifndef ARENITE_OBSERVER_H
#define ARENITE_OBSERVER_H

#include <arenite/interpreter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A node, or a delegate's partition, that is about to run or ran. */
typedef struct ArObserved ArObserved;

/* When an observer is called. */
typedef uint32_t ArMoment;
#define AR_MOMENT_BEFORE 0u /* it is about to run */
#define AR_MOMENT_AFTER 1u  /* it ran */

/* Sees a node. */
typedef void (*ArObserverCallback)(const ArObserved *observed, void *user_data);

/* A tensor as it is now. */
typedef struct ArTensorView {
  const void *data; /* null if bytes is 0 */
  size_t bytes;
  const int32_t *dims; /* outermost first */
  size_t rank;
  uint32_t element_type; /* AR_TYPE_* */
} ArTensorView;

/* Has a function see each node, and each partition of a delegate, that an invocation runs, in called subgraphs too. It replaces the one
 * from before. What runs once, while memory is allocated, is not seen, nor what a delegate runs within a partition.
 *   observer  null: no function
 *   release   called once with user_data: when another one is set, when the interpreter is freed, or if the call fails. May be null */
ARENITE_API ArError *ar_interpreter_set_observer(ArInterpreter *interpreter, ArObserverCallback observer, void *user_data,
                                                 ArReleaseCallback release);

/* Before or after; the subgraph that runs it; the op's name, or its delegate's for a partition; the delegate, null if it is none. */
ARENITE_API ArMoment ar_observed_moment(const ArObserved *observed);
ARENITE_API size_t ar_observed_subgraph(const ArObserved *observed);
ARENITE_API const char *ar_observed_op(const ArObserved *observed);
ARENITE_API const char *ar_observed_delegate(const ArObserved *observed);

/* The node, or those of the partition; the tensors that it reads, and those that it writes, -1 for one that is absent. Their number goes
 * to *count. */
ARENITE_API const size_t *ar_observed_nodes(const ArObserved *observed, size_t *count);
ARENITE_API const int32_t *ar_observed_inputs(const ArObserved *observed, size_t *count);
ARENITE_API const int32_t *ar_observed_outputs(const ArObserved *observed, size_t *count);

/* A tensor of the subgraph.
 * Errors: AR_ERROR_STATE if there is none of this index; AR_ERROR_ARGUMENT for one that has no memory. */
ARENITE_API ArError *ar_observed_tensor(const ArObserved *observed, int32_t index, ArTensorView *view);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_OBSERVER_H */
