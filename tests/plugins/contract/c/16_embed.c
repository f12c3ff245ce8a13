/* An op whose state can be embedded in a program: y = factor x. Another machine runs it with `fixture_scale`. */
#define AR_INTERFACE_EMBED 25u
typedef ArStatus (*ArPutStateFn)(void *context, ArStr kernel, const void *state, uint64_t bytes, uint64_t alignment);
typedef struct ArEmbedV1 {
  ArHeader header;
  ArStatus (*embed)(const void *state, uint32_t pointer_bytes, void *context, ArPutStateFn put);
} ArEmbedV1;

#include "fixture.h"

typedef struct State {
  float factor;
  uint32_t pointer_bytes;
} State;

static ArStatus prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state) {
  *(State *)state = (State){3.0f, sizeof(void *)};
  return shape_of_input(prepare, node);
}

static ArStatus eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *state) {
  const float *x = input(node, 0)->data, factor = ((const State *)state)->factor;
  (void)eval;
  for (size_t i = 0; i < input(node, 0)->bytes / sizeof(float); i++) ((float *)output(node, 0)->data)[i] = factor * x[i];
  return AR_STATUS_OK;
}

static ArStatus embed(const void *state, uint32_t pointer_bytes, void *context, ArPutStateFn put) {
  State there = *(const State *)state;
  ArStr kernel = AR_LITERAL("fixture_scale");
  there.pointer_bytes = pointer_bytes;
  return put(context, kernel, &there, sizeof there, 4);
}

static const void *query(uint64_t id) {
  static const ArEmbedV1 embeds = {AR_HEADER(ArEmbedV1), embed};
  return id == AR_INTERFACE_EMBED ? &embeds : NULL;
}

static const ArOpV1 ops[] = {{AR_HEADER(ArOpV1), AR_BUILTIN_CUSTOM, 1, 1, 0, AR_LITERAL("Embed"), 1, sizeof(State), 8,
                              prepare, eval, NULL, query}};
PLUGIN("test.contract.embed", ONE(ops), NO, NO)
