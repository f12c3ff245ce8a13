/*
 * arenite/signature.h: signatures, entry points of a model with names for their inputs and outputs.
 *
 * Ownership  a handle and its texts belong to its interpreter
 * Threads    one thread at a time may use an interpreter and its signatures
 * Errors     AR_ERROR_NOT_FOUND for an unknown name, with the known ones; otherwise as for interpreters
 */
#ifndef ARENITE_SIGNATURE_H
#define ARENITE_SIGNATURE_H

#include <arenite/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A signature of an interpreter's model. */
typedef struct ArSignature ArSignature;

/* The signature's key, and the names of its inputs and outputs. They belong to the signature. Null if the index is
 * out of range. */
ARENITE_API const char *ar_signature_key(const ArSignature *signature);
ARENITE_API size_t ar_signature_input_count(const ArSignature *signature);
ARENITE_API const char *ar_signature_input_name(const ArSignature *signature, size_t index);
ARENITE_API size_t ar_signature_output_count(const ArSignature *signature);
ARENITE_API const char *ar_signature_output_name(const ArSignature *signature, size_t index);

/* An input and an output, by the name in the signature. Errors: AR_ERROR_NOT_FOUND with the known names. */
ARENITE_API ArError *ar_signature_input(ArSignature *signature, const char *name, ArTensor **tensor);
ARENITE_API ArError *ar_signature_output(const ArSignature *signature, const char *name, const ArTensor **tensor);

/* An input and an output, by position, without looking up a name. Errors: AR_ERROR_ARGUMENT if the index is out of
 * range. */
ARENITE_API ArError *ar_signature_input_at(ArSignature *signature, size_t index, ArTensor **tensor);
ARENITE_API ArError *ar_signature_output_at(const ArSignature *signature, size_t index, const ArTensor **tensor);

/* The index of the subgraph that the signature runs. */
ARENITE_API size_t ar_signature_subgraph(const ArSignature *signature);

/* Like ar_interpreter_resize_input, ar_interpreter_allocate and ar_interpreter_invoke, for the signature's subgraph.
 * ar_interpreter_cancel also cancels this invocation. */
ARENITE_API ArError *ar_signature_resize_input(ArSignature *signature, const char *name, const int32_t *dims,
                                               size_t rank);
ARENITE_API ArError *ar_signature_allocate(ArSignature *signature);
ARENITE_API ArError *ar_signature_invoke(ArSignature *signature);

/* Ties an output to an input, by their names in the signature: both are one memory, so the next invocation reads what
 * this one wrote. The memory begins with zeros, belongs to the interpreter, and is shared with all signatures that tie
 * an input of the same name. Call ar_signature_allocate afterwards. Tying a pair again does nothing.
 * Errors: AR_ERROR_NOT_FOUND with the known names; AR_ERROR_ARGUMENT if type or shape differ, or if one of the tensors
 * is constant, of strings, a variable, tied to another tensor, or in memory of the program; AR_ERROR_QUOTA. */
ARENITE_API ArError *ar_signature_tie(ArSignature *signature, const char *output, const char *input);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_SIGNATURE_H */
