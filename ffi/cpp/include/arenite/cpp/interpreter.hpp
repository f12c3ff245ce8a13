// Interpreters, which run models.
#ifndef ARENITE_CPP_INTERPRETER_HPP
#define ARENITE_CPP_INTERPRETER_HPP

#include <arenite/cpp/model.hpp>
#include <arenite/cpp/options.hpp>
#include <arenite/cpp/signature_runner.hpp>
#include <arenite/cpp/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace arenite {

// Runs a model's main subgraph and its signatures. Created by InterpreterBuilder.
class Interpreter {
 public:
  Interpreter(const Interpreter &) = delete;
  Interpreter &operator=(const Interpreter &) = delete;

  // Applies delegates, prepares every node and plans memory. Call it before the first Invoke and after each resize.
  Status AllocateTensors() {
    bound_ = true;
    return Renewed(ar_interpreter_allocate(interpreter_.get()));
  }

  // Runs the main subgraph once. The interpreter stays usable after an error.
  Status Invoke() { return Renewed(ar_interpreter_invoke(interpreter_.get())); }

  // Makes the current Invoke end with kCancelled. May be called from any thread.
  Status Cancel() const {
    ar_interpreter_cancel(interpreter_.get());
    return kOk;
  }

  // Zeroes variables and resets the states of ops.
  Status ResetVariableTensors() { return errors_.Take(ar_interpreter_reset_variables(interpreter_.get())); }

  // Changes the shape of the input with this index. Call AllocateTensors afterwards.
  Status ResizeInputTensor(int tensor_index, const std::vector<int> &dims) {
    const Tensor *tensor = Find(tensor_index);
    if (tensor == nullptr) return NoSuchTensor(tensor_index);
    const Status status = errors_.Take(ar_tensor_resize(tensor->handle(), dims.data(), dims.size()));
    if (status == kOk) resizes_.emplace_back(tensor_index, dims);
    return status;
  }

  // Like ResizeInputTensor, but only changes dimensions that the model leaves open.
  Status ResizeInputTensorStrict(int tensor_index, const std::vector<int> &dims) {
    const Tensor *tensor = Find(tensor_index);
    if (tensor == nullptr) return NoSuchTensor(tensor_index);
    const bool told = tensor->dims_signature->size > 0;
    const IntArray &wanted = told ? *tensor->dims_signature : *tensor->dims;
    bool fits = dims.size() == static_cast<size_t>(wanted.size);
    for (size_t axis = 0; fits && axis < dims.size(); axis++) {
      fits = wanted.data[axis] == dims[axis] || (told && wanted.data[axis] == -1);
    }
    if (fits) return ResizeInputTensor(tensor_index, dims);
    return errors_.Fail(AR_ERROR_ARGUMENT, std::string("only dimensions of `") + tensor->name +
                                               "` that are -1 in dims_signature may change; ResizeInputTensor changes any");
  }

  // Places an input, an output or a variable in memory of the program, which must outlive the interpreter and be
  // aligned to AR_MEMORY_ALIGNMENT. Call AllocateTensors afterwards. See ar_tensor_lend for details. `flags` must be 0.
  Status SetCustomAllocationForTensor(int tensor_index, const CustomAllocation &allocation, int64_t flags = 0) {
    const Tensor *tensor = Find(tensor_index);
    if (tensor == nullptr) return NoSuchTensor(tensor_index);
    if (flags != 0) return errors_.Fail(AR_ERROR_ARGUMENT, "`flags` must be 0: alignment is always checked");
    bound_ = true;
    return errors_.Take(ar_tensor_lend(tensor->handle(), allocation.data, allocation.bytes, nullptr, nullptr));
  }

  // Binds memory of the program on a delegate's device to an input or output: Invoke reads or writes it there, and the
  // tensor's data is null until UnbindDeviceMemory. Call it after AllocateTensors. See ar_tensor_bind_device_memory for
  // details.
  Status BindDeviceMemory(int tensor_index, const DeviceMemory &memory) {
    const Tensor *tensor = Find(tensor_index);
    if (tensor == nullptr) return NoSuchTensor(tensor_index);
    const ArDeviceMemory raw{memory.delegate.c_str(), memory.object, memory.offset, memory.bytes};
    return Renewed(ar_tensor_bind_device_memory(tensor->handle(), &raw));
  }
  Status UnbindDeviceMemory(int tensor_index) {
    const Tensor *tensor = Find(tensor_index);
    if (tensor == nullptr) return NoSuchTensor(tensor_index);
    return Renewed(ar_tensor_unbind_device_memory(tensor->handle()));
  }

  // An object of the API of a delegate's device, on which to create this memory: "context" of "opencl", for example.
  // See ar_interpreter_device_object.
  Status GetDeviceObject(const char *delegate, const char *name, uint64_t *object) {
    return errors_.Take(ar_interpreter_device_object(interpreter_.get(), delegate, name, object));
  }

  // Writes the partitions that delegates would have after AllocateTensors, as JSON. See
  // ar_interpreter_preview_delegates.
  Status PreviewDelegates(std::string *json) {
    const char *text = nullptr;
    const Status status = errors_.Take(ar_interpreter_preview_delegates(interpreter_.get(), 0, &text));
    if (status == kOk) *json = text;
    return status;
  }

  // Frees the memory of activations. AllocateTensors allocates it again; inputs must then be filled again.
  Status ReleaseNonPersistentMemory() { return Renewed(ar_interpreter_release_memory(interpreter_.get())); }

  // Ties the outputs of all signatures to inputs with the same name, type and shape. Call AllocateTensors afterwards.
  Status TieCaches() { return Renewed(ar_interpreter_tie_caches(interpreter_.get(), nullptr)); }

  // Sets the number of threads as InterpreterOptions::SetNumThreads does. Call it before AllocateTensors, or use
  // InterpreterBuilder::SetNumThreads.
  Status SetNumThreads(int count) {
    if (bound_) {
      return errors_.Fail(AR_ERROR_STATE, "the number of threads is fixed by AllocateTensors: call SetNumThreads before "
                                          "AllocateTensors, or use InterpreterBuilder::SetNumThreads");
    }
    options_.SetNumThreads(count);
    return Rebuild();
  }

  // Indices of tensors.
  const std::vector<int> &inputs() const { return inputs_; }
  const std::vector<int> &outputs() const { return outputs_; }
  const std::vector<int> &variables() const { return variables_; }
  size_t tensors_size() const { return tensors_.size(); }
  size_t subgraphs_size() const { return ar_interpreter_subgraph_count(interpreter_.get()); }

  // A tensor by its index in the model; null if out of range. Tensors share memory: after Invoke, a tensor that is
  // neither an input nor an output may contain data of another one.
  Tensor *tensor(int index) { return Find(index); }
  const Tensor *tensor(int index) const { return Find(index); }

  // An input or output by position.
  Tensor *input_tensor(size_t i) { return i < inputs_.size() ? Find(inputs_[i]) : nullptr; }
  const Tensor *input_tensor(size_t i) const { return i < inputs_.size() ? Find(inputs_[i]) : nullptr; }
  Tensor *output_tensor(size_t i) { return i < outputs_.size() ? Find(outputs_[i]) : nullptr; }
  const Tensor *output_tensor(size_t i) const { return i < outputs_.size() ? Find(outputs_[i]) : nullptr; }
  const char *GetInputName(int i) const { return NameOf(input_tensor(static_cast<size_t>(i))); }
  const char *GetOutputName(int i) const { return NameOf(output_tensor(static_cast<size_t>(i))); }

  // The data as elements of T; null if there is no such tensor, if its element type differs, or before AllocateTensors.
  template <typename T>
  T *typed_tensor(int index) {
    return ElementsOf<T>(Find(index));
  }
  template <typename T>
  const T *typed_tensor(int index) const {
    return ElementsOf<T>(Find(index));
  }
  template <typename T>
  T *typed_input_tensor(int i) {
    return ElementsOf<T>(input_tensor(static_cast<size_t>(i)));
  }
  template <typename T>
  const T *typed_input_tensor(int i) const {
    return ElementsOf<T>(input_tensor(static_cast<size_t>(i)));
  }
  template <typename T>
  T *typed_output_tensor(int i) {
    return ElementsOf<T>(output_tensor(static_cast<size_t>(i)));
  }
  template <typename T>
  const T *typed_output_tensor(int i) const {
    return ElementsOf<T>(output_tensor(static_cast<size_t>(i)));
  }

  // The keys of the model's signatures, and the runner for a key; null if no signature has this key.
  std::vector<const std::string *> signature_keys() const {
    std::vector<const std::string *> keys;
    for (const std::string &key : keys_) keys.push_back(&key);
    return keys;
  }
  SignatureRunner *GetSignatureRunner(const char *key) {
    for (const auto &runner : runners_) {
      if (key != nullptr && runner->signature_key() == key) return runner.get();
    }
    ArSignature *signature = nullptr;
    if (errors_.Take(ar_interpreter_signature(interpreter_.get(), key, &signature)) != kOk) return nullptr;
    bound_ = true;
    runners_.emplace_back(new SignatureRunner(interpreter_.get(), signature, &errors_));
    return runners_.back().get();
  }

  // The error of the last call that failed.
  ErrorCode error_code() const { return errors_.code(); }
  const std::string &error_text() const { return errors_.text(); }
  ErrorReporter *error_reporter() const { return errors_.reporter(); }

  // The handle for the functions of arenite/interpreter.h and arenite/plugins.h.
  ArInterpreter *handle() const { return interpreter_.get(); }

 private:
  friend class InterpreterBuilder;

  Interpreter(std::shared_ptr<ArModel> model, InterpreterOptions options, ErrorReporter *reporter)
      : options_(std::move(options)), model_(std::move(model)), errors_(reporter) {
    for (size_t i = 0; i < ar_model_signature_count(model_.get()); i++) {
      keys_.emplace_back(ar_model_signature_key(model_.get(), i));
    }
  }

  // Creates the library's interpreter with the current options, and binds existing tensors and runners to it.
  Status Rebuild() {
    const detail::Owned<ArOptions> options(ar_options_new());
    Status status = errors_.Take(options_.Apply(options.get()));
    ArInterpreter *made = nullptr;
    if (status == kOk) status = errors_.Take(ar_interpreter_new(model_.get(), options.get(), &made));
    if (status != kOk) return status;
    detail::Owned<ArInterpreter> old(made);
    interpreter_.swap(old);
    tensors_.resize(ar_interpreter_tensor_count(made));
    for (size_t i = 0; i < tensors_.size(); i++) {
      if (tensors_[i] != nullptr) tensors_[i]->Rebind(HandleOf(i));
    }
    inputs_ = Indices(ar_interpreter_inputs_of);
    outputs_ = Indices(ar_interpreter_outputs_of);
    variables_ = Indices(ar_interpreter_variables_of);
    for (const auto &[index, dims] : resizes_) {
      if (status == kOk) status = errors_.Take(ar_tensor_resize(Find(index)->handle(), dims.data(), dims.size()));
    }
    return status;
  }

  // Tensor indices of the main subgraph.
  std::vector<int> Indices(ArError *(*list)(ArInterpreter *, size_t, const int32_t **, size_t *)) {
    const int32_t *indices = nullptr;
    size_t count = 0;
    return errors_.Take(list(interpreter_.get(), 0, &indices, &count)) == kOk && count > 0
               ? std::vector<int>(indices, indices + count)
               : std::vector<int>();
  }

  // A writable handle of a tensor of the main subgraph; null if out of range.
  ArTensor *HandleOf(size_t index) const {
    ArTensor *tensor = nullptr;
    errors_.Take(ar_interpreter_tensor_of(interpreter_.get(), 0, index, &tensor));
    return tensor;
  }

  Status NoSuchTensor(int index) {
    return errors_.Fail(AR_ERROR_ARGUMENT, "tensor " + std::to_string(index) + " does not exist; the model has " +
                                               std::to_string(tensors_.size()));
  }

  // The tensor with its current fields.
  Tensor *Find(int index) const {
    if (index < 0 || static_cast<size_t>(index) >= tensors_.size()) return nullptr;
    std::unique_ptr<Tensor> &tensor = tensors_[static_cast<size_t>(index)];
    if (tensor != nullptr) {
      tensor->Renew();
    } else if (ArTensor *handle = HandleOf(static_cast<size_t>(index))) {
      tensor.reset(new Tensor(handle, &errors_));
    }
    return tensor.get();
  }

  Status Renewed(ArError *error) {
    const Status status = errors_.Take(error);
    for (const auto &tensor : tensors_) {
      if (tensor != nullptr) tensor->Renew();
    }
    return status;
  }

  template <typename T>
  static T *ElementsOf(const Tensor *tensor) {
    return tensor != nullptr ? tensor->Elements<T>() : nullptr;
  }

  static const char *NameOf(const Tensor *tensor) { return tensor != nullptr ? tensor->name : nullptr; }

  // Freed last, because they hold the data of ops that the interpreter calls.
  InterpreterOptions options_;
  std::shared_ptr<ArModel> model_;
  mutable detail::Errors errors_;
  detail::Owned<ArInterpreter> interpreter_;
  std::vector<std::string> keys_;
  std::vector<int> inputs_;
  std::vector<int> outputs_;
  std::vector<int> variables_;
  std::vector<std::pair<int, std::vector<int>>> resizes_;
  // By index; null until the tensor is first requested.
  mutable std::vector<std::unique_ptr<Tensor>> tensors_;
  std::vector<std::unique_ptr<SignatureRunner>> runners_;
  bool bound_ = false;  // whether existing tensors and runners point into the library's current interpreter
};

}  // namespace arenite

#endif  // ARENITE_CPP_INTERPRETER_HPP
