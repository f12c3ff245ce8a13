/* Includes model.h alone, then tests the ways to load a model. Compiled as C and as C++. */
#include <arenite/model.h>

#include <fcntl.h>
#include <unistd.h>

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
  const ArGroup group = {"weights.bin", bytes, size, count_release, &released};
  OK(ar_model_with_groups(bytes, size, count_release, &released, &group, 1, &model));
  REQUIRE(released == 3); /* the model does not use the group */
  ar_model_free(model);
  REQUIRE(released == 4);
  OK(ar_model_from_file(in_folder(folder, "signatures.tflite"), &model));
  ar_model_free(model);

  /* A model inside another file: seven other bytes come first, three follow. */
  FILE *package = tmpfile();
  REQUIRE(package && fwrite("package", 1, 7, package) == 7 && fwrite(bytes, 1, size, package) == size);
  REQUIRE(fwrite("end", 1, 3, package) == 3 && fflush(package) == 0);
  const int descriptor = dup(fileno(package));
  fclose(package);
  ArModel *mapped;
  OK(ar_model_from_descriptor(descriptor, 7, size, &model));
  REQUIRE(ar_model_signature_count(model) == 2);
  ar_model_free(model);
  OK(ar_model_map_descriptor(descriptor, 7, size, &mapped));
  FAILS(AR_ERROR_IO, "bytes", ar_model_from_descriptor(descriptor, 7, size + 4, &model));
  FAILS(AR_ERROR_MODEL, "", ar_model_from_descriptor(descriptor, 0, size, &model));
  close(descriptor);
  REQUIRE(ar_model_signature_count(mapped) == 2);
  ar_model_free(mapped);
  FAILS(AR_ERROR_ARGUMENT, "'descriptor' is -1, which is not an open file", ar_model_map_descriptor(-1, 0, 1, &model));
  FAILS(AR_ERROR_IO, "descriptor 1000000", ar_model_from_descriptor(1000000, 0, 1, &model));
}
