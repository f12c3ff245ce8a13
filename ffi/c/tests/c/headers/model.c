/* Includes model.h alone, then tests three ways to load a model. Compiled as C and as C++. */
#include <arenite/model.h>

#include "../check.h"

static void count_release(void *count) { ++*(int *)count; }

void test_model(const char *folder) {
  static unsigned char bytes[65536];
  ArModel *model;
  int released = 0;
  FILE *file = fopen(in_folder(folder, "signatures.tflite"), "rb");
  REQUIRE(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  REQUIRE(size > 0 && size < sizeof bytes);
  OK(ar_model_from_memory(bytes, size, &model));
  REQUIRE(ar_model_signature_count(model) == 2 && strcmp(ar_model_signature_key(model, 1), "negate") == 0);
  REQUIRE(!ar_model_signature_key(model, 2));
  ar_model_free(model);
  OK(ar_model_from_borrowed(bytes, size, count_release, &released, &model));
  REQUIRE(released == 0);
  ar_model_free(model);
  REQUIRE(released == 1);
  FAILS(AR_ERROR_MODEL, "", ar_model_from_borrowed(bytes, 40, count_release, &released, &model));
  REQUIRE(!model && released == 2);
  OK(ar_model_from_file(in_folder(folder, "signatures.tflite"), &model));
  ar_model_free(model);
}
