// The names of TensorFlow Lite's C++ interface, for programs written for it. Include this instead of TensorFlow Lite's
// headers, never together with them. The namespace tflite is an alias of arenite. Global names of TensorFlow Lite's C
// headers are defined here as well.
//
// Builders, models, interpreters, runners, tensors and statuses are all available. Kernels (TfLiteRegistration) and
// delegates (TfLiteDelegate) are not: ops are ArOpV1, and delegates have names.
#ifndef ARENITE_TFLITE_HPP
#define ARENITE_TFLITE_HPP

#include <arenite.hpp>

namespace tflite = arenite;

using TfLiteStatus = arenite::Status;
using TfLiteTensor = arenite::Tensor;
using TfLiteIntArray = arenite::IntArray;
using TfLiteQuantizationParams = arenite::QuantizationParams;
using TfLiteType = arenite::ElementType;
using TfLiteCustomAllocation = arenite::CustomAllocation;

constexpr TfLiteStatus kTfLiteOk = arenite::kOk;
constexpr TfLiteStatus kTfLiteError = arenite::kError;
constexpr TfLiteStatus kTfLiteDelegateError = arenite::kDelegateError;
constexpr TfLiteStatus kTfLiteUnresolvedOps = arenite::kUnresolvedOps;
constexpr TfLiteStatus kTfLiteCancelled = arenite::kCancelled;

constexpr TfLiteType kTfLiteFloat32 = arenite::kFloat32;
constexpr TfLiteType kTfLiteFloat16 = arenite::kFloat16;
constexpr TfLiteType kTfLiteInt32 = arenite::kInt32;
constexpr TfLiteType kTfLiteUInt8 = arenite::kUInt8;
constexpr TfLiteType kTfLiteInt64 = arenite::kInt64;
constexpr TfLiteType kTfLiteString = arenite::kString;
constexpr TfLiteType kTfLiteBool = arenite::kBool;
constexpr TfLiteType kTfLiteInt16 = arenite::kInt16;
constexpr TfLiteType kTfLiteComplex64 = arenite::kComplex64;
constexpr TfLiteType kTfLiteInt8 = arenite::kInt8;
constexpr TfLiteType kTfLiteFloat64 = arenite::kFloat64;
constexpr TfLiteType kTfLiteComplex128 = arenite::kComplex128;
constexpr TfLiteType kTfLiteUInt64 = arenite::kUInt64;
constexpr TfLiteType kTfLiteResource = arenite::kResource;
constexpr TfLiteType kTfLiteVariant = arenite::kVariant;
constexpr TfLiteType kTfLiteUInt32 = arenite::kUInt32;
constexpr TfLiteType kTfLiteUInt16 = arenite::kUInt16;
constexpr TfLiteType kTfLiteInt4 = arenite::kInt4;
constexpr TfLiteType kTfLiteBFloat16 = arenite::kBFloat16;

inline const char *TfLiteTypeGetName(TfLiteType type) { return arenite::TypeName(type); }

#endif  // ARENITE_TFLITE_HPP
