// run MODEL PLUGINS OPS [IN OUT]...: like run.c, but from lent memory and through the model's signature.
#include <arenite.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Free {
  void operator()(ArModel *model) const { ar_model_free(model); }
  void operator()(ArOptions *options) const { ar_options_free(options); }
  void operator()(ArInterpreter *interpreter) const { ar_interpreter_free(interpreter); }
  void operator()(ArError *error) const { ar_error_free(error); }
};

template <typename T>
using Owned = std::unique_ptr<T, Free>;

void check(ArError *raw) {
  Owned<ArError> error(raw);
  if (error) throw std::runtime_error(ar_error_message(error.get()));
}

void require(bool condition, const char *text) {
  if (!condition) throw std::runtime_error(text);
}

std::vector<char> read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good(), path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int releases = 0;

void run(int argc, char **argv) {
  require(argc >= 4, "too few arguments");
  const std::vector<char> bytes = read(argv[1]);
  ArModel *raw_model = nullptr;
  check(ar_model_from_borrowed(
      bytes.data(), bytes.size(), [](void *count) { ++*static_cast<int *>(count); }, &releases, &raw_model));
  Owned<ArModel> model(raw_model);
  Owned<ArOptions> options(ar_options_new());
  check(ar_options_set_threads(options.get(), 1));
  check(ar_options_set_planner(options.get(), "naive", nullptr, 0));
  ArInterpreter *raw_interpreter = nullptr;
  check(ar_interpreter_new(model.get(), options.get(), &raw_interpreter));
  Owned<ArInterpreter> interpreter(raw_interpreter);
  options.reset();

  require(ar_model_signature_count(model.get()) == 1, "one signature");
  const std::string key = ar_model_signature_key(model.get(), 0);
  model.reset();
  require(releases == 0, "the interpreter keeps the lent memory");
  ArSignature *signature = nullptr;
  check(ar_interpreter_signature(interpreter.get(), key.c_str(), &signature));
  require(key == ar_signature_key(signature), "the key");
  check(ar_signature_allocate(signature));

  ArTensor *input = nullptr;
  const ArTensor *output = nullptr;
  check(ar_signature_input(signature, ar_signature_input_name(signature, 0), &input));
  check(ar_signature_output(signature, ar_signature_output_name(signature, 0), &output));
  for (int i = 4; i + 1 < argc; i += 2) {
    const std::vector<char> in = read(argv[i]);
    check(ar_tensor_copy_from(input, in.data(), in.size()));
    check(ar_signature_invoke(signature));
    const void *data = nullptr;
    check(ar_tensor_data(output, &data));
    std::ofstream out(argv[i + 1], std::ios::binary);
    out.write(static_cast<const char *>(data), static_cast<std::streamsize>(ar_tensor_byte_size(output)));
    require(out.good(), argv[i + 1]);
  }
  interpreter.reset();
  require(releases == 1, "the lent memory is released once");
}

}  // namespace

int main(int argc, char **argv) {
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
