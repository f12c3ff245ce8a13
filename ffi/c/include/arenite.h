/*
 * arenite.h: run .tflite models from C and C++.
 *
 *   ArModel *model;
 *   ArInterpreter *interpreter;
 *   ArTensor *input;
 *   const ArTensor *output;
 *   ar_model_from_file("model.tflite", &model);
 *   ar_interpreter_new(model, NULL, &interpreter);
 *   ar_interpreter_allocate(interpreter);
 *   ar_interpreter_input(interpreter, 0, &input);
 *   ar_tensor_copy_from(input, pixels, sizeof pixels);
 *   ar_interpreter_invoke(interpreter);
 *   ar_interpreter_output(interpreter, 0, &output);
 *   ar_tensor_copy_to(output, scores, sizeof scores);
 *
 * plus checks of the returned errors: examples/classify.c is a complete program.
 *
 * Each header in arenite/ documents the functions of one type: their ownership rules, threads and errors.
 *
 * Rules
 *  - A function that can fail returns an ArError, or null on success. The caller frees the error. A function that
 *    returns a plain value returns 0 or null on failure, without a reason.
 *  - After an error, the result of a function in its last argument, `X **x`, is null.
 *  - The caller owns ArModel, ArOptions, ArRegistry, ArInterpreter, ArProfile and ArError, and frees each once. Freeing
 *    null does nothing. Models, options and registries may be freed before the interpreters that were created from
 *    them.
 *  - Handles (ArTensor, ArSignature, ArPlugin) belong to their interpreter and exist as long as it does. Asking twice
 *    for the same tensor returns the same handle. A handle stays valid after a resize, since it reads the current
 *    state.
 *  - Text is UTF-8 and null-terminated. Text that the library returns belongs to the object that it describes.
 *  - No argument may be null unless its description permits it; null is an error (AR_ERROR_ARGUMENT), not a crash.
 *  - A model and a registry may be used on several threads at the same time. One thread at a time may use an
 *    interpreter and its handles, not necessarily the one that created it; a call during another call is an error
 *    (AR_ERROR_STATE). The exception is ar_interpreter_cancel, which may be called on any thread.
 *  - Nothing unwinds out of the library. No longjmp or C++ exception may leave a callback.
 */
#ifndef ARENITE_H
#define ARENITE_H

#include <arenite/base.h>
#include <arenite/error.h>
#include <arenite/log.h>
#include <arenite/model.h>
#include <arenite/options.h>
#include <arenite/interpreter.h>
#include <arenite/tensor.h>
#include <arenite/signature.h>
#include <arenite/plugins.h>
#include <arenite/registry.h>
#include <arenite/plan.h>
#include <arenite/subgraph.h>
#include <arenite/observer.h>
#include <arenite/profile.h>
#include <arenite/picture.h>
#include <arenite/session.h>

#endif /* ARENITE_H */
