/*
 * arenite/tensor.h: handles of tensors: what they are, and their data.
 *
 * Ownership  a handle belongs to its interpreter and lives as long; so do its texts and arrays. Asking twice for the same tensor
 *            gives the same handle. It stays right after a resize: shape and data are asked for anew each time
 * Threads    those of its interpreter: one at a time
 * Errors     AR_ERROR_STATE before the interpreter is allocated; AR_ERROR_ARGUMENT for another size or type
 */
#ifndef ARENITE_TENSOR_H
#define ARENITE_TENSOR_H

#include <arenite/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor of an interpreter. */
typedef struct ArTensor ArTensor;

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

/* Bits of an element, 4 for INT4. 0 for a number that is none, and for types whose shape does not tell their size. */
ARENITE_API size_t ar_type_bits(uint32_t element_type);

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

/* The shape with -1 for dimensions that the caller may choose, and their number in *rank. Belongs to the tensor. Null if the model does
 * not say, or for a scalar. */
ARENITE_API const int32_t *ar_tensor_shape_signature(const ArTensor *tensor, size_t *rank);

/* Gives an input another shape. ar_interpreter_allocate, or that of its subgraph, must follow.
 *   dims  outermost first, each at least 0; may be null if rank is 0
 * Errors: AR_ERROR_ARGUMENT for a tensor that is no input, or a constant; for a shape that no tensor may have, or that needs more than
 * the quota. */
ARENITE_API ArError *ar_tensor_resize(ArTensor *tensor, const int32_t *dims, size_t rank);

/* Product of the dimensions. */
ARENITE_API size_t ar_tensor_element_count(const ArTensor *tensor);

/* Bytes of data. */
ARENITE_API size_t ar_tensor_byte_size(const ArTensor *tensor);

/* Whether its value is part of the model, or was computed once when memory was allocated. */
ARENITE_API bool ar_tensor_is_constant(const ArTensor *tensor);

/* Whether it keeps its value from one invocation to the next. */
ARENITE_API bool ar_tensor_is_variable(const ArTensor *tensor);

/* The subgraph that it belongs to, and its index there. */
ARENITE_API size_t ar_tensor_subgraph(const ArTensor *tensor);
ARENITE_API size_t ar_tensor_index(const ArTensor *tensor);

/* Scale and zero point of a tensor that is quantized with one pair; the first pair if there are more; 0 if none. */
ARENITE_API float ar_tensor_scale(const ArTensor *tensor);
ARENITE_API int64_t ar_tensor_zero_point(const ArTensor *tensor);

/* All scales and zero points. The arrays belong to the tensor. */
ARENITE_API ArError *ar_tensor_quantization(const ArTensor *tensor, ArQuantization *quantization);

/* The data, dense, in row-major order, to be read. It stays there until the interpreter is allocated, resized or freed;
 * outputs whose shape only the run tells move with each invocation. Null without error for a tensor of 0 bytes.
 * Errors: AR_ERROR_STATE before ar_interpreter_allocate; AR_ERROR_ARGUMENT for a tensor without memory. */
ARENITE_API ArError *ar_tensor_data(const ArTensor *tensor, const void **data);

/* The data of an input, or of what ar_interpreter_tensor_of gave, to be written, as ar_tensor_data.
 * Errors: also AR_ERROR_ARGUMENT for a tensor that was given to be read, is constant, or has strings. */
ARENITE_API ArError *ar_tensor_data_mut(ArTensor *tensor, void **data);

/* Fills an input from a buffer.
 *   size  bytes of the buffer: ar_tensor_byte_size
 * Errors: AR_ERROR_ARGUMENT for another size, with both; else as ar_tensor_data_mut. */
ARENITE_API ArError *ar_tensor_copy_from(ArTensor *tensor, const void *buffer, size_t size);

/* Copies the data to a buffer.
 *   size  bytes of the buffer: ar_tensor_byte_size
 * Errors: AR_ERROR_ARGUMENT for another size, with both; else as ar_tensor_data. */
ARENITE_API ArError *ar_tensor_copy_to(const ArTensor *tensor, void *buffer, size_t size);

/* Fills a tensor with real numbers, quantized if it is: round(value / scale) + zero_point, clamped to what the type can hold.
 *   count  ar_tensor_element_count
 * Errors: AR_ERROR_ARGUMENT for another count, or a type that holds no real numbers; else as ar_tensor_data_mut. */
ARENITE_API ArError *ar_tensor_quantize(ArTensor *tensor, const float *values, size_t count);

/* Reads a tensor as real numbers: scale * (q - zero_point) of one that is quantized.
 *   count  elements of `values`: ar_tensor_element_count
 * Errors: AR_ERROR_ARGUMENT for another count, or a type that holds no real numbers; else as ar_tensor_data. */
ARENITE_API ArError *ar_tensor_dequantize(const ArTensor *tensor, float *values, size_t count);

/* Memory that is lent begins at a multiple of this. */
#define AR_MEMORY_ALIGNMENT 64u

/* Puts an input, an output or a variable into memory of the program's: nodes read and write it there, and nothing else lies in it. It
 * does not count against the quota. Memory in the place of other lent memory is used at once; otherwise ar_interpreter_allocate must
 * follow, which places the rest anew and prepares nothing, and inputs must be filled then. What is in the memory is the tensor's
 * value: allocation does not reset a variable that lies in it.
 *   size     ar_tensor_byte_size, or more
 *   release  called exactly once: when it is taken back, other memory is lent in its place, or the interpreter is freed; before this
 *            returns if it fails, whatever the reason. May be null. Until then the program reads and writes the memory only while no
 *            function runs that uses the interpreter.
 * Errors: AR_ERROR_ARGUMENT for alignment or size, with both values; for a tensor that is none of these, a constant, or of strings;
 * for memory that overlaps other lent memory, or the interpreter's own (what ar_tensor_data gave): lend memory that you allocated. */
ARENITE_API ArError *ar_tensor_lend(const ArTensor *tensor, void *memory, size_t size, ArReleaseCallback release,
                                    void *user_data);

/* Ends a loan. Unless the shape is dynamic, ar_interpreter_allocate must follow. Without a loan it does nothing. */
ARENITE_API ArError *ar_tensor_take_back(const ArTensor *tensor);

/* Fills an input of strings.
 *   strings  copied
 *   count    ar_tensor_element_count
 * Errors: AR_ERROR_ARGUMENT for another count or type, or more than 2 GiB. */
ARENITE_API ArError *ar_tensor_set_strings(ArTensor *tensor, const ArString *strings, size_t count);

/* Writes where the strings of a tensor lie. They belong to the tensor and stay as long as ar_tensor_data says.
 *   count  elements of `strings`: ar_tensor_element_count
 * Errors: AR_ERROR_ARGUMENT for another count or type; else as ar_tensor_data. */
ARENITE_API ArError *ar_tensor_strings(const ArTensor *tensor, ArString *strings, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_TENSOR_H */
