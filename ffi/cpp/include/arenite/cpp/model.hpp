// Models: verified .tflite files.
#ifndef ARENITE_CPP_MODEL_HPP
#define ARENITE_CPP_MODEL_HPP

#include <arenite/cpp/status.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace arenite {

// A verified, immutable model. Interpreters share it and keep it alive.
class FlatBufferModel {
 public:
  FlatBufferModel(const FlatBufferModel &) = delete;
  FlatBufferModel &operator=(const FlatBufferModel &) = delete;

  // Reads a file into memory and verifies it. Later changes to the file have no effect. Null on failure.
  static std::unique_ptr<FlatBufferModel> BuildFromFile(const char *filename,
                                                        ErrorReporter *reporter = DefaultErrorReporter()) {
    ArModel *model = nullptr;
    ArError *error = ar_model_from_file(filename, &model);
    return Wrap(error, model, reporter);
  }

  // Maps a file into memory and verifies it. A large model starts sooner and uses less memory than with BuildFromFile.
  // Until the model and its interpreters are freed, the file must be neither written to nor truncated: that may end the
  // process. Null on failure.
  static std::unique_ptr<FlatBufferModel> MapFile(const char *filename, ErrorReporter *reporter = DefaultErrorReporter()) {
    ArModel *model = nullptr;
    ArError *error = ar_model_map_file(filename, &model);
    return Wrap(error, model, reporter);
  }

  // Reads a part of an open file: a model inside an archive, or one known only by its descriptor, which may be closed
  // afterwards. Null on failure.
  static std::unique_ptr<FlatBufferModel> BuildFromDescriptor(int descriptor, uint64_t offset, uint64_t length,
                                                              ErrorReporter *reporter = DefaultErrorReporter()) {
    ArModel *model = nullptr;
    ArError *error = ar_model_from_descriptor(descriptor, offset, length, &model);
    return Wrap(error, model, reporter);
  }

  // Verifies the bytes of a file without copying them. They must not change until the model and its interpreters are
  // freed. Null on failure.
  static std::unique_ptr<FlatBufferModel> BuildFromBuffer(const char *caller_owned_buffer, size_t buffer_size,
                                                          ErrorReporter *reporter = DefaultErrorReporter()) {
    ArModel *model = nullptr;
    ArError *error = ar_model_from_borrowed(caller_owned_buffer, buffer_size, nullptr, nullptr, &model);
    return Wrap(error, model, reporter);
  }

  // Like BuildFromFile and BuildFromBuffer: every model is verified. The program cannot provide its own verifier, so
  // that argument is null.
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

  // The handle for the functions of arenite/model.h.
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
