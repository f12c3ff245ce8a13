/* Prints sizes and offsets of the structs that the library shares with programs. Compiled with our declarations or
 * with TensorFlow Lite's headers. */
#ifdef REAL_HEADERS
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/common.h"
#endif
#include "tflite.h"

#include <stdio.h>

#define FIELD(type, field) printf(#type "." #field ": %d\n", (int)offsetof(type, field))
#define SIZE(type) printf(#type ": %d\n", (int)sizeof(type))

int main(void) {
  SIZE(TfLiteTensor);
  FIELD(TfLiteTensor, type);
  FIELD(TfLiteTensor, data);
  FIELD(TfLiteTensor, dims);
  FIELD(TfLiteTensor, params);
  FIELD(TfLiteTensor, allocation_type);
  FIELD(TfLiteTensor, bytes);
  FIELD(TfLiteTensor, allocation);
  FIELD(TfLiteTensor, name);
  FIELD(TfLiteTensor, delegate);
  FIELD(TfLiteTensor, buffer_handle);
  FIELD(TfLiteTensor, data_is_stale);
  FIELD(TfLiteTensor, is_variable);
  FIELD(TfLiteTensor, quantization);
  FIELD(TfLiteTensor, sparsity);
  FIELD(TfLiteTensor, dims_signature);
  SIZE(TfLiteNode);
  FIELD(TfLiteNode, inputs);
  FIELD(TfLiteNode, outputs);
  FIELD(TfLiteNode, intermediates);
  FIELD(TfLiteNode, temporaries);
  FIELD(TfLiteNode, user_data);
  FIELD(TfLiteNode, builtin_data);
  FIELD(TfLiteNode, custom_initial_data);
  FIELD(TfLiteNode, custom_initial_data_size);
  FIELD(TfLiteNode, delegate);
  FIELD(TfLiteNode, might_have_side_effect);
  FIELD(TfLiteContext, tensors_size);
  FIELD(TfLiteContext, GetExecutionPlan);
  FIELD(TfLiteContext, tensors);
  FIELD(TfLiteContext, impl_);
  FIELD(TfLiteContext, ResizeTensor);
  FIELD(TfLiteContext, ReportError);
  FIELD(TfLiteContext, AddTensors);
  FIELD(TfLiteContext, GetNodeAndRegistration);
  FIELD(TfLiteContext, ReplaceNodeSubsetsWithDelegateKernels);
  FIELD(TfLiteContext, recommended_num_threads);
  FIELD(TfLiteContext, GetExternalContext);
  FIELD(TfLiteContext, SetExternalContext);
  FIELD(TfLiteContext, allow_fp32_relax_to_fp16);
  FIELD(TfLiteContext, profiler);
  FIELD(TfLiteContext, AllocatePersistentBuffer);
  FIELD(TfLiteContext, AllocateBufferForEval);
  FIELD(TfLiteContext, RequestScratchBufferInArena);
  FIELD(TfLiteContext, GetScratchBuffer);
  FIELD(TfLiteContext, ResizeTensorExplicit);
  FIELD(TfLiteContext, PreviewDelegatePartitioning);
  FIELD(TfLiteContext, GetTensor);
  FIELD(TfLiteContext, GetEvalTensor);
  FIELD(TfLiteContext, GetModelMetadata);
  FIELD(TfLiteRegistration, init);
  FIELD(TfLiteRegistration, free);
  FIELD(TfLiteRegistration, prepare);
  FIELD(TfLiteRegistration, invoke);
  FIELD(TfLiteRegistration, profiling_string);
  FIELD(TfLiteRegistration, builtin_code);
  FIELD(TfLiteRegistration, custom_name);
  FIELD(TfLiteRegistration, version);
  SIZE(TfLiteQuantization);
  FIELD(TfLiteQuantization, params);
  SIZE(TfLiteAffineQuantization);
  FIELD(TfLiteAffineQuantization, zero_point);
  FIELD(TfLiteAffineQuantization, quantized_dimension);
  SIZE(TfLiteQuantizationParams);
  FIELD(TfLiteCustomAllocation, bytes);
  FIELD(TfLiteIntArray, data);
  return 0;
}
