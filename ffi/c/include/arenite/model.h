/*
 * arenite/model.h: verified .tflite models.
 *
 * Ownership  the caller owns a model and frees it once, at any time: interpreters keep the parts that they need
 * Threads    a model does not change and may be used on several threads at the same time
 * Errors     AR_ERROR_IO and AR_ERROR_MODEL when a model is loaded
 */
#ifndef ARENITE_MODEL_H
#define ARENITE_MODEL_H

#include <arenite/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A verified .tflite model. It does not change. Interpreters share it and keep it alive. */
typedef struct ArModel ArModel;

/* Reads a file into memory and verifies it. Later changes to the file have no effect.
 * Errors: AR_ERROR_IO; AR_ERROR_MODEL, with the invalid field. */
ARENITE_API ArError *ar_model_from_file(const char *path, ArModel **model);

/* Maps a file into memory and verifies it. Nothing is copied, and pages of weights that were packed leave memory: a
 * large model starts sooner and needs less memory. Until the model and its interpreters are freed, nothing may write
 * to or truncate the file, which could end the process. Renaming another file over it is fine.
 * Errors: as ar_model_from_file. */
ARENITE_API ArError *ar_model_map_file(const char *path, ArModel **model);

/* Reads `length` bytes at `offset` of an open file and verifies them: a model inside an archive or an app's package, or
 * one known only by its descriptor. The descriptor may be closed afterwards, and its position does not change.
 * Errors: AR_ERROR_IO, also for a part beyond the end of the file, with both numbers; AR_ERROR_MODEL, with the invalid
 * field; AR_ERROR_UNSUPPORTED on Windows. */
ARENITE_API ArError *ar_model_from_descriptor(int descriptor, uint64_t offset, uint64_t length, ArModel **model);

/* Maps a part of an open file, as ar_model_map_file maps a whole one. The descriptor may be closed afterwards.
 * Errors: as ar_model_from_descriptor. */
ARENITE_API ArError *ar_model_map_descriptor(int descriptor, uint64_t offset, uint64_t length, ArModel **model);

/* Copies the bytes of a file and verifies them. `data` need not be aligned.
 * Errors: AR_ERROR_MODEL. */
ARENITE_API ArError *ar_model_from_memory(const void *data, size_t size, ArModel **model);

/* Verifies the bytes of a file without copying them. They must not be modified until `release` is called.
 *   release  called exactly once: when the model and all its interpreters are freed or, if this function fails, before
 *            it returns. May be null
 * Errors: AR_ERROR_MODEL. */
ARENITE_API ArError *ar_model_from_borrowed(const void *data, size_t size, ArReleaseCallback release, void *user_data,
                                            ArModel **model);

/* Another file with constants of a model, which the model knows by its name. `release` is called as described for
 * ar_model_from_borrowed. */
typedef struct ArGroup {
  const char *name;
  const void *data;
  size_t size;
  ArReleaseCallback release; /* may be null */
  void *user_data;
} ArGroup;

/* As ar_model_from_borrowed, for a model whose constants are also in other files. A model that is loaded from its path
 * finds them next to it; here they are given.
 * Errors: AR_ERROR_MODEL, also for a file that is not given, with its name. */
ARENITE_API ArError *ar_model_with_groups(const void *data, size_t size, ArReleaseCallback release, void *user_data,
                                          const ArGroup *groups, size_t count, ArModel **model);

/* The number of signatures, which are entry points with names for their inputs and outputs. */
ARENITE_API size_t ar_model_signature_count(const ArModel *model);

/* The key of a signature, which belongs to the model. Null if the index is out of range. */
ARENITE_API const char *ar_model_signature_key(const ArModel *model, size_t index);

/* Frees a model. Its memory is kept until its interpreters are freed. */
ARENITE_API void ar_model_free(ArModel *model);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_MODEL_H */
