/*
 * arenite/log.h: the log of the library, for the whole process.
 *
 * Ownership  the library keeps the callback and its pointer until others are set
 * Threads    the callback may be set on any thread; it is called on any thread, and on several at the same time
 * Errors     for an unknown level, and for a call from inside the callback
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

/* Receives a line of the log. Called on any thread, and on several at the same time. `target` is the module that
 * logs. Both texts are valid until the callback returns. Lines that the callback itself causes are dropped. */
typedef void (*ArLogCallback)(ArLogLevel level, const char *target, const char *message, void *user_data);

/* Sends the log of the whole process to a callback, which replaces the previous one; null disables the log, which is
 * the default. When this function returns, the previous callback is not running and will not be called again.
 *   max_level  AR_LOG_*: the least severe lines to pass to the callback
 * Errors: AR_ERROR_ARGUMENT for an unknown level; AR_ERROR_STATE for a call from inside the callback. */
ARENITE_API ArError *ar_set_log_callback(ArLogCallback callback, void *user_data, ArLogLevel max_level);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_LOG_H */
