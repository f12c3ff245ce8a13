/*
 * arenite/error.h: errors that functions return.
 *
 * Ownership  the caller owns an error and frees it once; the message belongs to the error
 * Threads    an error may be passed to another thread; only one thread may use it at a time
 * Errors     these functions never fail; null means no error
 */
#ifndef ARENITE_ERROR_H
#define ARENITE_ERROR_H

#include <arenite/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An error: a code for programs and a message for people. */
typedef struct ArError ArError;

typedef uint32_t ArErrorCode;
#define AR_ERROR_NONE 0u        /* no error */
#define AR_ERROR_ARGUMENT 1u    /* an argument is null, not UTF-8, out of range, or has the wrong size or type */
#define AR_ERROR_IO 2u          /* a file cannot be opened or read */
#define AR_ERROR_MODEL 3u       /* the model is not valid or not supported */
#define AR_ERROR_CONFIG 4u      /* the configuration is not valid */
#define AR_ERROR_PLUGIN 5u      /* a plugin cannot be loaded */
#define AR_ERROR_NOT_FOUND 6u   /* no planner, delegate, signature, input or output has this name */
#define AR_ERROR_UNSUPPORTED 7u /* no plugin implements an op of the model, or none supports it in this form */
#define AR_ERROR_STATE 8u       /* the function cannot be called now; the message names the call that is missing */
#define AR_ERROR_MEMORY 9u      /* the memory quota or the system's memory is exhausted */
#define AR_ERROR_CANCELLED 10u  /* the invocation was cancelled */
#define AR_ERROR_FAILED 11u     /* an op, a planner or a delegate failed, or does not support the model */
#define AR_ERROR_PANICKED 12u   /* the library or a plugin panicked: please report the bug */
#define AR_ERROR_UNAVAILABLE 13u /* a device of a delegate does not exist, was lost, or lost its memory */
#define AR_ERROR_QUOTA 14u      /* a limit on time, nodes or nesting is exceeded; the message names it and its value */

/* The error's code; AR_ERROR_NONE for null. */
ARENITE_API ArErrorCode ar_error_code(const ArError *error);

/* The error's message, which may have several lines. It belongs to the error. Empty for null, never null. */
ARENITE_API const char *ar_error_message(const ArError *error);

/* Frees an error. Does nothing for null. */
ARENITE_API void ar_error_free(ArError *error);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_ERROR_H */
