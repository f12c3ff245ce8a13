/* Includes picture.h alone, then tests it with and without the feature `image`. Compiled as C and as C++. */
#include <arenite/picture.h>

#include "../check.h"

/* A png of a hundred bytes whose header declares 20,000 x 20,000 pixels. */
static const uint8_t large_png[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x4e, 0x20, 0x00, 0x00, 0x4e, 0x20, 0x08, 0x02, 0x00, 0x00, 0x00, 0x6c, 0x12, 0xd1,
    0x6e, 0x00, 0x00, 0x00, 0x0b, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60, 0x80, 0x02, 0x00,
    0x00, 0x09, 0x00, 0x01, 0xfb, 0x52, 0xb8, 0xa9, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44,
    0xae, 0x42, 0x60, 0x82,
};

/* Writes the header of a run-length encoded 8-bit bitmap of this size. */
static void write_bmp(uint8_t bmp[1080], uint32_t width, uint32_t height) {
  const uint32_t words[] = {1080, 0, 1078, 40, width, height, 8 << 16 | 1, 1, 2, 0, 0, 256, 0};
  memset(bmp, 0, 1080);
  memcpy(bmp, "BM", 2);
  for (size_t i = 0; i < sizeof words / 4; i++)
    for (int b = 0; b < 4; b++) bmp[2 + 4 * i + b] = (uint8_t)(words[i] >> 8 * b);
  bmp[1079] = 1;
}

void test_picture(const char *folder) {
  ArModel *model;
  ArInterpreter *interpreter;
  ArTensor *input;
  const uint8_t pixels[4] = {0, 255, 51, 102};
  const float mean[1] = {0.0f}, std[1] = {51.0f};
  const ArNormalization normalization = {mean, std, 1};
  float values[4];
  OK(ar_model_from_file(in_folder(folder, "picture.tflite"), &model));
  OK(ar_interpreter_new(model, NULL, &interpreter));
  ar_model_free(model);
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_input(interpreter, 0, &input));
  ArError *error = ar_tensor_set_pixels(input, pixels, 2, 2, 1, &normalization);
  if (ar_error_code(error) == AR_ERROR_UNSUPPORTED) {
    REQUIRE(strstr(ar_error_message(error), "--features image"));
    ar_error_free(error);
    FAILS(AR_ERROR_UNSUPPORTED, "without support for pictures", ar_tensor_set_picture(input, pixels, 4, NULL));
    FAILS(AR_ERROR_UNSUPPORTED, "x.png: ", ar_tensor_set_picture_file(input, "x.png", NULL));
  } else {
    OK(error);
    OK(ar_tensor_copy_to(input, values, sizeof values));
    REQUIRE(values[0] == 0.0f && values[1] == 5.0f && values[2] == 1.0f && values[3] == 2.0f);
    FAILS(AR_ERROR_ARGUMENT, "only 1, 3 and 4 are supported", ar_tensor_set_pixels(input, pixels, 2, 1, 2, NULL));
    FAILS(AR_ERROR_ARGUMENT, "picture", ar_tensor_set_picture(input, pixels, 4, NULL));
    uint8_t bmp[1080];
    write_bmp(bmp, 30000, 30000);
    FAILS(AR_ERROR_ARGUMENT, "declares 30000 x 30000 pixels", ar_tensor_set_picture(input, bmp, sizeof bmp, NULL));
    FAILS(AR_ERROR_ARGUMENT, "declares 20000 x 20000 pixels",
          ar_tensor_set_picture(input, large_png, sizeof large_png, NULL));
    FAILS(AR_ERROR_ARGUMENT, "no_such.png: ", ar_tensor_set_picture_file(input, "no_such.png", NULL));
    OK(ar_tensor_set_picture_file(input, in_folder(folder, "seven.png"), NULL));
    OK(ar_tensor_copy_to(input, values, sizeof values));
    for (int i = 0; i < 4; i++) REQUIRE(values[i] >= -1.0f && values[i] <= 1.0f);
  }
  FAILS(AR_ERROR_ARGUMENT, "'tensor' is null", ar_tensor_set_pixels(NULL, pixels, 2, 2, 1, NULL));
  ar_interpreter_free(interpreter);
}
