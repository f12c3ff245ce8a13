/*
 * arenite/tensor.h: tensor handles, with the properties and data of tensors.
 *
 * Ownership  a handle, its texts and its arrays belong to its interpreter. Asking twice for the same tensor returns the
 *            same handle. It stays valid after a resize, since shape and data are read from the interpreter on each
 *            call
 * Threads    one thread at a time may use an interpreter and its tensors
 * Errors     AR_ERROR_STATE before the interpreter is allocated; AR_ERROR_ARGUMENT for a wrong size or type
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

/* The schema's name of an element type, for example "FLOAT32". Null for a number that is not a type. Valid as long
 * as the program runs. */
ARENITE_API const char *ar_type_name(uint32_t element_type);

/* The number of bits of an element, for example 4 for INT4. 0 for a number that is not a type, and for types without
 * a fixed size. */
ARENITE_API size_t ar_type_bits(uint32_t element_type);

/* How integers represent real numbers: real = scale * (q - zero_point). */
typedef struct ArQuantization {
  const float *scales;        /* `count` scales; null if the tensor is not quantized */
  const int64_t *zero_points; /* `count` zero points */
  size_t count;               /* 0: not quantized; 1: one pair for all; otherwise one pair per slice of `dimension` */
  int32_t dimension;
} ArQuantization;

/* An element of a string tensor: any bytes, not null-terminated. */
typedef struct ArString {
  const char *data; /* may be null if length is 0 */
  size_t length;
} ArString;

/* The tensor's name in the model. Null only for null. */
ARENITE_API const char *ar_tensor_name(const ArTensor *tensor);

/* The element type, AR_TYPE_*. */
ARENITE_API uint32_t ar_tensor_type(const ArTensor *tensor);

/* The number of dimensions; 0 for a scalar. This function and all others that depend on the shape return its current
 * state: a resize has an effect after ar_interpreter_allocate, and some outputs change with each invocation. */
ARENITE_API size_t ar_tensor_rank(const ArTensor *tensor);

/* A dimension, the outermost first. -1 if the axis is out of range. */
ARENITE_API int32_t ar_tensor_dim(const ArTensor *tensor, size_t axis);

/* The shape with -1 for dimensions that may change; *rank is set to the number of dimensions. The array belongs to
 * the tensor. Null for a scalar, and if the model does not contain it. */
ARENITE_API const int32_t *ar_tensor_shape_signature(const ArTensor *tensor, size_t *rank);

/* Changes the shape of an input. Call ar_interpreter_allocate afterwards, or the function that allocates its
 * subgraph.
 *   dims  outermost first, each at least 0; may be null if rank is 0
 * Errors: AR_ERROR_ARGUMENT if the tensor is not an input or is constant, and if the shape is not valid or needs
 * more memory than the quota. */
ARENITE_API ArError *ar_tensor_resize(ArTensor *tensor, const int32_t *dims, size_t rank);

/* The number of elements: the product of the dimensions. */
ARENITE_API size_t ar_tensor_element_count(const ArTensor *tensor);

/* The size of the data in bytes. */
ARENITE_API size_t ar_tensor_byte_size(const ArTensor *tensor);

/* Whether the tensor's value is part of the model, or was computed once during allocation. */
ARENITE_API bool ar_tensor_is_constant(const ArTensor *tensor);

/* Whether the tensor keeps its value from one invocation to the next. */
ARENITE_API bool ar_tensor_is_variable(const ArTensor *tensor);

/* The index of the tensor's subgraph, and the tensor's index in it. */
ARENITE_API size_t ar_tensor_subgraph(const ArTensor *tensor);
ARENITE_API size_t ar_tensor_index(const ArTensor *tensor);

/* The first scale and zero point; 0 if the tensor is not quantized. Most quantized tensors have only one pair. */
ARENITE_API float ar_tensor_scale(const ArTensor *tensor);
ARENITE_API int64_t ar_tensor_zero_point(const ArTensor *tensor);

/* All scales and zero points. The arrays belong to the tensor. */
ARENITE_API ArError *ar_tensor_quantization(const ArTensor *tensor, ArQuantization *quantization);

/* The address of the data, for reading: dense, in row-major order. It is valid until the interpreter is allocated,
 * resized or freed; an output whose shape is known only after a run moves with each invocation. Null without an
 * error for a tensor of 0 bytes.
 * Errors: AR_ERROR_STATE before ar_interpreter_allocate; AR_ERROR_ARGUMENT for a tensor without memory. */
ARENITE_API ArError *ar_tensor_data(const ArTensor *tensor, const void **data);

/* The address of the data, for writing: of an input, or of a tensor from ar_interpreter_tensor_of. Otherwise as
 * ar_tensor_data.
 * Errors: also AR_ERROR_ARGUMENT for a read-only handle, a constant, and a string tensor. */
ARENITE_API ArError *ar_tensor_data_mut(ArTensor *tensor, void **data);

/* Copies data into an input.
 *   size  size of the buffer in bytes: ar_tensor_byte_size
 * Errors: AR_ERROR_ARGUMENT for a wrong size, with both sizes; otherwise as ar_tensor_data_mut. */
ARENITE_API ArError *ar_tensor_copy_from(ArTensor *tensor, const void *buffer, size_t size);

/* Copies the data to a buffer.
 *   size  size of the buffer in bytes: ar_tensor_byte_size
 * Errors: AR_ERROR_ARGUMENT for a wrong size, with both sizes; otherwise as ar_tensor_data. */
ARENITE_API ArError *ar_tensor_copy_to(const ArTensor *tensor, void *buffer, size_t size);

/* Writes real numbers into a tensor. If it is quantized, they are converted with round(value / scale) + zero_point
 * and clamped to the range of the type.
 *   count  number of values: ar_tensor_element_count
 * Errors: AR_ERROR_ARGUMENT for a wrong count, or a type that cannot be converted; otherwise as ar_tensor_data_mut. */
ARENITE_API ArError *ar_tensor_quantize(ArTensor *tensor, const float *values, size_t count);

/* Reads a tensor as real numbers. If it is quantized, they are scale * (q - zero_point).
 *   count  number of elements of `values`: ar_tensor_element_count
 * Errors: AR_ERROR_ARGUMENT for a wrong count, or a type that cannot be converted; otherwise as ar_tensor_data. */
ARENITE_API ArError *ar_tensor_dequantize(const ArTensor *tensor, float *values, size_t count);

/* The required alignment of memory for ar_tensor_lend, in bytes. */
#define AR_MEMORY_ALIGNMENT 64u

/* Places an input, an output or a variable in memory of the program: nodes read and write it there, and no other
 * tensor uses it. The memory does not count against the quota. Memory that replaces an earlier loan is used
 * immediately. Otherwise ar_interpreter_allocate must follow, which only places the other tensors again, and inputs
 * must be filled again. The contents of the memory are the tensor's value: allocation does not reset a variable
 * there.
 *   size     ar_tensor_byte_size, or more
 *   release  called exactly once: when the memory is taken back or replaced, when the interpreter is freed or, if this
 *            function fails, before it returns. May be null. Until then the program may access the memory only while no
 *            function uses the interpreter
 * Errors: AR_ERROR_ARGUMENT for a wrong alignment or size, with both values; for a tensor that is not an input,
 * output or variable, is constant, or has strings; for memory that overlaps other lent memory or the interpreter's
 * own (from ar_tensor_data): lend memory that you allocated. */
ARENITE_API ArError *ar_tensor_lend(const ArTensor *tensor, void *memory, size_t size, ArReleaseCallback release,
                                    void *user_data);

/* Ends a loan. Call ar_interpreter_allocate afterwards, unless the shape is dynamic. Does nothing without a loan. */
ARENITE_API ArError *ar_tensor_take_back(const ArTensor *tensor);

/* Memory of the program on a delegate's device: for "opencl" a cl_mem of the context that ar_interpreter_device_object
 * names, for "vulkan" a VkBuffer of its device with the usages TRANSFER_SRC and TRANSFER_DST. It contains the tensor's
 * elements in their order, without padding, in the tensor's type. */
typedef struct ArDeviceMemory {
  const char *delegate;
  uint64_t object; /* the object's pointer or number */
  uint64_t offset; /* where the tensor begins in it, in bytes; a multiple of 4 */
  uint64_t size;   /* bytes from there: ar_tensor_byte_size, or more */
} ArDeviceMemory;

/* Binds memory of the program on a device to an input or an output, until ar_tensor_unbind_device_memory or the next
 * binding; ar_interpreter_allocate comes first. Invocations read the input from it, or write the output to it, and
 * ar_tensor_data is AR_ERROR_STATE or AR_ERROR_ARGUMENT. The delegate copies a FLOAT32 tensor on the device; for other
 * types, other delegates and nodes on the host the value is copied through the host. Interpreters can bind the same
 * memory, one as an output and the next as an input.
 *   memory  copied. The object lives until it is unbound or the interpreter is freed. When an invocation starts, the
 *           program's own commands on it must have completed; when it returns, the delegate's have
 * Errors: AR_ERROR_STATE before allocation, or without this delegate; AR_ERROR_UNSUPPORTED for a delegate without
 * device memory; AR_ERROR_ARGUMENT for a tensor of another kind, or too few bytes, with both sizes;
 * AR_ERROR_FAILED for an object of another context. */
ARENITE_API ArError *ar_tensor_bind_device_memory(const ArTensor *tensor, const ArDeviceMemory *memory);

/* Ends a binding. Does nothing without one. */
ARENITE_API ArError *ar_tensor_unbind_device_memory(const ArTensor *tensor);

/* Copies strings into an input.
 *   strings  copied
 *   count    number of strings: ar_tensor_element_count
 * Errors: AR_ERROR_ARGUMENT for a wrong count or type, or for more than 2 GiB. */
ARENITE_API ArError *ar_tensor_set_strings(ArTensor *tensor, const ArString *strings, size_t count);

/* Writes the addresses and lengths of a tensor's strings. They belong to the tensor and are valid as long as a
 * pointer from ar_tensor_data.
 *   count  number of elements of `strings`: ar_tensor_element_count
 * Errors: AR_ERROR_ARGUMENT for a wrong count or type; otherwise as ar_tensor_data. */
ARENITE_API ArError *ar_tensor_strings(const ArTensor *tensor, ArString *strings, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_TENSOR_H */
