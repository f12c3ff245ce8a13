/*
 * arenite_testing.h: runs a single op on given tensors, as the runtime does. For tests of ops that are written in C.
 * Link libarenite_testing, and not libarenite: errors are reported to the host that was set last.
 *
 *   const float x[2] = {1, -2}, y[2] = {1, -8};
 *   const int32_t dims[1] = {2};
 *   ArTestTensor in = {x, sizeof x, dims, 1, 0, 0, AR_TYPE_FLOAT32};
 *   ArTestTensor out = {y, sizeof y, dims, 1, 0, 0, AR_TYPE_FLOAT32};
 *   ArOpTest *test = ar_op_test_new(ar_op_test_op(arenite_plugin_v1, 0), NULL);
 *   const char *wrong = ar_op_test_input(test, &in);
 *   if (!wrong) wrong = ar_op_test_output(test, &out);
 *   if (!wrong) wrong = ar_op_test_run(test);
 *   if (!wrong) wrong = ar_op_test_expect(test, 0, &out, 1e-6f);
 *   if (wrong) puts(wrong);
 *   ar_op_test_free(test);
 *
 * Ownership  the caller owns a test and frees it once; texts and results belong to the test and are valid until its
 *            next call. Arguments are copied, except user data
 * Threads    one thread at a time may use a test
 * Errors     a text that describes the error, or null; a null argument is an error
 */
#ifndef ARENITE_TESTING_H
#define ARENITE_TESTING_H

#include <arenite_plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARENITE_API
#if defined(__GNUC__)
#define ARENITE_API __attribute__((visibility("default")))
#else
#define ARENITE_API
#endif
#endif

/* A test of one node: describe its inputs and outputs in order, then run it. */
typedef struct ArOpTest ArOpTest;

/* A tensor: little-endian, dense, outermost dimension first. */
typedef struct ArTestTensor {
  const void *data;
  size_t bytes;
  const int32_t *dims;
  size_t rank;
  int64_t zero_point;
  float scale;           /* 0: not quantized */
  uint32_t element_type; /* AR_TYPE_* */
} ArTestTensor;

/* The table of functions with which an op reports errors in a test. Never null. */
ARENITE_API const ArHostV1 *ar_op_test_host(void);

/* An op of a plugin, from the plugin's entry function. Null if the index is out of range or the plugin does not
 * support this version. */
ARENITE_API const ArOpV1 *ar_op_test_op(ArEntryV1 entry, size_t index);

/* Creates a test of a node with the lowest version that the op supports.
 *   user_data  for an op with AR_OP_USER_DATA, otherwise null. The caller frees it after the test
 * Null if the op is not valid: if its state has no space for user data, or if user data is passed without the flag. */
ARENITE_API ArOpTest *ar_op_test_new(const ArOpV1 *op, void *user_data);

/* Frees a test. Does nothing for null. */
ARENITE_API void ar_op_test_free(ArOpTest *test);

/* Adds an input: with data that is available in `eval`; with data that is available in `prepare` too; a variable,
 * which `eval` may write; an absent input. */
ARENITE_API const char *ar_op_test_input(ArOpTest *test, const ArTestTensor *tensor);
ARENITE_API const char *ar_op_test_constant(ArOpTest *test, const ArTestTensor *tensor);
ARENITE_API const char *ar_op_test_variable(ArOpTest *test, const ArTestTensor *tensor);
ARENITE_API const char *ar_op_test_absent(ArOpTest *test);

/* Adds an output: type, quantization, and its shape in the model file. The data is ignored. */
ARENITE_API const char *ar_op_test_output(ArOpTest *test, const ArTestTensor *tensor);

/* Sets the op version that the model uses. */
ARENITE_API const char *ar_op_test_version(ArOpTest *test, int32_t version);

/* Makes the test fail unless the op permits an output to share the memory of an input. */
ARENITE_API const char *ar_op_test_in_place(ArOpTest *test);

/* Sets the bytes that a converter attaches to a custom op. */
ARENITE_API const char *ar_op_test_custom_options(ArOpTest *test, const void *data, size_t size);

/* Sets a field of a builtin op's options: the tag of its table in the schema's first union, the field's slot, and
 * its bytes. */
ARENITE_API const char *ar_op_test_option(ArOpTest *test, uint32_t tag, size_t slot, const void *value, size_t size);

/* Prepares the node once and evaluates it at least twice: with two different contents of uninitialized memory, and
 * with outputs and inputs in the same memory in each way that the op permits. Errors of the op are returned as they
 * are. The test also fails if results differ (an element was not written, or uninitialized memory was read), and if
 * any byte outside a buffer, or of an input or table, was changed. */
ARENITE_API const char *ar_op_test_run(ArOpTest *test);

/* The number of outputs of the last run, and one of them. Its arrays belong to the test and are valid until the next
 * run. */
ARENITE_API size_t ar_op_test_output_count(const ArOpTest *test);
ARENITE_API const char *ar_op_test_result(ArOpTest *test, size_t index, ArTestTensor *tensor);

/* Compares type, shape and data with an output of the last run. Floats may differ by `tolerance`. */
ARENITE_API const char *ar_op_test_expect(ArOpTest *test, size_t index, const ArTestTensor *expected, float tolerance);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_TESTING_H */
