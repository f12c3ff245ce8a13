/*
 * arenite/log.h: what the library says while it works, for the whole process.
 *
 * Ownership  the library keeps the function and its pointer until others are set
 * Threads    set it from any thread; it is called on any thread, on several at once
 * Errors     a level that does not exist; a call from inside the function
 */
#ifndef ARENITE_LOG_H
#define ARENITE_LOG_H

#include <arenite/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t ArLogLevel;
#define AR_LOG_OFF 0u
#define AR_LOG_ERROR 1u
#define AR_LOG_WARN 2u
#define AR_LOG_INFO 3u
#define AR_LOG_DEBUG 4u
#define AR_LOG_TRACE 5u

/* Gets a line of the log. Called on any thread, on several at once. `target` is the part of the library that speaks;
 * both texts live until it returns. What it makes the library say itself is dropped. */
typedef void (*ArLogCallback)(ArLogLevel level, const char *target, const char *message, void *user_data);

/* Sends the log of the whole process to a function, in place of the one that was set before; null: to none, which is
 * how a program begins. When this returns, the old function is not running and is not called again.
 *   max_level  AR_LOG_*: the least severe lines to pass on
 * Errors: a level that does not exist; a call from inside the callback (AR_ERROR_STATE). */
ARENITE_API ArError *ar_set_log_callback(ArLogCallback callback, void *user_data, ArLogLevel max_level);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_LOG_H */
