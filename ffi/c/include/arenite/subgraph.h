/*
 * arenite/subgraph.h: everything by subgraph and tensor index, as the model numbers them.
 *
 * Ownership  handles and arrays belong to the interpreter and live as long
 * Threads    those of the interpreter: one at a time
 * Errors     AR_ERROR_NOT_FOUND for a subgraph that is not there, AR_ERROR_STATE for a tensor that is not
 */
#ifndef ARENITE_SUBGRAPH_H
#define ARENITE_SUBGRAPH_H

#include <arenite/interpreter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of subgraphs. The first one is the main subgraph. */
ARENITE_API size_t ar_interpreter_subgraph_count(const ArInterpreter *interpreter);

/* Number of a subgraph's tensors. Those of composites that were replaced by their nodes come behind the model's. */
ARENITE_API ArError *ar_interpreter_tensor_count_of(ArInterpreter *interpreter, size_t subgraph, size_t *count);

/* Indices of the tensors that are a subgraph's inputs, its outputs, and its variables, which keep their value from one invocation to
 * the next. -1 stands for an input that is absent. *tensors is null where there are none. */
ARENITE_API ArError *ar_interpreter_inputs_of(ArInterpreter *interpreter, size_t subgraph, const int32_t **tensors,
                                              size_t *count);
ARENITE_API ArError *ar_interpreter_outputs_of(ArInterpreter *interpreter, size_t subgraph, const int32_t **tensors,
                                               size_t *count);
ARENITE_API ArError *ar_interpreter_variables_of(ArInterpreter *interpreter, size_t subgraph, const int32_t **tensors,
                                                 size_t *count);

/* A tensor of a subgraph, to be read and, unless it is constant, written: an input, a variable, or any other. Memory is shared: what a
 * node writes has a written value until that node, or another tensor's in the same memory, runs. */
ARENITE_API ArError *ar_interpreter_tensor_of(ArInterpreter *interpreter, size_t subgraph, size_t index, ArTensor **tensor);

/* As ar_interpreter_allocate and ar_interpreter_invoke, of a subgraph, which then runs by itself. */
ARENITE_API ArError *ar_interpreter_allocate_subgraph(ArInterpreter *interpreter, size_t subgraph);
ARENITE_API ArError *ar_interpreter_invoke_subgraph(ArInterpreter *interpreter, size_t subgraph);

/* A number that changes when addresses of a subgraph's tensors may have: on allocation, resize, loans and release, and within an
 * invocation where memory grows. As long as it is the same, what ar_tensor_data gave points to the tensor's data. 0 for a
 * subgraph that nobody used. */
ARENITE_API uint64_t ar_interpreter_generation(const ArInterpreter *interpreter, size_t subgraph);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_SUBGRAPH_H */
