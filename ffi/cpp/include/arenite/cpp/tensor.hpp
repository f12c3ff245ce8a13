// Tensors and element types, with the names of TensorFlow Lite's TfLiteTensor.
#ifndef ARENITE_CPP_TENSOR_HPP
#define ARENITE_CPP_TENSOR_HPP

#include <arenite/cpp/status.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace arenite {

// The values of the .tflite schema (AR_TYPE_*), which differ from those of TfLiteType.
enum ElementType : uint32_t {
  kFloat32 = AR_TYPE_FLOAT32,
  kFloat16 = AR_TYPE_FLOAT16,
  kInt32 = AR_TYPE_INT32,
  kUInt8 = AR_TYPE_UINT8,
  kInt64 = AR_TYPE_INT64,
  kString = AR_TYPE_STRING,
  kBool = AR_TYPE_BOOL,
  kInt16 = AR_TYPE_INT16,
  kComplex64 = AR_TYPE_COMPLEX64,
  kInt8 = AR_TYPE_INT8,
  kFloat64 = AR_TYPE_FLOAT64,
  kComplex128 = AR_TYPE_COMPLEX128,
  kUInt64 = AR_TYPE_UINT64,
  kResource = AR_TYPE_RESOURCE,
  kVariant = AR_TYPE_VARIANT,
  kUInt32 = AR_TYPE_UINT32,
  kUInt16 = AR_TYPE_UINT16,
  kInt4 = AR_TYPE_INT4,
  kBFloat16 = AR_TYPE_BFLOAT16,
  kInt2 = AR_TYPE_INT2,
  kUInt4 = AR_TYPE_UINT4,
  kFloat8E4M3FN = AR_TYPE_FLOAT8_E4M3FN,
  kFloat8E5M2 = AR_TYPE_FLOAT8_E5M2,
};

// The schema's name, for example "FLOAT32"; null for an unknown value.
inline const char *TypeName(ElementType type) { return ar_type_name(type); }

// The element type for a C++ type: TypeOf<float>::value.
template <typename T>
struct TypeOf;
template <> struct TypeOf<float> { static constexpr ElementType value = kFloat32; };
template <> struct TypeOf<int32_t> { static constexpr ElementType value = kInt32; };
template <> struct TypeOf<uint8_t> { static constexpr ElementType value = kUInt8; };
template <> struct TypeOf<int64_t> { static constexpr ElementType value = kInt64; };
template <> struct TypeOf<bool> { static constexpr ElementType value = kBool; };
template <> struct TypeOf<int16_t> { static constexpr ElementType value = kInt16; };
template <> struct TypeOf<std::complex<float>> { static constexpr ElementType value = kComplex64; };
template <> struct TypeOf<int8_t> { static constexpr ElementType value = kInt8; };
template <> struct TypeOf<double> { static constexpr ElementType value = kFloat64; };
template <> struct TypeOf<std::complex<double>> { static constexpr ElementType value = kComplex128; };
template <> struct TypeOf<uint64_t> { static constexpr ElementType value = kUInt64; };
template <> struct TypeOf<uint32_t> { static constexpr ElementType value = kUInt32; };
template <> struct TypeOf<uint16_t> { static constexpr ElementType value = kUInt16; };

// A shape: `data` has `size` dimensions, outermost first.
struct IntArray {
  int size = 0;
  const int *data = nullptr;
};

// real = scale * (q - zero_point). A scale of 0 means not quantized. If a tensor has several pairs, this is the first.
struct QuantizationParams {
  float scale = 0.0f;
  int32_t zero_point = 0;
};

// A tensor's data by element type. Only the data of inputs may be written, although the pointers allow more. Null
// before AllocateTensors.
union TensorData {
  void *data;
  char *raw;
  const char *raw_const;
  float *f;
  int32_t *i32;
  uint8_t *uint8;
  int64_t *i64;
  bool *b;
  int16_t *i16;
  std::complex<float> *c64;
  int8_t *int8;
  double *f64;
  std::complex<double> *c128;
  uint64_t *u64;
  uint32_t *u32;
  uint16_t *ui16;
};

// Memory of the program for a tensor, with its size.
struct CustomAllocation {
  void *data = nullptr;
  size_t bytes = 0;
};

// Memory of the program on a delegate's device: for "opencl" a cl_mem, for "vulkan" a VkBuffer.
struct DeviceMemory {
  std::string delegate;
  uint64_t object = 0;  // its pointer or number
  uint64_t offset = 0;  // where the tensor begins in it, in bytes; a multiple of 4
  uint64_t bytes = 0;   // from there
};

// A tensor of an interpreter, with the fields it had when it was last requested, allocated or computed.
class Tensor {
 public:
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;

  ElementType type = kFloat32;
  TensorData data{nullptr};
  const IntArray *dims = &shape_;
  const IntArray *dims_signature = &signature_;  // -1 for a dimension that the caller may choose; empty if the model has no signature
  QuantizationParams params;
  size_t bytes = 0;
  const char *name = "";
  bool is_constant = false;
  bool is_variable = false;  // keeps its value from one Invoke to the next

  // The data as elements of T; null if the element type differs, or before AllocateTensors.
  template <typename T>
  T *Elements() const {
    return type == TypeOf<T>::value ? static_cast<T *>(data.data) : nullptr;
  }

  // The product of the dimensions.
  size_t NumElements() const {
    size_t product = 1;
    for (const int dim : dims_) product *= static_cast<size_t>(dim);
    return product;
  }

  // All scales and zero points, if there is one pair per slice of a dimension.
  ArQuantization Quantization() const {
    ArQuantization quantization{nullptr, nullptr, 0, 0};
    errors_->Take(ar_tensor_quantization(handle_, &quantization));
    return quantization;
  }

  // Fills an input from a buffer of `size` bytes, or copies the data to one.
  Status CopyFrom(const void *buffer, size_t size) { return errors_->Take(ar_tensor_copy_from(handle_, buffer, size)); }
  Status CopyTo(void *buffer, size_t size) const { return errors_->Take(ar_tensor_copy_to(handle_, buffer, size)); }

  // The same with real numbers, one per element. Quantized tensors are converted with their scales and zero points.
  Status Quantize(const float *values, size_t count) { return errors_->Take(ar_tensor_quantize(handle_, values, count)); }
  Status Dequantize(float *values, size_t count) const { return errors_->Take(ar_tensor_dequantize(handle_, values, count)); }

  // Fills an input from a png, jpeg or bmp file, converted to its size and range. See arenite/picture.h for the rule;
  // the library may be built without this function.
  Status SetPicture(const char *path, const ArNormalization *normalization = nullptr) {
    return errors_->Take(ar_tensor_set_picture_file(handle_, path, normalization)) == kOk ? kOk : kError;
  }

  // Fills an input of strings, with one string per element.
  Status SetStrings(const std::vector<std::string_view> &strings) {
    std::vector<ArString> list;
    list.reserve(strings.size());
    for (const std::string_view text : strings) list.push_back({text.data(), text.size()});
    const Status status = errors_->Take(ar_tensor_set_strings(handle_, list.data(), list.size()));
    Renew();
    return status;
  }

  // The strings of a tensor, valid until the next call of the interpreter; empty if it does not hold strings.
  std::vector<std::string_view> Strings() const {
    std::vector<ArString> list(NumElements());
    std::vector<std::string_view> strings;
    if (errors_->Take(ar_tensor_strings(handle_, list.data(), list.size())) != kOk) return strings;
    for (const ArString &text : list) strings.emplace_back(text.length == 0 ? "" : text.data, text.length);
    return strings;
  }

  // The handle for the functions of arenite/tensor.h.
  ArTensor *handle() const { return handle_; }

 private:
  friend class Interpreter;
  friend class SignatureRunner;

  Tensor(ArTensor *handle, detail::Errors *errors) : errors_(errors) { Rebind(handle); }

  void Rebind(ArTensor *handle) {
    handle_ = handle;
    type = static_cast<ElementType>(ar_tensor_type(handle));
    name = ar_tensor_name(handle);
    is_variable = ar_tensor_is_variable(handle);
    size_t rank = 0;
    const int32_t *signature = ar_tensor_shape_signature(handle, &rank);
    signature_ = {signature != nullptr ? static_cast<int>(rank) : 0, signature};
    params = {ar_tensor_scale(handle), static_cast<int32_t>(ar_tensor_zero_point(handle))};
    Renew();
  }

  // Updates shape and data, which change when memory is allocated, and for some outputs with each run.
  void Renew() {
    dims_.resize(ar_tensor_rank(handle_));
    for (size_t axis = 0; axis < dims_.size(); axis++) dims_[axis] = ar_tensor_dim(handle_, axis);
    shape_ = {static_cast<int>(dims_.size()), dims_.data()};
    bytes = ar_tensor_byte_size(handle_);
    is_constant = ar_tensor_is_constant(handle_);
    const bool writable = !is_constant && type != kString;
    const void *readable = nullptr;
    if (!writable || !detail::Succeeded(ar_tensor_data_mut(handle_, &data.data))) {
      data.data = detail::Succeeded(ar_tensor_data(handle_, &readable)) ? const_cast<void *>(readable) : nullptr;
    }
  }

  ArTensor *handle_ = nullptr;
  detail::Errors *errors_;
  std::vector<int> dims_;
  IntArray shape_;
  IntArray signature_;
};

}  // namespace arenite

#endif  // ARENITE_CPP_TENSOR_HPP
