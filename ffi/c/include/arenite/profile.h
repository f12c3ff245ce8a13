/*
 * arenite/profile.h: time per node.
 *
 * Ownership  the caller owns a profile and frees it once; it does not change, and its texts belong to it
 * Threads    asking for one is for the interpreter's thread; a profile may be used from several threads at once
 * Errors     AR_ERROR_STATE before ar_interpreter_start_profile, and for a subgraph that did not run since
 */
#ifndef ARENITE_PROFILE_H
#define ARENITE_PROFILE_H

#include <arenite/interpreter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Time per node, as it was when it was asked for. */
typedef struct ArProfile ArProfile;

/* A node, a delegate's partition, or a step of a delegate. */
typedef struct ArProfileRow {
  const char *op;     /* the op's name; "delegate NAME" for a partition */
  const char *output; /* name of its first output */
  uint64_t runs;      /* 0 for a node whose result is constant */
  uint64_t total_ns;  /* all runs together */
  uint64_t min_ns;    /* the shortest run */
  size_t parts;       /* so many of the next rows are the steps of this partition */
} ArProfileRow;

/* Starts to collect time per node; earlier results are lost. */
ARENITE_API ArError *ar_interpreter_start_profile(ArInterpreter *interpreter);

/* The time per node of a subgraph since then. */
ARENITE_API ArError *ar_interpreter_profile(const ArInterpreter *interpreter, size_t subgraph, ArProfile **profile);

/* Number of rows, in the order in which nodes run. */
ARENITE_API size_t ar_profile_row_count(const ArProfile *profile);

/* A row. Errors: AR_ERROR_ARGUMENT if there are fewer. */
ARENITE_API ArError *ar_profile_row(const ArProfile *profile, size_t index, ArProfileRow *row);

/* Frees a profile. */
ARENITE_API void ar_profile_free(ArProfile *profile);

/* The nodes that ran as JSON: `ops` of what `arenite bench --profile --json` prints. Belongs to the interpreter, and stays until another
 * report is asked for. Errors: also AR_ERROR_UNSUPPORTED in a library without the feature `report`. */
ARENITE_API ArError *ar_interpreter_profile_json(ArInterpreter *interpreter, size_t subgraph, const char **json);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_PROFILE_H */
