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

/* Product of the dimensions. */
ARENITE_API size_t ar_tensor_element_count(const ArTensor *tensor);

/* Bytes of data. */
ARENITE_API size_t ar_tensor_byte_size(const ArTensor *tensor);

/* Whether its value is part of the model, or was computed once when memory was allocated. */
ARENITE_API bool ar_tensor_is_constant(const ArTensor *tensor);

/* Scale and zero point of a tensor that is quantized with one pair; the first pair if there are more; 0 if none. */
ARENITE_API float ar_tensor_scale(const ArTensor *tensor);
ARENITE_API int64_t ar_tensor_zero_point(const ArTensor *tensor);

/* All scales and zero points. The arrays belong to the tensor. */
ARENITE_API ArError *ar_tensor_quantization(const ArTensor *tensor, ArQuantization *quantization);

/* The data, dense, in row-major order, to be read. It stays there until the interpreter is allocated, resized or freed;
 * outputs whose shape only the run tells move with each invocation. Null without error for a tensor of 0 bytes.
 * Errors: AR_ERROR_STATE before ar_interpreter_allocate; AR_ERROR_ARGUMENT for a tensor without memory. */
ARENITE_API ArError *ar_tensor_data(const ArTensor *tensor, const void **data);

/* The data of an input, to be written, as ar_tensor_data.
 * Errors: also AR_ERROR_ARGUMENT for a tensor that is no input, is constant, or has strings. */
ARENITE_API ArError *ar_tensor_data_mut(ArTensor *tensor, void **data);

/* Fills an input from a buffer.
 *   size  bytes of the buffer: ar_tensor_byte_size
 * Errors: AR_ERROR_ARGUMENT for another size, with both; else as ar_tensor_data_mut. */
ARENITE_API ArError *ar_tensor_copy_from(ArTensor *tensor, const void *buffer, size_t size);

/* Copies the data to a buffer.
 *   size  bytes of the buffer: ar_tensor_byte_size
 * Errors: AR_ERROR_ARGUMENT for another size, with both; else as ar_tensor_data. */
ARENITE_API ArError *ar_tensor_copy_to(const ArTensor *tensor, void *buffer, size_t size);

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
