/*
 * arenite/error.h: what a call that fails gives back.
 *
 * Ownership  the caller owns an error and frees it once; its text belongs to it
 * Threads    an error may go to another thread; it is used by one at a time
 * Errors     none of these functions fails; null is the error that there is not
 */
#ifndef ARENITE_ERROR_H
#define ARENITE_ERROR_H

#include <arenite/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An error: a code for programs and a text for people. */
typedef struct ArError ArError;

typedef uint32_t ArErrorCode;
#define AR_ERROR_NONE 0u        /* no error */
#define AR_ERROR_ARGUMENT 1u    /* an argument is null, no UTF-8, out of range, or of another size or type */
#define AR_ERROR_IO 2u          /* a file cannot be opened or read */
#define AR_ERROR_MODEL 3u       /* the model is refused */
#define AR_ERROR_CONFIG 4u      /* the configuration is refused */
#define AR_ERROR_PLUGIN 5u      /* a plugin cannot be loaded */
#define AR_ERROR_NOT_FOUND 6u   /* there is no planner, delegate, signature, input or output of this name */
#define AR_ERROR_UNSUPPORTED 7u /* no plugin serves an op of the model, or none in this form */
#define AR_ERROR_STATE 8u       /* the call does not fit the state; the text says which call is missing */
#define AR_ERROR_MEMORY 9u      /* the quota of bytes, or the system's memory, is exhausted */
#define AR_ERROR_CANCELLED 10u  /* the invocation was cancelled */
#define AR_ERROR_FAILED 11u     /* an op, a planner or a delegate failed, or refused the model */
#define AR_ERROR_PANICKED 12u   /* the library or a plugin broke down: a defect to report */
#define AR_ERROR_UNAVAILABLE 13u /* what a delegate works with is not there: no device, a device lost, its memory gone */
#define AR_ERROR_QUOTA 14u      /* a limit on time, nodes or nesting is exceeded; the text names it with its value */

/* The error's code. AR_ERROR_NONE for null. */
ARENITE_API ArErrorCode ar_error_code(const ArError *error);

/* The error's text, for people; it may have several lines. Belongs to the error. Empty for null, never null. */
ARENITE_API const char *ar_error_message(const ArError *error);

/* Frees an error. */
ARENITE_API void ar_error_free(ArError *error);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_ERROR_H */
