/* Measures the cost of a call: set the input, run the model, read the output. Prints nanoseconds, the minimum of
 * several rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tflite.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv) {
  enum { ROUNDS = 20, CALLS = 20000 };
  TfLiteModel *model = argc > 1 ? TfLiteModelCreateFromFile(argv[1]) : NULL;
  TfLiteInterpreter *interpreter = TfLiteInterpreterCreate(model, NULL);
  size_t in, out;
  char *buffer;
  double best = 1e30;
  int round, call;
  if (interpreter == NULL || TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk) {
    return 1;
  }
  in = TfLiteTensorByteSize(TfLiteInterpreterGetInputTensor(interpreter, 0));
  out = TfLiteTensorByteSize(TfLiteInterpreterGetOutputTensor(interpreter, 0));
  buffer = calloc(1, in > out ? in : out);
  for (round = 0; round < ROUNDS; round++) {
    double begun = now();
    for (call = 0; call < CALLS; call++) {
      if (TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), buffer, in) != kTfLiteOk ||
          TfLiteInterpreterInvoke(interpreter) != kTfLiteOk ||
          TfLiteTensorCopyToBuffer(TfLiteInterpreterGetOutputTensor(interpreter, 0), buffer, out) != kTfLiteOk) {
        return 2;
      }
    }
    begun = (now() - begun) / CALLS;
    best = begun < best ? begun : best;
  }
  printf("%.0f ns\n", best);
  free(buffer);
  TfLiteInterpreterDelete(interpreter);
  TfLiteModelDelete(model);
  return 0;
}
