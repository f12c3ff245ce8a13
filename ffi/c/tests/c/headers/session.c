/* Includes session.h alone, then tests it with a language model of 11 tokens and 12 positions. Compiled as C and as
 * C++. */
#include <arenite/session.h>

#include "../check.h"

static uint32_t chosen(ArSession *session) {
  uint32_t id = 99;
  OK(ar_session_choose(session, &id));
  return id;
}

void test_session(const char *folder) {
  ArModel *model;
  ArSession *session, *other;
  ArSessionState *state;
  const uint32_t ids[] = {1, 2, 3, 4, 5, 6, 7};
  uint32_t copy[4];
  float logits[11], again[11];
  OK(ar_model_from_file(in_folder(folder, "language.tflite"), &model));
  OK(ar_session_new(model, NULL, &session));
  OK(ar_session_new(model, NULL, &other));
  REQUIRE(ar_session_capacity(session) == 12 && ar_session_vocabulary(session) == 11);
  REQUIRE(ar_session_length(session) == 0);
  FAILS(AR_ERROR_STATE, "no tokens are given", ar_session_logits(session, logits, 11));

  /* Prefill and decode give what decode alone gives. */
  OK(ar_session_append(session, ids, 7));
  OK(ar_session_logits(session, logits, 11));
  for (int i = 0; i < 7; i++) OK(ar_session_append(other, ids + i, 1));
  OK(ar_session_logits(other, again, 11));
  REQUIRE(memcmp(logits, again, sizeof logits) == 0);
  REQUIRE(ar_session_length(session) == 7);
  OK(ar_session_tokens(session, 3, 4, copy));
  REQUIRE(copy[0] == 4 && copy[3] == 7);
  FAILS(AR_ERROR_ARGUMENT, "the session has 7", ar_session_tokens(session, 4, 4, copy));

  /* The largest logit is chosen, and with a seed the same ones. */
  const uint32_t largest = chosen(session);
  for (int i = 0; i < 11; i++) REQUIRE(logits[i] <= logits[largest]);
  const ArSampling sampling = {1, 1, 0, 0, 7};
  OK(ar_session_set_sampling(session, &sampling));
  const uint32_t first = chosen(session), second = chosen(session);
  OK(ar_session_set_sampling(session, &sampling));
  REQUIRE(chosen(session) == first && chosen(session) == second);
  const ArSampling wrong = {-1, 1, 0, 0, 0};
  FAILS(AR_ERROR_ARGUMENT, "temperature is -1", ar_session_set_sampling(session, &wrong));

  /* A saved state continues in another session. */
  OK(ar_session_save(session, &state));
  OK(ar_session_truncate(other, 2));
  REQUIRE(ar_session_length(other) == 2);
  FAILS(AR_ERROR_STATE, "no tokens are given", ar_session_logits(other, logits, 11));
  OK(ar_session_restore(other, state));
  ar_session_state_free(state);
  OK(ar_session_append(session, ids, 1));
  OK(ar_session_append(other, ids, 1));
  OK(ar_session_logits(session, logits, 11));
  OK(ar_session_logits(other, again, 11));
  REQUIRE(memcmp(logits, again, sizeof logits) == 0);

  /* Errors change nothing. */
  const uint32_t beyond = 11;
  FAILS(AR_ERROR_ARGUMENT, "token 11 does not exist", ar_session_append(session, &beyond, 1));
  FAILS(AR_ERROR_ARGUMENT, "15 tokens do not fit", ar_session_append(session, ids, 7));
  FAILS(AR_ERROR_ARGUMENT, "'count' is 10", ar_session_logits(session, logits, 10));
  FAILS(AR_ERROR_ARGUMENT, "'logits' is null", ar_session_logits(session, NULL, 11));
  FAILS(AR_ERROR_ARGUMENT, "'ids' is null", ar_session_append(session, NULL, 1));
  FAILS(AR_ERROR_ARGUMENT, "'id' is null", ar_session_choose(session, NULL));
  FAILS(AR_ERROR_ARGUMENT, "'session' is null", ar_session_truncate(NULL, 1));
  FAILS(AR_ERROR_ARGUMENT, "'state' is null", ar_session_restore(session, NULL));
  FAILS(AR_ERROR_ARGUMENT, "'state' is null", ar_session_save(session, NULL));
  FAILS(AR_ERROR_ARGUMENT, "'sampling' is null", ar_session_set_sampling(session, NULL));
  REQUIRE(ar_session_length(session) == 8 && ar_session_length(NULL) == 0);
  ar_model_free(model);
  ar_session_free(session);
  ar_session_free(other);
  ar_session_free(NULL);
  ar_session_state_free(NULL);

  OK(ar_model_from_file(in_folder(folder, "sqrt.tflite"), &model));
  FAILS(AR_ERROR_MODEL, "decode", ar_session_new(model, NULL, &session));
  FAILS(AR_ERROR_ARGUMENT, "'session' is null", ar_session_new(model, NULL, NULL));
  ar_model_free(model);
}
