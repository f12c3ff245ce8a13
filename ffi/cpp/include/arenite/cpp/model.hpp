// Models: verified .tflite files.
#ifndef ARENITE_CPP_MODEL_HPP
#define ARENITE_CPP_MODEL_HPP

#include <arenite/cpp/status.hpp>

#include <cstddef>
#include <memory>

namespace arenite {

// A verified model. It does not change; interpreters share it and keep it alive.
class FlatBufferModel {
 public:
  FlatBufferModel(const FlatBufferModel &) = delete;
  FlatBufferModel &operator=(const FlatBufferModel &) = delete;

  // Reads a file into memory and verifies it. What happens to the file afterwards changes nothing. Null if that fails.
  static std::unique_ptr<FlatBufferModel> BuildFromFile(const char *filename,
                                                        ErrorReporter *reporter = DefaultErrorReporter()) {
    ArModel *model = nullptr;
    ArError *error = ar_model_from_file(filename, &model);
    return Wrap(error, model, reporter);
  }

  // Maps a file into memory and verifies it: a large model starts sooner and takes less memory than with BuildFromFile. Until the model and
  // its interpreters are freed, the file must not be written to or cut short, which may end the process. Null if that fails.
  static std::unique_ptr<FlatBufferModel> MapFile(const char *filename, ErrorReporter *reporter = DefaultErrorReporter()) {
    ArModel *model = nullptr;
    ArError *error = ar_model_map_file(filename, &model);
    return Wrap(error, model, reporter);
  }

  // Verifies the bytes of a file without copying them: they must stay as they are until the model and its interpreters are freed.
  // Null if that fails.
  static std::unique_ptr<FlatBufferModel> BuildFromBuffer(const char *caller_owned_buffer, size_t buffer_size,
                                                          ErrorReporter *reporter = DefaultErrorReporter()) {
    ArModel *model = nullptr;
    ArError *error = ar_model_from_borrowed(caller_owned_buffer, buffer_size, nullptr, nullptr, &model);
    return Wrap(error, model, reporter);
  }

  // As above: every model is verified. A verifier of the program's own is not asked for, so it is null.
  static std::unique_ptr<FlatBufferModel> VerifyAndBuildFromFile(const char *filename, std::nullptr_t = nullptr,
                                                                 ErrorReporter *reporter = DefaultErrorReporter()) {
    return BuildFromFile(filename, reporter);
  }
  static std::unique_ptr<FlatBufferModel> VerifyAndBuildFromBuffer(const char *caller_owned_buffer, size_t buffer_size,
                                                                   std::nullptr_t = nullptr,
                                                                   ErrorReporter *reporter = DefaultErrorReporter()) {
    return BuildFromBuffer(caller_owned_buffer, buffer_size, reporter);
  }

  bool initialized() const { return true; }
  ErrorReporter *error_reporter() const { return reporter_; }

  // For the functions of arenite/model.h.
  ArModel *handle() const { return model_.get(); }

 private:
  friend class InterpreterBuilder;

  FlatBufferModel(ArModel *model, ErrorReporter *reporter) : model_(model, detail::Free()), reporter_(reporter) {}

  static std::unique_ptr<FlatBufferModel> Wrap(ArError *error, ArModel *model, ErrorReporter *reporter) {
    if (detail::Errors(reporter).Take(error) != kOk) return nullptr;
    return std::unique_ptr<FlatBufferModel>(new FlatBufferModel(model, reporter));
  }

  std::shared_ptr<ArModel> model_;
  ErrorReporter *reporter_;
};

}  // namespace arenite

#endif  // ARENITE_CPP_MODEL_HPP
