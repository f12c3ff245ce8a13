/* picture.h alone, then what it describes: with the feature `image`, and without. In C and in C++. */
#include <arenite/picture.h>

#include "../check.h"

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
    FAILS(AR_ERROR_UNSUPPORTED, "without pictures", ar_tensor_set_picture(input, pixels, 4, NULL));
    FAILS(AR_ERROR_UNSUPPORTED, "x.png: ", ar_tensor_set_picture_file(input, "x.png", NULL));
  } else {
    OK(error);
    OK(ar_tensor_copy_to(input, values, sizeof values));
    REQUIRE(values[0] == 0.0f && values[1] == 5.0f && values[2] == 1.0f && values[3] == 2.0f);
    FAILS(AR_ERROR_ARGUMENT, "2 channels are given", ar_tensor_set_pixels(input, pixels, 2, 1, 2, NULL));
    FAILS(AR_ERROR_ARGUMENT, "picture", ar_tensor_set_picture(input, pixels, 4, NULL));
    FAILS(AR_ERROR_ARGUMENT, "no_such.png: ", ar_tensor_set_picture_file(input, "no_such.png", NULL));
    OK(ar_tensor_set_picture_file(input, in_folder(folder, "seven.png"), NULL));
    OK(ar_tensor_copy_to(input, values, sizeof values));
    for (int i = 0; i < 4; i++) REQUIRE(values[i] >= -1.0f && values[i] <= 1.0f);
  }
  FAILS(AR_ERROR_ARGUMENT, "'tensor' is null", ar_tensor_set_pixels(NULL, pixels, 2, 2, 1, NULL));
  ar_interpreter_free(interpreter);
}
