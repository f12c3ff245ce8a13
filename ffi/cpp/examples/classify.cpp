// Classifies a picture in the binary PGM format (P5, 8 bits) with the models of examples/digits, in their input's size.
//
//   c++ -std=c++17 classify.cpp $(pkg-config --cflags --libs arenite) -o classify
//   ./classify digits_i8.tflite 7.pgm
#include <arenite.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

// The pixels in the range of the models, p / 127.5 - 1; empty if the file is not a picture of `count` pixels.
static std::vector<float> ReadPicture(const char *path, size_t count) {
  std::ifstream file(path, std::ios::binary);
  std::string kind;
  size_t width = 0, height = 0, white = 0;
  file >> kind >> width >> height >> white;
  file.get();
  std::string bytes(count, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  std::vector<float> pixels;
  if (!file.good() || kind != "P5" || white != 255 || width * height != count) return pixels;
  for (const char byte : bytes) pixels.push_back(static_cast<float>(static_cast<unsigned char>(byte)) / 127.5f - 1.0f);
  return pixels;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s MODEL.tflite PICTURE.pgm\n", argv[0]);
    return 2;
  }
  // Each failed call prints its reason on stderr.
  const auto model = arenite::FlatBufferModel::BuildFromFile(argv[1]);
  if (model == nullptr) return 1;
  const arenite::ops::builtin::BuiltinOpResolver resolver;
  std::unique_ptr<arenite::Interpreter> interpreter;
  if (arenite::InterpreterBuilder(*model, resolver)(&interpreter) != arenite::kOk) return 1;
  if (interpreter->AllocateTensors() != arenite::kOk) return 1;

  arenite::Tensor *input = interpreter->input_tensor(0);
  const arenite::Tensor *output = interpreter->output_tensor(0);
  if (input == nullptr || output == nullptr) {
    std::fprintf(stderr, "error: the model needs an input and an output\n");
    return 1;
  }
  const std::vector<float> pixels = ReadPicture(argv[2], input->NumElements());
  if (pixels.empty()) {
    std::fprintf(stderr, "error: %s is not a PGM picture with %zu pixels of 8 bits\n", argv[2], input->NumElements());
    return 1;
  }
  // Quantize and Dequantize convert real numbers to and from the tensors' types.
  if (input->Quantize(pixels.data(), pixels.size()) != arenite::kOk || interpreter->Invoke() != arenite::kOk) return 1;
  std::vector<float> scores(output->NumElements());
  if (scores.empty() || output->Dequantize(scores.data(), scores.size()) != arenite::kOk) return 1;

  const auto best = std::max_element(scores.begin(), scores.end());
  std::printf("%td (%.1f %%)\n", best - scores.begin(), 100.0 * static_cast<double>(*best));
  return 0;
}
