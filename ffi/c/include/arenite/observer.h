/*
 * arenite/observer.h: observers, functions of the program that are called before and after each node.
 *
 * Ownership  an observed node, with everything read from it, is valid until the function returns; user data until it is
 *            released
 * Threads    the function is called on the thread that invokes, one call at a time
 * Errors     AR_ERROR_STATE for calls to the interpreter from inside the function, except ar_interpreter_cancel
 */
#ifndef ARENITE_OBSERVER_H
#define ARENITE_OBSERVER_H

#include <arenite/interpreter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A node, or a delegate's partition, that is about to run or has run. */
typedef struct ArObserved ArObserved;

/* Whether the observer is called before or after the node. */
typedef uint32_t ArMoment;
#define AR_MOMENT_BEFORE 0u /* the node is about to run */
#define AR_MOMENT_AFTER 1u  /* the node has run */

/* Called before and after each node. */
typedef void (*ArObserverCallback)(const ArObserved *observed, void *user_data);

/* A tensor's current data, shape and type. */
typedef struct ArTensorView {
  const void *data; /* null if bytes is 0 */
  size_t bytes;
  const int32_t *dims; /* outermost first */
  size_t rank;
  uint32_t element_type; /* AR_TYPE_* */
} ArTensorView;

/* Sets the function that is called before and after each node, and each partition of a delegate, that an invocation
 * runs, also in called subgraphs. It replaces the previous one. It is not called for nodes that run once during
 * allocation, nor for steps of a delegate within a partition.
 *   observer  null removes the function
 *   release   called once with user_data: when another observer is set, when the interpreter is freed, or if the call
 *             fails. May be null */
ARENITE_API ArError *ar_interpreter_set_observer(ArInterpreter *interpreter, ArObserverCallback observer, void *user_data,
                                                 ArReleaseCallback release);

/* Whether the callback runs before or after the node; the index of the subgraph that contains it; the name of its op
 * or, for a partition, of its delegate; the delegate that runs it, or null. */
ARENITE_API ArMoment ar_observed_moment(const ArObserved *observed);
ARENITE_API size_t ar_observed_subgraph(const ArObserved *observed);
ARENITE_API const char *ar_observed_op(const ArObserved *observed);
ARENITE_API const char *ar_observed_delegate(const ArObserved *observed);

/* The index of the node, or of all nodes of the partition; the indices of the tensors that are read, and of those
 * that are written, -1 for an absent one. *count is set to the number of indices. */
ARENITE_API const size_t *ar_observed_nodes(const ArObserved *observed, size_t *count);
ARENITE_API const int32_t *ar_observed_inputs(const ArObserved *observed, size_t *count);
ARENITE_API const int32_t *ar_observed_outputs(const ArObserved *observed, size_t *count);

/* A tensor of the subgraph.
 * Errors: AR_ERROR_STATE if the index is out of range; AR_ERROR_ARGUMENT for a tensor without memory. */
ARENITE_API ArError *ar_observed_tensor(const ArObserved *observed, int32_t index, ArTensorView *view);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_OBSERVER_H */
