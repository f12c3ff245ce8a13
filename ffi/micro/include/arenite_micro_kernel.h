/*
 * arenite_micro_kernel.h: the context functions of TensorFlow Lite Micro for kernels, implemented with
 * arenite_plugin.h.
 *
 * A kernel written for TfLiteContext keeps its body: it creates an ArKernelContext from the arguments of `prepare` or
 * `eval`, and calls the functions below instead of the context's. They cover everything in `TfLiteContext` that
 * microcontroller kernels use:
 *
 *   context->ReportError                 ar_kernel_report_error
 *   context->GetTensor                   ar_kernel_get_tensor
 *   context->GetEvalTensor               ar_kernel_get_eval_tensor
 *   context->RequestScratchBufferInArena ar_kernel_request_scratch
 *   context->GetScratchBuffer            ar_kernel_get_scratch
 *   context->AllocatePersistentBuffer    ar_kernel_allocate_persistent
 *   context->GetExternalContext          ar_kernel_external_context
 *
 * Such an op also runs in the large runtime, except that only the micro interpreter has an external context.
 */
#ifndef ARENITE_MICRO_KERNEL_H
#define ARENITE_MICRO_KERNEL_H

#include <arenite_plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The context of a kernel call. */
typedef struct ArKernelContext {
  const ArHostV1 *host;       /* what the plugin's entry got */
  const ArPrepareV1 *prepare; /* null while the kernel runs */
  const ArEvalV1 *eval;       /* null while it is prepared */
  const ArNodeV1 *node;
  void *external; /* of the program: `ar_micro_external()`, or null */
} ArKernelContext;

/* Reports an error; `text` must be null-terminated. The kernel must then return a status other than AR_STATUS_OK. */
static inline void ar_kernel_report_error(const ArKernelContext *context, const char *text) {
  ArStr message = {(const uint8_t *)text, 0};
  while (text[message.length] != 0) message.length++;
  context->host->set_error(message);
}

/* In `prepare`: the tensor with this index from the node's lists of inputs and outputs; null if the index is out of
 * range, such as -1 for an absent optional input. Only constants have data. */
static inline const ArTensorV1 *ar_kernel_get_tensor(const ArKernelContext *context, int32_t index) {
  const ArNodeV1 *node = context->node;
  if (index < 0 || (size_t)index >= node->tensor_count) return NULL;
  return (const ArTensorV1 *)((const char *)node->tensors + (size_t)index * node->tensor_stride);
}

/* In `eval`: the same tensor, with data. */
static inline const ArTensorV1 *ar_kernel_get_eval_tensor(const ArKernelContext *context, int32_t index) {
  return ar_kernel_get_tensor(context, index);
}

/* In `prepare`: requests a buffer for each `eval`, aligned to 16 bytes. `*handle` identifies it in `eval`. */
static inline ArStatus ar_kernel_request_scratch(const ArKernelContext *context, size_t bytes, uint32_t *handle) {
  return context->prepare->request_scratch(context->prepare->context, bytes, 16, handle);
}

/* In `eval`: the requested buffer; null for an unknown handle. */
static inline void *ar_kernel_get_scratch(const ArKernelContext *context, uint32_t handle) {
  if (context->eval == NULL || handle >= context->eval->scratch_count) return NULL;
  return context->eval->scratch[handle].data;
}

/* In `prepare`: zeroed memory, aligned to 16 bytes, that is valid as long as the interpreter. Null if the arena is
 * full, in which case the host has recorded the error. */
static inline void *ar_kernel_allocate_persistent(const ArKernelContext *context, size_t bytes) {
  uint32_t index = 0;
  void *data = NULL;
  ArStatus status = context->prepare->request_persistent(context->prepare->context, bytes, 16, &index, &data);
  return status == AR_STATUS_OK ? data : NULL;
}

/* The pointer set by ar_micro_set_external. */
static inline void *ar_kernel_external_context(const ArKernelContext *context) { return context->external; }

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_MICRO_KERNEL_H */
