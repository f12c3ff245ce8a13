/* Includes error.h alone, then tests codes and messages. Compiled as C and as C++. */
#include <arenite/error.h>

#include "../check.h"

void test_error(const char *folder) {
  ArModel *model;
  ArError *error = ar_model_from_file(in_folder(folder, "no_such.tflite"), &model);
  REQUIRE(error && !model && ar_error_code(error) == AR_ERROR_IO);
  REQUIRE(strstr(ar_error_message(error), "no_such.tflite"));
  ar_error_free(error);
  REQUIRE(ar_error_code(NULL) == AR_ERROR_NONE && *ar_error_message(NULL) == '\0');
  ar_error_free(NULL);
}
