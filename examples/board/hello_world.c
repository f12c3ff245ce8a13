/*
 * hello_world.c: draws a sine with the model that `arenite embed` has written to sine.h and sine.c.
 */
#include "board.h"
#include "sine.h"

enum { LINES = 25, WIDTH = 41 };

int main(void) {
  float *x = sine_input(0);
  const float *y = sine_output(0);
  sine_init();
  for (int i = 0; i < LINES; i++) {
    char line[WIDTH + 2];
    int at = 0, column;
    *x = 6.2831853f * (float)i / (LINES - 1);
    if (sine_run() != AR_STATUS_OK) {
      board_print("a node failed\n");
      return 1;
    }
    column = (int)((*y + 1.0f) * (WIDTH - 1) / 2.0f + 0.5f);
    if (column < 0) column = 0;
    if (column >= WIDTH) column = WIDTH - 1;
    while (at < column) line[at++] = ' ';
    line[at++] = '*';
    line[at++] = '\n';
    line[at] = 0;
    board_print(line);
  }
  return 0;
}
