/*
 * arenite_testing.h: runs one op alone, on given tensors, in the way of the host. For the tests of ops that are written in C; link
 * libarenite_testing, and not libarenite: errors go to the host that was set last.
 *
 *   const float x[2] = {1, -2}, y[2] = {1, -8};
 *   const int32_t dims[1] = {2};
 *   ArTestTensor in = {x, sizeof x, dims, 1, 0, 0, AR_TYPE_FLOAT32}, out = {y, sizeof y, dims, 1, 0, 0, AR_TYPE_FLOAT32};
 *   ArOpTest *test = ar_op_test_new(ar_op_test_op(arenite_plugin_v1, 0), NULL);
 *   const char *wrong = ar_op_test_input(test, &in);
 *   if (!wrong) wrong = ar_op_test_output(test, &out);
 *   if (!wrong) wrong = ar_op_test_run(test);
 *   if (!wrong) wrong = ar_op_test_expect(test, 0, &out, 1e-6f);
 *   if (wrong) puts(wrong);
 *   ar_op_test_free(test);
 *
 * Ownership  the caller owns a test and frees it once; texts and results belong to it, and live until its next call. What is passed in is
 *            copied, but for user data
 * Threads    a test is used by one thread at a time
 * Errors     a text that says what is wrong, or null; a null argument is an error
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

/* One node of an op: its inputs and outputs in order, then run. */
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

/* What the functions of an op tell errors with in a test. Never null. */
ARENITE_API const ArHostV1 *ar_op_test_host(void);

/* An op of a plugin, as its entry offers it to the test's host. Null if there are fewer, or if the plugin refuses. */
ARENITE_API const ArOpV1 *ar_op_test_op(ArEntryV1 entry, size_t index);

/* A node of an op, of the lowest version that the op serves.
 *   user_data  of an op with AR_OP_USER_DATA; else null. The caller frees it, after the test
 * Null for an op that cannot be: without room for its user data, or with user data and without the flag. */
ARENITE_API ArOpTest *ar_op_test_new(const ArOpV1 *op, void *user_data);

/* Frees a test. */
ARENITE_API void ar_op_test_free(ArOpTest *test);

/* The next input: its data is known in `eval`; in `prepare` already; is a variable, which `eval` may write; or it is left out. */
ARENITE_API const char *ar_op_test_input(ArOpTest *test, const ArTestTensor *tensor);
ARENITE_API const char *ar_op_test_constant(ArOpTest *test, const ArTestTensor *tensor);
ARENITE_API const char *ar_op_test_variable(ArOpTest *test, const ArTestTensor *tensor);
ARENITE_API const char *ar_op_test_absent(ArOpTest *test);

/* The next output: type, quantization, and the shape that the model file gives it. Its data is not looked at. */
ARENITE_API const char *ar_op_test_output(ArOpTest *test, const ArTestTensor *tensor);

/* The version that the model asks for. */
ARENITE_API const char *ar_op_test_version(ArOpTest *test, int32_t version);

/* Demands that the op let an output share the memory of an input. */
ARENITE_API const char *ar_op_test_in_place(ArOpTest *test);

/* The bytes that a converter attaches to a custom op. */
ARENITE_API const char *ar_op_test_custom_options(ArOpTest *test, const void *data, size_t size);

/* A field of a builtin op's options: the tag of its table in the schema's first union, the field's slot, its bytes. */
ARENITE_API const char *ar_op_test_option(ArOpTest *test, uint32_t tag, size_t slot, const void *value, size_t size);

/* Prepares the node once and evaluates it two times or more: with two fillings of memory whose contents are undefined, and with outputs
 * and inputs over one another in each way that the op allowed. What the op refuses is told in its words. Also wrong: results that differ
 * (an element that is not written, memory that is read before), and any byte outside of a buffer, an input or a table that was changed. */
ARENITE_API const char *ar_op_test_run(ArOpTest *test);

/* Number of outputs of the last run, and one of them. Its arrays belong to the test until the next run. */
ARENITE_API size_t ar_op_test_output_count(const ArOpTest *test);
ARENITE_API const char *ar_op_test_result(ArOpTest *test, size_t index, ArTestTensor *tensor);

/* Compares an output of the last run: type, shape, data. Floats may be off by `tolerance`. */
ARENITE_API const char *ar_op_test_expect(ArOpTest *test, size_t index, const ArTestTensor *expected, float tolerance);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_TESTING_H */
