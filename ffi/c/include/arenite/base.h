/*
 * arenite/base.h: what all headers share.
 */
#ifndef ARENITE_BASE_H
#define ARENITE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ARENITE_API
#if defined(_WIN32) && !defined(ARENITE_STATIC)
#define ARENITE_API __declspec(dllimport)
#elif defined(__GNUC__)
#define ARENITE_API __attribute__((visibility("default")))
#else
#define ARENITE_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version that this header belongs to. Within a major version, functions are added but never changed. */
#define ARENITE_VERSION_MAJOR 0
#define ARENITE_VERSION_MINOR 1
#define ARENITE_VERSION_PATCH 0

/* Called when memory or user data that the program gave is no longer needed: once, on any thread, and never while the library still
 * uses it. */
typedef void (*ArReleaseCallback)(void *user_data);

/* The version of the library that is in use, "0.1.0". Never null; lives as long as the program. */
ARENITE_API const char *ar_version(void);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_BASE_H */
