// Builds interpreters.
#ifndef ARENITE_CPP_INTERPRETER_BUILDER_HPP
#define ARENITE_CPP_INTERPRETER_BUILDER_HPP

#include <arenite/cpp/interpreter.hpp>

#include <memory>
#include <string>
#include <utility>

namespace arenite {

// Builds interpreters of a model. The given options are applied first, then the resolver's, then the settings made
// here.
class InterpreterBuilder {
 public:
  // Copies the resolver and the options.
  InterpreterBuilder(const FlatBufferModel &model, const OpResolver &resolver, const InterpreterOptions *options = nullptr)
      : model_(model.model_), errors_(model.error_reporter()) {
    if (options != nullptr) options_.Append(*options);
    options_.Append(resolver.options());
  }

  InterpreterBuilder(const InterpreterBuilder &) = delete;
  InterpreterBuilder &operator=(const InterpreterBuilder &) = delete;

  // Searches for plugins and builds an interpreter; sets it to null on failure.
  Status operator()(std::unique_ptr<Interpreter> *interpreter) {
    if (interpreter == nullptr) return errors_.Fail(AR_ERROR_ARGUMENT, "`interpreter` is null");
    interpreter->reset(new Interpreter(model_, options_, errors_.reporter()));
    const Status status = (*interpreter)->Rebuild();
    if (status != kOk) {
      errors_ = (*interpreter)->errors_;
      interpreter->reset();
    }
    return status;
  }
  Status operator()(std::unique_ptr<Interpreter> *interpreter, int num_threads) {
    SetNumThreads(num_threads);
    return (*this)(interpreter);
  }

  // The same settings as in InterpreterOptions.
  Status SetNumThreads(int count) {
    options_.SetNumThreads(count);
    return kOk;
  }
  void AddDelegate(std::string name, NamedOptions named = {}, OnMissing on_missing = kErrorOnMissing) {
    options_.AddDelegate(std::move(name), std::move(named), on_missing);
  }
  void RequireDelegate(std::string name, std::string op = "") {
    options_.RequireDelegate(std::move(name), std::move(op));
  }

  // The error of the last call that failed.
  ErrorCode error_code() const { return errors_.code(); }
  const std::string &error_text() const { return errors_.text(); }

 private:
  std::shared_ptr<ArModel> model_;
  detail::Errors errors_;
  InterpreterOptions options_;
};

}  // namespace arenite

#endif  // ARENITE_CPP_INTERPRETER_BUILDER_HPP
