// arenite.hpp: run .tflite models from C++, in the style of TensorFlow Lite's C++ interface. C++17, headers only, over arenite.h.
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
// with model, interpreter and the statuses looked at: examples/classify.cpp is a whole program. A program that is written for
// TensorFlow Lite includes <arenite/tflite.hpp> in place of its headers.
//
// Rules
//  - Nothing throws, and nothing needs RTTI. What can fail returns a Status, or a pointer that is null. Why it failed goes to the
//    model's ErrorReporter (by default to stderr), and stays in error_text() and error_code() of the builder or interpreter that
//    was asked.
//  - Objects own what they hold and free it; none can be copied but options and resolvers. A model may be freed before its
//    interpreters.
//  - Tensors and signature runners belong to their interpreter. A pointer to a Tensor stays, and what it says is renewed by
//    AllocateTensors, Invoke, and whenever it is asked for.
//  - An index that is not there, or an element type that is another one, gives null, in every build.
//  - A model may be used from several threads at once; an interpreter by one at a time, Cancel apart.
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
