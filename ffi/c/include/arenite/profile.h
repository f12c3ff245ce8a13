/*
 * arenite/profile.h: measures the time of each node.
 *
 * Ownership  the caller owns a profile and frees it once; it does not change, and its texts belong to it
 * Threads    create a profile on the interpreter's thread; it may be used on several threads at the same time
 * Errors     AR_ERROR_STATE before ar_interpreter_start_profile, and for a subgraph that has not run since
 */
#ifndef ARENITE_PROFILE_H
#define ARENITE_PROFILE_H

#include <arenite/interpreter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A copy of the times of the nodes of a subgraph. */
typedef struct ArProfile ArProfile;

/* A node, a delegate's partition, or a step of a delegate. */
typedef struct ArProfileRow {
  const char *op;     /* the op's name; "delegate NAME" for a partition */
  const char *output; /* name of its first output */
  uint64_t runs;      /* 0 for a node whose result is constant */
  uint64_t total_ns;  /* all runs together */
  uint64_t min_ns;    /* the shortest run */
  size_t parts;       /* the number of rows that follow with steps of this partition */
} ArProfileRow;

/* Starts to measure the time of each node. Earlier results are lost. */
ARENITE_API ArError *ar_interpreter_start_profile(ArInterpreter *interpreter);

/* The times of a subgraph's nodes since ar_interpreter_start_profile. */
ARENITE_API ArError *ar_interpreter_profile(const ArInterpreter *interpreter, size_t subgraph, ArProfile **profile);

/* The number of rows, which are in the order in which nodes run. */
ARENITE_API size_t ar_profile_row_count(const ArProfile *profile);

/* A row. Errors: AR_ERROR_ARGUMENT if the index is out of range. */
ARENITE_API ArError *ar_profile_row(const ArProfile *profile, size_t index, ArProfileRow *row);

/* Frees a profile. Does nothing for null. */
ARENITE_API void ar_profile_free(ArProfile *profile);

/* The nodes that have run, as JSON: the `ops` of the output of `arenite bench --profile --json`. The text belongs to
 * the interpreter and is valid until the next report. Errors: also AR_ERROR_UNSUPPORTED in a library without the
 * feature `report`. */
ARENITE_API ArError *ar_interpreter_profile_json(ArInterpreter *interpreter, size_t subgraph, const char **json);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_PROFILE_H */
