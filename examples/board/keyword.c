/*
 * keyword.c: recognises the word in an embedded .wav, with the model that `arenite embed` has written to words.h and
 * words.c.
 */
#include "board.h"
#include "words.h"

enum { WAV_HEADER = 44 };

extern const unsigned char sound[];

static const char *const labels[WORDS_OUTPUT_0_BYTES / 4] = {"silence", "unknown", "yes", "no", "left", "right", "stop", "go"};

int main(void) {
  const int16_t *samples = (const int16_t *)(const void *)(sound + WAV_HEADER);
  float *input = words_input(0);
  const float *scores = words_output(0);
  size_t best = 0;
  words_init();
  for (size_t i = 0; i < WORDS_INPUT_0_BYTES / 4; i++) input[i] = (float)samples[i] / 32768.0f;
  if (words_run() != AR_STATUS_OK) {
    board_print("a node failed\n");
    return 1;
  }
  for (size_t i = 1; i < WORDS_OUTPUT_0_BYTES / 4; i++) {
    if (scores[i] > scores[best]) best = i;
  }
  board_print(labels[best]);
  board_print("\n");
  return 0;
}
