/* Variadic functions, which stable Rust cannot define, and calls of functions that take a va_list. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The first fields of a TfLiteContext. In this library its `impl_` points to a Scene of kernel/scene.rs. */
struct scene {
  void (*tell)(void *context, const char *text);
};
struct context {
  size_t tensors_size;
  void (*get_execution_plan)(void);
  void *tensors;
  struct scene *scene;
};

/* TfLiteOpaqueContextReportErrorVa. */
void arenite_tflite_report_va(void *context, const char *format, va_list arguments) {
  char line[512];
  char *text = line;
  va_list again;
  int length;
  if (context == NULL || format == NULL) {
    return;
  }
  va_copy(again, arguments);
  length = vsnprintf(line, sizeof line, format, arguments);
  if (length >= (int)sizeof line) {
    text = malloc((size_t)length + 1);
    if (text == NULL) {
      text = line; /* report the truncated text */
    } else {
      length = vsnprintf(text, (size_t)length + 1, format, again);
    }
  }
  va_end(again);
  if (length >= 0) {
    ((struct context *)context)->scene->tell(context, text);
  }
  if (text != line) {
    free(text);
  }
}

/* TfLiteOpaqueContextReportError, and ReportError of a TfLiteContext. */
void arenite_tflite_report(void *context, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  arenite_tflite_report_va(context, format, arguments);
  va_end(arguments);
}

/* Passes `format` and the arguments to an error reporter as a va_list. */
void arenite_tflite_call_reporter(void (*reporter)(void *user_data, const char *format, va_list arguments),
                                  void *user_data, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  reporter(user_data, format, arguments);
  va_end(arguments);
}
