/* Views of tensors: y is the second half of x and may share its memory; the other output is 1 if it did. */
#define AR_SHARE_PART_OF_INPUT 3u
#define AR_SHARE_PART_OF_OUTPUT 4u
#define AR_SHARE_BEHIND 5u
#define AR_OP_PART_OF_INPUT 8u
#define AR_OP_PART_OF_OUTPUT 16u
#define AR_OP_BEHIND 32u
#define AR_INTERFACE_LAYOUT 3u
typedef struct ArLayoutV1 {
  ArHeader header;
  ArStatus (*share_part)(void *context, uint32_t output, uint32_t input, uint32_t kind, uint64_t bytes);
} ArLayoutV1;

#include "fixture.h"

static ArStatus prepare(const ArPrepareV1 *prepare, const ArNodeV1 *node, void *state) {
  const ArLayoutV1 *layout = prepare->query(prepare->context, AR_INTERFACE_LAYOUT);
  const int32_t half = (int32_t)(input(node, 0)->bytes / 2 / sizeof(float)), one = 1;
  (void)state;
  REQUIRE(layout);
  OK(prepare->set_output_shape(prepare->context, 0, &half, 1));
  OK(prepare->set_output_shape(prepare->context, 1, &one, 1));
  return layout->share_part(prepare->context, 0, 0, AR_SHARE_PART_OF_INPUT, (uint64_t)half * sizeof(float));
}

static ArStatus eval(const ArEvalV1 *eval, const ArNodeV1 *node, void *state) {
  const ArTensorV1 *x = input(node, 0), *y = output(node, 0);
  const char *half = (const char *)x->data + y->bytes;
  (void)eval, (void)state;
  *(float *)output(node, 1)->data = y->data == half ? 1.0f : 0.0f;
  if (y->data != half) memcpy(y->data, half, y->bytes);
  return AR_STATUS_OK;
}

OP("Layout", 0, prepare, eval, AR_OP_PART_OF_INPUT);
PLUGIN("test.contract.layout", ONE(ops), NO, NO)
