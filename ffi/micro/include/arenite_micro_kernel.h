/*
 * arenite_micro_kernel.h: what kernels of TensorFlow Lite Micro ask of their context, over the structs of arenite_plugin.h.
 *
 * A kernel that was written for TfLiteContext keeps its body: it makes an ArKernelContext of what `prepare` or `eval` gets, and calls
 * the functions below in place of the context's. They are all there is in `TfLiteContext` for kernels of microcontrollers:
 *
 *   context->ReportError                 ar_kernel_report_error
 *   context->GetTensor                   ar_kernel_get_tensor
 *   context->GetEvalTensor               ar_kernel_get_eval_tensor
 *   context->RequestScratchBufferInArena ar_kernel_request_scratch
 *   context->GetScratchBuffer            ar_kernel_get_scratch
 *   context->AllocatePersistentBuffer    ar_kernel_allocate_persistent
 *   context->GetExternalContext          ar_kernel_external_context
 *
 * Such an op runs in the large runtime, too: only the external context is the micro interpreter's alone.
 */
#ifndef ARENITE_MICRO_KERNEL_H
#define ARENITE_MICRO_KERNEL_H

#include <arenite_plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call of a kernel has. */
typedef struct ArKernelContext {
  const ArHostV1 *host;       /* what the plugin's entry got */
  const ArPrepareV1 *prepare; /* null while the kernel runs */
  const ArEvalV1 *eval;       /* null while it is prepared */
  const ArNodeV1 *node;
  void *external; /* of the program: `ar_micro_external()`, or null */
} ArKernelContext;

/* Says what is wrong; `text` ends with a zero. The kernel then returns a status other than AR_STATUS_OK. */
static inline void ar_kernel_report_error(const ArKernelContext *context, const char *text) {
  ArStr message = {(const uint8_t *)text, 0};
  while (text[message.length] != 0) message.length++;
  context->host->set_error(message);
}

/* The tensor with this index, as the node's lists of inputs and outputs have it; null if the index is that of no tensor: -1 is an
 * optional input that is absent. Data is there of constants alone. */
static inline const ArTensorV1 *ar_kernel_get_tensor(const ArKernelContext *context, int32_t index) {
  const ArNodeV1 *node = context->node;
  if (index < 0 || (size_t)index >= node->tensor_count) return NULL;
  return (const ArTensorV1 *)((const char *)node->tensors + (size_t)index * node->tensor_stride);
}

/* The same while the kernel runs, with data. */
static inline const ArTensorV1 *ar_kernel_get_eval_tensor(const ArKernelContext *context, int32_t index) {
  return ar_kernel_get_tensor(context, index);
}

/* In `prepare`: a buffer for the length of one `eval`, aligned to 16 bytes. `*handle` finds it there. */
static inline ArStatus ar_kernel_request_scratch(const ArKernelContext *context, size_t bytes, uint32_t *handle) {
  return context->prepare->request_scratch(context->prepare->context, bytes, 16, handle);
}

/* In `eval`: that buffer; null if there is none. */
static inline void *ar_kernel_get_scratch(const ArKernelContext *context, uint32_t handle) {
  if (context->eval == NULL || handle >= context->eval->scratch_count) return NULL;
  return context->eval->scratch[handle].data;
}

/* In `prepare`: zeroed memory, aligned to 16 bytes, for as long as the interpreter; null if there is none left, and then the host knows. */
static inline void *ar_kernel_allocate_persistent(const ArKernelContext *context, size_t bytes) {
  uint32_t index = 0;
  void *data = NULL;
  ArStatus status = context->prepare->request_persistent(context->prepare->context, bytes, 16, &index, &data);
  return status == AR_STATUS_OK ? data : NULL;
}

/* What the program gave with ar_micro_set_external. */
static inline void *ar_kernel_external_context(const ArKernelContext *context) { return context->external; }

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_MICRO_KERNEL_H */
