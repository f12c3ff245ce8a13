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
 * with the returned errors looked at: examples/classify.c is a whole program.
 *
 * One header per type, below arenite/, describes its functions, and says who owns what, on which threads, and what fails.
 *
 * Rules
 *  - A function that can fail returns an ArError, or null if it went well. The caller frees it. A function that returns
 *    a plain value cannot be asked why it gave 0 or null.
 *  - What a function gives through its last argument, `X **x`, is null after an error.
 *  - ArModel, ArOptions, ArRegistry, ArInterpreter, ArProfile and ArError are owned by the caller, who frees each once. Freeing
 *    null does nothing. Models, options and registries may be freed while interpreters that were made of them live.
 *  - Handles (ArTensor, ArSignature, ArPlugin) belong to their interpreter and live as long. Asking twice for the
 *    same tensor gives the same handle. A handle stays right after a resize: it is asked anew each time.
 *  - Text is UTF-8 and ends with a null byte. Text that the library returns belongs to the object that it was asked from.
 *  - No argument may be null, unless its description says so; a null is an error (AR_ERROR_ARGUMENT), not a crash.
 *  - A model and a registry may be used from several threads at once. An interpreter and its handles are for one thread at a time,
 *    which need not be the one that made it, ar_interpreter_cancel apart; a call that comes while another one runs is
 *    an error (AR_ERROR_STATE).
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
#include <arenite/subgraph.h>
#include <arenite/observer.h>
#include <arenite/profile.h>
#include <arenite/picture.h>

#endif /* ARENITE_H */
