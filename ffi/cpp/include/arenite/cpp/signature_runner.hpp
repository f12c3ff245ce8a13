// Signatures: entry points of a model with names for their inputs and outputs.
#ifndef ARENITE_CPP_SIGNATURE_RUNNER_HPP
#define ARENITE_CPP_SIGNATURE_RUNNER_HPP

#include <arenite/cpp/tensor.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace arenite {

// Runs the subgraph of a signature. Returned by Interpreter::GetSignatureRunner and valid as long as the interpreter.
class SignatureRunner {
 public:
  SignatureRunner(const SignatureRunner &) = delete;
  SignatureRunner &operator=(const SignatureRunner &) = delete;

  const std::string &signature_key() const { return key_; }
  size_t input_size() const { return inputs_.names.size(); }
  size_t output_size() const { return outputs_.names.size(); }
  const std::vector<const char *> &input_names() const { return inputs_.names; }
  const std::vector<const char *> &output_names() const { return outputs_.names; }

  // A tensor by its name in the signature; null if there is no such name.
  Tensor *input_tensor(const char *name) { return Find(inputs_, name); }
  const Tensor *output_tensor(const char *name) const { return Find(outputs_, name); }

  // The same calls as those of the interpreter.
  Status ResizeInputTensor(const char *name, const std::vector<int> &dims) {
    return errors_->Take(ar_signature_resize_input(signature_, name, dims.data(), dims.size()));
  }
  Status AllocateTensors() { return Renewed(ar_signature_allocate(signature_)); }
  // Makes an output and an input one memory, which signatures share by the input's name. See ar_signature_tie. Call
  // AllocateTensors afterwards.
  Status Tie(const char *output, const char *input) { return Renewed(ar_signature_tie(signature_, output, input)); }
  Status Invoke() { return Renewed(ar_signature_invoke(signature_)); }
  Status Cancel() const {
    ar_interpreter_cancel(interpreter_);
    return kOk;
  }

  // The handle for the functions of arenite/signature.h.
  ArSignature *handle() const { return signature_; }

 private:
  friend class Interpreter;

  // In the same order as `names`.
  struct Side {
    std::vector<const char *> names;
    std::vector<std::unique_ptr<Tensor>> tensors;
  };

  SignatureRunner(ArInterpreter *interpreter, ArSignature *signature, detail::Errors *errors)
      : interpreter_(interpreter), signature_(signature), errors_(errors), key_(ar_signature_key(signature)) {
    for (size_t i = 0; i < ar_signature_input_count(signature); i++) {
      ArTensor *tensor = nullptr;
      if (errors->Take(ar_signature_input_at(signature, i, &tensor)) == kOk) {
        Add(inputs_, ar_signature_input_name(signature, i), tensor);
      }
    }
    for (size_t i = 0; i < ar_signature_output_count(signature); i++) {
      const ArTensor *tensor = nullptr;
      if (errors->Take(ar_signature_output_at(signature, i, &tensor)) == kOk) {
        Add(outputs_, ar_signature_output_name(signature, i), tensor);
      }
    }
  }

  // Adds a writable handle of the tensor.
  void Add(Side &side, const char *name, const ArTensor *tensor) {
    ArTensor *handle = nullptr;
    const size_t index = ar_tensor_index(tensor);
    if (errors_->Take(ar_interpreter_tensor_of(interpreter_, ar_signature_subgraph(signature_), index, &handle)) != kOk) return;
    side.names.push_back(name);
    side.tensors.emplace_back(new Tensor(handle, errors_));
  }

  static Tensor *Find(const Side &side, const char *name) {
    for (size_t i = 0; name != nullptr && i < side.names.size(); i++) {
      if (std::strcmp(side.names[i], name) == 0) {
        side.tensors[i]->Renew();
        return side.tensors[i].get();
      }
    }
    return nullptr;
  }

  Status Renewed(ArError *error) {
    const Status status = errors_->Take(error);
    for (const Side *side : {&inputs_, &outputs_}) {
      for (const auto &tensor : side->tensors) tensor->Renew();
    }
    return status;
  }

  ArInterpreter *interpreter_;
  ArSignature *signature_;
  detail::Errors *errors_;
  std::string key_;
  Side inputs_;
  Side outputs_;
};

}  // namespace arenite

#endif  // ARENITE_CPP_SIGNATURE_RUNNER_HPP
