/*
 * arenite/session.h: conversations with a language model: tokens in, logits or chosen tokens out.
 *
 *   uint32_t ids[] = {1, 306, 4658}, id;
 *   ArSession *session;
 *   ar_session_new(model, NULL, &session);
 *   ar_session_append(session, ids, 3);
 *   while (ar_session_choose(session, &id) == NULL && id != END) ar_session_append(session, &id, 1);
 *   ar_session_free(session);
 *
 * The model has the signature `decode`, and may have `prefill_N` for N tokens; docs/language.md lists their inputs. A
 * session keeps the caches of keys and values, which all signatures share, and the tokens in them.
 *
 * Ownership  the caller owns ArSession and ArSessionState, and frees each once. The model may be freed before
 * Threads    one thread at a time may use a session; a call during another call is an error (AR_ERROR_STATE). A state
 *            does not change and may be used on several threads
 * Errors     AR_ERROR_ARGUMENT for a null pointer, AR_ERROR_STATE for a session in use, and what is listed
 */
#ifndef ARENITE_SESSION_H
#define ARENITE_SESSION_H

#include <arenite/model.h>
#include <arenite/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A conversation. */
typedef struct ArSession ArSession;

/* The tokens and caches of a session at some time. */
typedef struct ArSessionState ArSessionState;

/* How a token is chosen. All zeros, but top_p 1, always choose the largest logit. */
typedef struct ArSampling {
  float temperature; /* logits are divided by it; 0 chooses the largest logit */
  float top_p;       /* only the likeliest tokens whose probabilities together reach this; 1 for all */
  float min_p;       /* only tokens with at least this part of the likeliest token's probability; 0 for all */
  uint32_t top_k;    /* only this many of the likeliest tokens; 0 for all */
  uint64_t seed;     /* the same seed gives the same choices from the same logits */
} ArSampling;

/* Creates a session without tokens, whose choices are the largest logits. `options` may be null. A signature is
 * prepared when it is first needed.
 * Errors: as ar_interpreter_new; AR_ERROR_MODEL if the model lacks a part of a language model, with its name. */
ARENITE_API ArError *ar_session_new(const ArModel *model, const ArOptions *options, ArSession **session);

/* The number of positions in the caches, which is the longest conversation. 0 for null. */
ARENITE_API size_t ar_session_capacity(const ArSession *session);

/* The number of tokens that the model knows. 0 for null. */
ARENITE_API size_t ar_session_vocabulary(const ArSession *session);

/* The number of tokens in the caches. 0 for null. */
ARENITE_API size_t ar_session_length(const ArSession *session);

/* Copies `count` tokens, starting at `first`, into `ids`.
 * Errors: AR_ERROR_ARGUMENT if there are fewer. */
ARENITE_API ArError *ar_session_tokens(const ArSession *session, size_t first, size_t count, uint32_t *ids);

/* Appends tokens: runs the prefills that fit, and decode for the rest.
 * Errors: AR_ERROR_ARGUMENT for a token beyond the vocabulary and for more tokens than the caches have positions, which
 * change nothing; also as ar_interpreter_invoke. */
ARENITE_API ArError *ar_session_append(ArSession *session, const uint32_t *ids, size_t count);

/* Copies the logits of the token that follows into `logits`, which has room for `count`, the size of the vocabulary.
 * Errors: AR_ERROR_STATE if no token was appended since the session began or was truncated; AR_ERROR_ARGUMENT for
 * another count. */
ARENITE_API ArError *ar_session_logits(const ArSession *session, float *logits, size_t count);

/* Sets how ar_session_choose chooses, and resets its random numbers to the seed.
 * Errors: AR_ERROR_ARGUMENT for a number out of its range. */
ARENITE_API ArError *ar_session_set_sampling(ArSession *session, const ArSampling *sampling);

/* Chooses the token that follows, without appending it.
 * Errors: as ar_session_logits; AR_ERROR_FAILED if logits are NaN, or all are minus infinity. */
ARENITE_API ArError *ar_session_choose(ArSession *session, uint32_t *id);

/* Drops all tokens but the first `count`. Does nothing if there are fewer. */
ARENITE_API ArError *ar_session_truncate(ArSession *session, size_t count);

/* Copies tokens and caches.
 * Errors: as ar_interpreter_allocate. */
ARENITE_API ArError *ar_session_save(ArSession *session, ArSessionState **state);

/* Continues from a state, which may come from another session of the same model.
 * Errors: AR_ERROR_ARGUMENT for the state of a model with other caches; also as ar_interpreter_allocate. */
ARENITE_API ArError *ar_session_restore(ArSession *session, const ArSessionState *state);

/* Frees a state. */
ARENITE_API void ar_session_state_free(ArSessionState *state);

/* Frees a session. */
ARENITE_API void ar_session_free(ArSession *session);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_SESSION_H */
