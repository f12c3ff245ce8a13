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

/* A node: the function that runs it, and what this function takes. */
typedef struct ArEmbeddedStep {
  ArStatus (*eval)(const ArEvalV1 *eval, const ArNodeV1 *node, void *state);
  const ArEvalV1 *context;
  const ArNodeV1 *node;
  const void *state;
} ArEmbeddedStep;

/* Runs nodes in order until one fails. `states` identifies the layout of the nodes' states. If the library has others,
   because it is of another version, returns AR_STATUS_INTERNAL and runs nothing. */
ArStatus ar_embedded_run(const ArEmbeddedStep *steps, size_t count, uint32_t states);

/* The functions of the context: nothing is resized, cancelled or lent. */
ArStatus ar_embedded_resize_output(void *context, uint32_t output, const int32_t *dims, uint32_t rank, uint64_t bytes);
uint8_t ar_embedded_is_cancelled(void *context);
const void *ar_embedded_query(void *context, uint64_t interface_id);

#ifdef __cplusplus
}
#endif

/* The macros below are for generated files. */

#if defined(__GNUC__) || defined(__clang__)
#define AR_EMBEDDED_ALIGNED __attribute__((aligned(16)))
#else
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

/* `ports` has the inputs, then the outputs, then the intermediates. */
#define AR_EMBEDDED_NODE(code, the_version, place, the_tensors, count, ports, ins, outs, between, options, bytes)     \
  {.header = AR_HEADER(ArNodeV1), .builtin_code = (code), .version = (the_version), .index = (place),                 \
   .tensors = (the_tensors), .tensor_stride = sizeof(ArTensorV1), .tensor_count = (count), .inputs = (ports),         \
   .input_count = (ins), .outputs = (ports) + (ins), .output_count = (outs), .intermediates = (ports) + (ins) + (outs), \
   .intermediate_count = (between), .custom_options = {(options), (bytes)}}

#define AR_EMBEDDED_CONTEXT(the_persistent, persistents, the_scratch, scratches)                                      \
  {.header = AR_HEADER(ArEvalV1), .threads = 1, .persistent = (the_persistent), .persistent_count = (persistents),    \
   .scratch = (the_scratch), .scratch_count = (scratches), .resize_output = ar_embedded_resize_output,                \
   .is_cancelled = ar_embedded_is_cancelled, .query = ar_embedded_query}

#endif
