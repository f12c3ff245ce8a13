/*
 * arenite/model.h: verified .tflite models.
 *
 * Ownership  the caller owns a model and frees it once, at any time: interpreters keep what they need of it
 * Threads    a model does not change and may be used from several threads at once
 * Errors     AR_ERROR_IO and AR_ERROR_MODEL when it is made
 */
#ifndef ARENITE_MODEL_H
#define ARENITE_MODEL_H

#include <arenite/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A verified .tflite model. It does not change; interpreters share it and keep it alive. */
typedef struct ArModel ArModel;

/* Reads a file into memory and verifies it. What happens to the file afterwards changes nothing.
 * Errors: AR_ERROR_IO; AR_ERROR_MODEL, with the field that is wrong. */
ARENITE_API ArError *ar_model_from_file(const char *path, ArModel **model);

/* Maps a file into memory and verifies it. Nothing is copied, and pages of packed weights leave memory: a large model starts sooner
 * and takes less. Until the model and its interpreters are freed, the file must not be written to or cut short, which may end the
 * process; renaming another file over it is fine.
 * Errors: as ar_model_from_file. */
ARENITE_API ArError *ar_model_map_file(const char *path, ArModel **model);

/* Copies the bytes of a file and verifies them. `data` need not be aligned.
 * Errors: AR_ERROR_MODEL. */
ARENITE_API ArError *ar_model_from_memory(const void *data, size_t size, ArModel **model);

/* Verifies the bytes of a file without copying them. They must stay as they are until `release` is called.
 *   release  called exactly once: when the model and all its interpreters are freed, or before this returns if it
 *            fails, whatever the reason. May be null.
 * Errors: AR_ERROR_MODEL. */
ARENITE_API ArError *ar_model_from_borrowed(const void *data, size_t size, ArReleaseCallback release, void *user_data,
                                            ArModel **model);

/* Number of signatures: entry points with names for their inputs and outputs. */
ARENITE_API size_t ar_model_signature_count(const ArModel *model);

/* Key of a signature. Belongs to the model. Null if there are fewer. */
ARENITE_API const char *ar_model_signature_key(const ArModel *model, size_t index);

/* Frees a model. Its memory lives on until its interpreters are freed. */
ARENITE_API void ar_model_free(ArModel *model);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_MODEL_H */
