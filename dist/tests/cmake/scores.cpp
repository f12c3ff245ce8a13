// scores MODEL PICTURE.pgm: prints the scores for a picture, using the C++ headers.
#include <arenite.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  std::ifstream file(argv[2], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto model = arenite::FlatBufferModel::BuildFromFile(argv[1]);
  std::unique_ptr<arenite::Interpreter> interpreter;
  if (model == nullptr) return 1;
  if (arenite::InterpreterBuilder(*model, arenite::ops::builtin::BuiltinOpResolver())(&interpreter) != arenite::kOk) return 1;
  if (interpreter->AllocateTensors() != arenite::kOk) return 1;

  arenite::Tensor *input = interpreter->input_tensor(0);
  std::vector<float> pixels;
  if (bytes.size() < input->NumElements()) return 2;
  for (const char byte : bytes.substr(bytes.size() - input->NumElements())) {
    pixels.push_back(static_cast<float>(static_cast<unsigned char>(byte)) / 127.5f - 1.0f);
  }
  if (input->Quantize(pixels.data(), pixels.size()) != arenite::kOk || interpreter->Invoke() != arenite::kOk) return 1;
  std::vector<float> scores(interpreter->output_tensor(0)->NumElements());
  if (interpreter->output_tensor(0)->Dequantize(scores.data(), scores.size()) != arenite::kOk) return 1;
  for (size_t i = 0; i < scores.size(); i++) std::printf("%zu %.9g\n", i, static_cast<double>(scores[i]));
  return 0;
}
