// Statuses and error reporting.
#ifndef ARENITE_CPP_STATUS_HPP
#define ARENITE_CPP_STATUS_HPP

#include <arenite.h>

#include <cstdarg>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

namespace arenite {

// The result of a call, in TensorFlow Lite's terms. ErrorCode is more specific.
enum Status : int {
  kOk = 0,
  kError = 1,
  kDelegateError = 2,  // a delegate's driver or device is missing
  kUnresolvedOps = 7,  // no plugin has an op of the model
  kCancelled = 8,
};

// The values AR_ERROR_* of arenite/error.h.
using ErrorCode = ArErrorCode;

// Receives error messages, as arguments of printf. It must outlive the models built with it and their interpreters.
class ErrorReporter {
 public:
  virtual ~ErrorReporter() = default;
  virtual int Report(const char *format, va_list arguments) = 0;

  int Report(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int written = Report(format, arguments);
    va_end(arguments);
    return written;
  }
};

// Writes each message to stderr as a line.
class StderrReporter : public ErrorReporter {
 public:
  using ErrorReporter::Report;
  int Report(const char *format, va_list arguments) override {
    const int written = std::vfprintf(stderr, format, arguments);
    std::fputc('\n', stderr);
    return written;
  }
};

// Keeps the last message.
class TextReporter : public ErrorReporter {
 public:
  using ErrorReporter::Report;
  int Report(const char *format, va_list arguments) override {
    va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    if (length < 0) return length;
    std::string text(static_cast<size_t>(length) + 1, '\0');
    std::vsnprintf(text.data(), text.size(), format, arguments);
    text.pop_back();
    text_ = std::move(text);
    return length;
  }

  const std::string &text() const { return text_; }

 private:
  std::string text_;
};

// The default reporter, which writes to stderr.
inline ErrorReporter *DefaultErrorReporter() {
  static StderrReporter reporter;
  return &reporter;
}

namespace detail {

struct Free {
  void operator()(ArError *error) const { ar_error_free(error); }
  void operator()(ArModel *model) const { ar_model_free(model); }
  void operator()(ArOptions *options) const { ar_options_free(options); }
  void operator()(ArInterpreter *interpreter) const { ar_interpreter_free(interpreter); }
};

template <typename T>
using Owned = std::unique_ptr<T, Free>;

// Whether a call succeeded; its error is discarded.
inline bool Succeeded(ArError *error) { return Owned<ArError>(error) == nullptr; }

inline Status StatusOf(ErrorCode code) {
  switch (code) {
    case AR_ERROR_NONE: return kOk;
    case AR_ERROR_UNSUPPORTED: return kUnresolvedOps;
    case AR_ERROR_CANCELLED: return kCancelled;
    case AR_ERROR_UNAVAILABLE: return kDelegateError;
    default: return kError;
  }
}

// Reports errors and keeps the last one.
class Errors {
 public:
  explicit Errors(ErrorReporter *reporter) : reporter_(reporter) {}

  // Takes ownership of the error returned by a library call.
  Status Take(ArError *raw) {
    if (raw == nullptr) return kOk;
    const Owned<ArError> error(raw);
    return Fail(ar_error_code(raw), ar_error_message(raw));
  }

  Status Fail(ErrorCode code, std::string text) {
    code_ = code;
    text_ = std::move(text);
    if (reporter_ != nullptr) reporter_->Report("%s", text_.c_str());
    return StatusOf(code);
  }

  ErrorReporter *reporter() const { return reporter_; }
  ErrorCode code() const { return code_; }
  const std::string &text() const { return text_; }

 private:
  ErrorReporter *reporter_;
  ErrorCode code_ = AR_ERROR_NONE;
  std::string text_;
};

}  // namespace detail
}  // namespace arenite

#endif  // ARENITE_CPP_STATUS_HPP
