/*
 * arenite/base.h: declarations that all other headers use.
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

/* The version of this header. Within a major version, functions are added but never changed. */
#define ARENITE_VERSION_MAJOR 0
#define ARENITE_VERSION_MINOR 1
#define ARENITE_VERSION_PATCH 0

/* Called once, on any thread, when the library no longer uses memory or user data that the program passed to it. */
typedef void (*ArReleaseCallback)(void *user_data);

/* The version of the library in use, for example "0.1.0". Never null; valid as long as the program runs. */
ARENITE_API const char *ar_version(void);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_BASE_H */
