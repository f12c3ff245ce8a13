// arenite.hpp: run .tflite models from C++, in the style of TensorFlow Lite's C++ interface. C++17, headers only, over
// arenite.h.
//
//   auto model = arenite::FlatBufferModel::BuildFromFile("model.tflite");
//   arenite::ops::builtin::BuiltinOpResolver resolver;
//   std::unique_ptr<arenite::Interpreter> interpreter;
//   arenite::InterpreterBuilder(*model, resolver)(&interpreter);
//   interpreter->AllocateTensors();
//   std::copy(pixels.begin(), pixels.end(), interpreter->typed_input_tensor<float>(0));
//   interpreter->Invoke();
//   const float *scores = interpreter->typed_output_tensor<float>(0);
//
// For brevity the example ignores failures; examples/classify.cpp is a complete program. A program written for
// TensorFlow Lite includes <arenite/tflite.hpp> instead of its headers.
//
// Rules
//  - Nothing throws, and nothing needs RTTI. A call that can fail returns a Status or a null pointer. The reason goes
//    to the model's ErrorReporter (by default to stderr) and to error_text() and error_code() of the builder or
//    interpreter.
//  - Objects own their contents and free them. Only options and resolvers can be copied. A model may be freed before
//    its interpreters.
//  - Tensors and signature runners belong to their interpreter. A pointer to a Tensor stays valid; its fields are
//    updated by AllocateTensors, by Invoke, and each time the tensor is requested.
//  - A wrong index or element type gives null, in every build.
//  - Several threads may use a model at the same time, but only one an interpreter, except for Cancel.
#ifndef ARENITE_HPP
#define ARENITE_HPP

#include <arenite/cpp/status.hpp>
#include <arenite/cpp/tensor.hpp>
#include <arenite/cpp/model.hpp>
#include <arenite/cpp/options.hpp>
#include <arenite/cpp/signature_runner.hpp>
#include <arenite/cpp/interpreter.hpp>
#include <arenite/cpp/interpreter_builder.hpp>
#include <arenite/cpp/print.hpp>

#endif  // ARENITE_HPP
