/*
 * arenite/subgraph.h: access to subgraphs and tensors by their index in the model.
 *
 * Ownership  handles and arrays belong to the interpreter
 * Threads    one thread at a time may use the interpreter
 * Errors     AR_ERROR_NOT_FOUND if the index of a subgraph is out of range, AR_ERROR_STATE if that of a tensor is
 */
#ifndef ARENITE_SUBGRAPH_H
#define ARENITE_SUBGRAPH_H

#include <arenite/interpreter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of subgraphs. The first one is the main subgraph. */
ARENITE_API size_t ar_interpreter_subgraph_count(const ArInterpreter *interpreter);

/* The number of tensors of a subgraph. Tensors of composites that were replaced by their nodes follow those of the
 * model. */
ARENITE_API ArError *ar_interpreter_tensor_count_of(ArInterpreter *interpreter, size_t subgraph, size_t *count);

/* The tensor indices of a subgraph's inputs, outputs and variables; variables keep their value from one invocation
 * to the next. The index of an absent input is -1. *tensors is null if the list is empty. */
ARENITE_API ArError *ar_interpreter_inputs_of(ArInterpreter *interpreter, size_t subgraph, const int32_t **tensors,
                                              size_t *count);
ARENITE_API ArError *ar_interpreter_outputs_of(ArInterpreter *interpreter, size_t subgraph, const int32_t **tensors,
                                               size_t *count);
ARENITE_API ArError *ar_interpreter_variables_of(ArInterpreter *interpreter, size_t subgraph, const int32_t **tensors,
                                                 size_t *count);

/* A tensor of a subgraph, for reading and, unless it is constant, for writing. Tensors share memory: a value that
 * you write into the result of a node lasts until that node runs, or a node that writes another tensor in the same
 * memory. */
ARENITE_API ArError *ar_interpreter_tensor_of(ArInterpreter *interpreter, size_t subgraph, size_t index, ArTensor **tensor);

/* Like ar_interpreter_allocate and ar_interpreter_invoke, for one subgraph, which runs on its own. */
ARENITE_API ArError *ar_interpreter_allocate_subgraph(ArInterpreter *interpreter, size_t subgraph);
ARENITE_API ArError *ar_interpreter_invoke_subgraph(ArInterpreter *interpreter, size_t subgraph);

/* A number that changes when addresses of the subgraph's tensors may have changed: on allocation, resize, loans and
 * release, and during an invocation if memory grows. While it is the same, pointers from ar_tensor_data stay valid.
 * 0 for a subgraph that was not used yet. */
ARENITE_API uint64_t ar_interpreter_generation(const ArInterpreter *interpreter, size_t subgraph);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_SUBGRAPH_H */
