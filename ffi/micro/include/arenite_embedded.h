/*
 * arenite_embedded.h: for the files that `arenite embed MODEL --lang c` writes.
 *
 * Such a file has a prepared model as constant tables of the plugin contract's structs. It needs the op kernels in
 * libarenite_micro.a, which the linker takes one by one, and memcpy, memmove, memset, memcmp and
 * arenite_micro_panic from the program:
 *
 *   arenite embed hello_world.tflite --target cortex-m4        writes hello_world.h and hello_world.c
 *
 *   #include "hello_world.h"
 *
 *   int main(void) {
 *     hello_world_init();
 *     *(float *)hello_world_input(0) = 1.0f;
 *     if (hello_world_run() != AR_STATUS_OK) return 1;
 *     return *(const float *)hello_world_output(0) > 0.5f;
 *   }
 */
#ifndef ARENITE_EMBEDDED_H
#define ARENITE_EMBEDDED_H

#include <arenite_plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An input or output whose memory was checked when the file was generated: its element type, number of elements and
   first element. AR_EMBEDDED_LOOK_UP instead of a type: the function looks the tensor up and checks it. */
typedef struct ArEmbeddedPort {
  uint32_t kind;
  size_t count;
  void *data;
} ArEmbeddedPort;

#define AR_EMBEDDED_LOOK_UP 0xffffffffu

/* A node and its ports: inputs, then outputs. */
typedef struct ArEmbeddedNode {
  ArNodeV1 node;
  const ArEmbeddedPort *ports;
} ArEmbeddedNode;

/* A node: the function that runs it, and what this function takes. */
typedef struct ArEmbeddedStep {
  ArStatus (*eval)(const ArEvalV1 *eval, const ArNodeV1 *node, void *state);
  const ArEvalV1 *context;
  const ArNodeV1 *node;
  const void *state;
} ArEmbeddedStep;

/* A subgraph that nodes call: its nodes, and the numbers of its tensors. */
typedef struct ArEmbeddedGraph {
  const ArEmbeddedStep *steps;
  size_t count;
  const int32_t *inputs;
  size_t input_count;
  const int32_t *outputs;
  size_t output_count;
} ArEmbeddedGraph;

/* The value of a variable; `type` is -1 before the first assignment. */
typedef struct ArEmbeddedValue {
  int32_t type;
  uint32_t rank;
  size_t bytes;
  int32_t dims[8];
} ArEmbeddedValue;

/* A variable that nodes name. */
typedef struct ArEmbeddedResource {
  ArBytes name;
  uint8_t *data;
  size_t capacity;
  ArEmbeddedValue *value;
} ArEmbeddedResource;

/* What nodes see of a model with subgraphs or variables. A run makes at most AR_EMBEDDED_CALLS calls. */
typedef struct ArEmbeddedModel {
  const ArTensorV1 *tensors;
  size_t tensor_count;
  const ArEmbeddedGraph *graphs;
  size_t graph_count;
  const ArEmbeddedResource *resources;
  size_t resource_count;
  uint8_t *saved;
  size_t saved_bytes;
  uint32_t *calls;
} ArEmbeddedModel;

#define AR_EMBEDDED_CALLS 10000000u

/* Runs nodes in order until one fails. `states` identifies the layout of the nodes' states. If the library has others,
   because it is of another version, returns AR_STATUS_INTERNAL and runs nothing. */
ArStatus ar_embedded_run(const ArEmbeddedStep *steps, size_t count, uint32_t states);

/* Removes the values of all variables. */
void ar_embedded_forget(const ArEmbeddedModel *model);

/* The functions of the context: nothing is resized, cancelled or lent, except to nodes that call subgraphs or use
   variables. */
ArStatus ar_embedded_resize_output(void *context, uint32_t output, const int32_t *dims, uint32_t rank, uint64_t bytes);
uint8_t ar_embedded_is_cancelled(void *context);
const void *ar_embedded_query(void *context, uint64_t interface_id);
const void *ar_embedded_query_model(void *context, uint64_t interface_id);

#ifdef __cplusplus
}
#endif

/* The macros below are for generated files. */

#if defined(__GNUC__) || defined(__clang__)
#define AR_EMBEDDED_ALIGNED __attribute__((aligned(16)))
#define AR_EMBEDDED_UNUSED __attribute__((unused)) /* of a model whose nodes need no memory */
#else
#define AR_EMBEDDED_UNUSED
#define AR_EMBEDDED_ALIGNED _Alignas(16)
#endif

/* Fails to compile on a machine with other pointers. */
#define AR_EMBEDDED_FOR(pointer_bytes) typedef char ar_embedded_for_other_pointers[sizeof(void *) == (pointer_bytes) ? 1 : -1]

#define AR_EMBEDDED_KERNEL(name) ArStatus name(const ArEvalV1 *eval, const ArNodeV1 *node, void *state)

#define AR_EMBEDDED_TENSOR(type, the_rank, the_dims, the_data, the_bytes, the_scales, the_flags)                      \
  {.element_type = (type), .rank = (the_rank), .dims = (the_dims), .data = (the_data), .bytes = (the_bytes),          \
   .quantization = (the_scales), .flags = (the_flags)}

#define AR_EMBEDDED_SCALES(the_scales, count, zeros, zero_count, dimension, block)                                    \
  {.header = AR_HEADER(ArQuantizationV1), .scales = (const float *)(the_scales), .scale_count = (count),              \
   .zero_points = (const int64_t *)(zeros), .zero_point_count = (zero_count), .quantized_dimension = (dimension),                      \
   .block_size = (block)}

/* `list` has the inputs, then the outputs, then the intermediates. */
#define AR_EMBEDDED_NODE(code, the_version, place, the_tensors, count, list, ins, outs, between, options, bytes, known) \
  {.ports = (known), .node = {.header = AR_HEADER(ArNodeV1), .builtin_code = (code), .version = (the_version), .index = (place),                 \
   .tensors = (the_tensors), .tensor_stride = sizeof(ArTensorV1), .tensor_count = (count), .inputs = (list),          \
   .input_count = (ins), .outputs = (list) + (ins), .output_count = (outs), .intermediates = (list) + (ins) + (outs), \
   .intermediate_count = (between), .custom_options = {(options), (bytes)}}}

#define AR_EMBEDDED_CONTEXT(the_persistent, persistents, the_scratch, scratches)                                      \
  AR_EMBEDDED_CONTEXT_OF(NULL, ar_embedded_query, the_persistent, persistents, the_scratch, scratches)

/* Of a node that calls subgraphs or uses variables. */
#define AR_EMBEDDED_CALLER(model, the_persistent, persistents, the_scratch, scratches)                                \
  AR_EMBEDDED_CONTEXT_OF((void *)(model), ar_embedded_query_model, the_persistent, persistents, the_scratch, scratches)

#define AR_EMBEDDED_CONTEXT_OF(the_context, the_query, the_persistent, persistents, the_scratch, scratches)           \
  {.header = AR_HEADER(ArEvalV1), .context = (the_context), .threads = 1, .persistent = (the_persistent),             \
   .persistent_count = (persistents), .scratch = (the_scratch), .scratch_count = (scratches),                         \
   .resize_output = ar_embedded_resize_output, .is_cancelled = ar_embedded_is_cancelled, .query = (the_query)}

#endif
