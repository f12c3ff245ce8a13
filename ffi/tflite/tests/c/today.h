/* Our declarations of functions that TensorFlow Lite's C interface has added since the library of 2022. */
#ifndef ARENITE_TESTS_TODAY_H
#define ARENITE_TESTS_TODAY_H

#include "tflite.h"

typedef struct TfLiteSignatureRunner TfLiteSignatureRunner;
typedef struct TfLiteOperator TfLiteOperator;
typedef struct TfLiteOpaqueContext TfLiteOpaqueContext;
typedef struct TfLiteOpaqueNode TfLiteOpaqueNode;
typedef struct TfLiteOpaqueTensor TfLiteOpaqueTensor;
typedef struct TfLiteOpaqueTensorBuilder TfLiteOpaqueTensorBuilder;

enum { kTfLiteBuiltinCustom = 32 };

/* c_api.h */
const char *TfLiteExtensionApisVersion(void);
int TfLiteSchemaVersion(void);
TfLiteModel *TfLiteModelCreateWithErrorReporter(const void *model_data, size_t model_size, Reporter reporter,
                                                void *user_data);
TfLiteModel *TfLiteModelCreateFromFileWithErrorReporter(const char *model_path, Reporter reporter, void *user_data);
TfLiteInterpreterOptions *TfLiteInterpreterOptionsCopy(const TfLiteInterpreterOptions *from);
void TfLiteInterpreterOptionsAddOperator(TfLiteInterpreterOptions *options, TfLiteOperator *registration);
TfLiteStatus TfLiteInterpreterOptionsEnableCancellation(TfLiteInterpreterOptions *options, bool enable);
const int *TfLiteInterpreterInputTensorIndices(const TfLiteInterpreter *interpreter);
const int *TfLiteInterpreterOutputTensorIndices(const TfLiteInterpreter *interpreter);
TfLiteTensor *TfLiteInterpreterGetTensor(const TfLiteInterpreter *interpreter, int index);
TfLiteStatus TfLiteInterpreterCancel(const TfLiteInterpreter *interpreter);
int32_t TfLiteInterpreterGetSignatureCount(const TfLiteInterpreter *interpreter);
const char *TfLiteInterpreterGetSignatureKey(const TfLiteInterpreter *interpreter, int32_t signature_index);
TfLiteSignatureRunner *TfLiteInterpreterGetSignatureRunner(const TfLiteInterpreter *interpreter,
                                                           const char *signature_key);
size_t TfLiteSignatureRunnerGetInputCount(const TfLiteSignatureRunner *signature_runner);
const char *TfLiteSignatureRunnerGetInputName(const TfLiteSignatureRunner *signature_runner, int32_t input_index);
TfLiteStatus TfLiteSignatureRunnerResizeInputTensor(TfLiteSignatureRunner *signature_runner, const char *input_name,
                                                    const int *input_dims, int32_t input_dims_size);
TfLiteStatus TfLiteSignatureRunnerAllocateTensors(TfLiteSignatureRunner *signature_runner);
TfLiteTensor *TfLiteSignatureRunnerGetInputTensor(TfLiteSignatureRunner *signature_runner, const char *input_name);
TfLiteStatus TfLiteSignatureRunnerInvoke(TfLiteSignatureRunner *signature_runner);
size_t TfLiteSignatureRunnerGetOutputCount(const TfLiteSignatureRunner *signature_runner);
const char *TfLiteSignatureRunnerGetOutputName(const TfLiteSignatureRunner *signature_runner, int32_t output_index);
const TfLiteTensor *TfLiteSignatureRunnerGetOutputTensor(const TfLiteSignatureRunner *signature_runner,
                                                         const char *output_name);
void TfLiteSignatureRunnerDelete(TfLiteSignatureRunner *signature_runner);

/* c_api_experimental.h */
int32_t TfLiteInterpreterGetVariableTensorCount(const TfLiteInterpreter *interpreter);
TfLiteTensor *TfLiteInterpreterGetVariableTensor(const TfLiteInterpreter *interpreter, int32_t variable_index);
TfLiteStatus TfLiteInterpreterSetCustomAllocationForTensor(TfLiteInterpreter *interpreter, int tensor_index,
                                                           const TfLiteCustomAllocation *allocation, int64_t flags);
TfLiteStatus TfLiteInterpreterSetBufferHandle(TfLiteInterpreter *interpreter, TfLiteTensor *tensor,
                                              TfLiteBufferHandle buffer_handle, TfLiteDelegate *delegate);
TfLiteStatus TfLiteInterpreterGetBufferHandle(TfLiteInterpreter *interpreter, int tensor_index,
                                              TfLiteBufferHandle *buffer_handle, TfLiteDelegate **delegate);
TfLiteStatus TfLiteInterpreterEnsureTensorDataIsReadable(TfLiteInterpreter *interpreter, int tensor_index);
TfLiteStatus TfLiteSignatureRunnerCancel(TfLiteSignatureRunner *signature_runner);
void TfLiteInterpreterOptionsSetTelemetryProfiler(TfLiteInterpreterOptions *options, void *profiler);
void TfLiteInterpreterOptionsSetOpResolverExternal(TfLiteInterpreterOptions *options,
                                                   const TfLiteOperator *(*find_builtin_op)(void *, int, int),
                                                   const TfLiteOperator *(*find_custom_op)(void *, const char *, int),
                                                   void *op_resolver_user_data);
void TfLiteInterpreterOptionsSetOpResolverExternalWithFallback(
    TfLiteInterpreterOptions *options, const TfLiteOperator *(*find_builtin_op_external)(void *, int, int),
    const TfLiteOperator *(*find_custom_op_external)(void *, const char *, int),
    const TfLiteRegistration *(*find_builtin_op)(void *, int, int),
    const TfLiteRegistration *(*find_custom_op)(void *, const char *, int), void *op_resolver_user_data);

/* operator.h */
TfLiteOperator *TfLiteOperatorCreate(int builtin_code, const char *custom_name, int version, void *user_data);
TfLiteOperator *TfLiteOperatorCreateWithData(int builtin_code, const char *custom_name, int version, void *user_data);
void TfLiteOperatorDelete(TfLiteOperator *registration);
int TfLiteOperatorGetBuiltInCode(const TfLiteOperator *registration);
const char *TfLiteOperatorGetCustomName(const TfLiteOperator *registration);
int TfLiteOperatorGetVersion(const TfLiteOperator *registration);
void *TfLiteOperatorGetUserData(const TfLiteOperator *registration);
void TfLiteOperatorSetInit(TfLiteOperator *registration, void *(*init)(TfLiteOpaqueContext *, const char *, size_t));
TfLiteStatus TfLiteOperatorSetInitWithData(TfLiteOperator *registration,
                                           void *(*init)(void *, TfLiteOpaqueContext *, const char *, size_t));
void TfLiteOperatorSetFree(TfLiteOperator *registration, void (*free)(TfLiteOpaqueContext *, void *));
TfLiteStatus TfLiteOperatorSetFreeWithData(TfLiteOperator *registration,
                                           void (*free)(void *, TfLiteOpaqueContext *, void *));
void TfLiteOperatorSetPrepare(TfLiteOperator *registration,
                              TfLiteStatus (*prepare)(TfLiteOpaqueContext *, TfLiteOpaqueNode *));
TfLiteStatus TfLiteOperatorSetPrepareWithData(TfLiteOperator *registration,
                                              TfLiteStatus (*prepare)(void *, TfLiteOpaqueContext *,
                                                                      TfLiteOpaqueNode *));
void TfLiteOperatorSetInvoke(TfLiteOperator *registration,
                             TfLiteStatus (*invoke)(TfLiteOpaqueContext *, TfLiteOpaqueNode *));
TfLiteStatus TfLiteOperatorSetInvokeWithData(TfLiteOperator *registration,
                                             TfLiteStatus (*invoke)(void *, TfLiteOpaqueContext *,
                                                                    TfLiteOpaqueNode *));
void TfLiteOperatorSetInplaceOperator(TfLiteOperator *registration, uint64_t inplace_operator);

/* common.h */
TfLiteFloatArray *TfLiteFloatArrayCopy(const TfLiteFloatArray *src);
TfLiteStatus TfLiteTensorResizeMaybeCopy(size_t num_bytes, TfLiteTensor *tensor, bool preserve_data);
const TfLiteIntArray *TfLiteTensorGetDimsSignature(const TfLiteTensor *t);
int TfLiteTensorGetAllocationStrategy(const TfLiteTensor *t);

/* c_api_opaque.h */
TfLiteType TfLiteOpaqueTensorType(const TfLiteOpaqueTensor *opaque_tensor);
int32_t TfLiteOpaqueTensorNumDims(const TfLiteOpaqueTensor *opaque_tensor);
int32_t TfLiteOpaqueTensorDim(const TfLiteOpaqueTensor *opaque_tensor, int32_t dim_index);
TfLiteStatus TfLiteOpaqueTensorGetNumDimsSignature(const TfLiteOpaqueTensor *opaque_tensor, int32_t *num_dims);
TfLiteStatus TfLiteOpaqueTensorGetDimSignature(const TfLiteOpaqueTensor *opaque_tensor, int32_t dim_index,
                                               int32_t *dim_length);
int TfLiteOpaqueTensorIsVariable(const TfLiteOpaqueTensor *opaque_tensor);
size_t TfLiteOpaqueTensorByteSize(const TfLiteOpaqueTensor *opaque_tensor);
void *TfLiteOpaqueTensorData(const TfLiteOpaqueTensor *opaque_tensor);
TfLiteAllocationType TfLiteOpaqueTensorGetAllocationType(const TfLiteOpaqueTensor *opaque_tensor);
int TfLiteOpaqueTensorGetAllocationStrategy(const TfLiteOpaqueTensor *t);
const char *TfLiteOpaqueTensorName(const TfLiteOpaqueTensor *opaque_tensor);
TfLiteQuantization TfLiteOpaqueTensorGetQuantization(const TfLiteOpaqueTensor *opaque_tensor);
TfLiteQuantizationParams TfLiteOpaqueTensorGetQuantizationParams(const TfLiteOpaqueTensor *opaque_tensor);
TfLiteStatus TfLiteOpaqueTensorCopyFromBuffer(TfLiteOpaqueTensor *opaque_tensor, const void *input_data,
                                              size_t input_data_size);
TfLiteStatus TfLiteOpaqueTensorCopyToBuffer(const TfLiteOpaqueTensor *opaque_tensor, void *output_data,
                                            size_t output_data_size);
int TfLiteOpaqueTensorGetStringCount(const TfLiteOpaqueTensor *tensor);
TfLiteStatus TfLiteOpaqueTensorGetString(const TfLiteOpaqueTensor *tensor, int index, const char **str, int *len);
TfLiteStatus TfLiteOpaqueTensorWriteStrings(TfLiteOpaqueTensor *tensor, const char *const *str_array,
                                            int str_array_len, const int *str_n_len);
TfLiteStatus TfLiteOpaqueTensorWriteString(TfLiteOpaqueTensor *tensor, const char *str, int len);
TfLiteOpaqueTensorBuilder *TfLiteOpaqueTensorBuilderCreate(void);
void TfLiteOpaqueTensorBuilderDelete(TfLiteOpaqueTensorBuilder *builder);
TfLiteOpaqueTensorBuilder *TfLiteOpaqueTensorBuilderSetType(TfLiteOpaqueTensorBuilder *builder, TfLiteType type);
TfLiteOpaqueTensorBuilder *TfLiteOpaqueTensorBuilderSetData(TfLiteOpaqueTensorBuilder *builder, void *data);
TfLiteOpaqueTensorBuilder *TfLiteOpaqueTensorBuilderSetAllocationType(TfLiteOpaqueTensorBuilder *builder,
                                                                      TfLiteAllocationType allocation_type);
void TfLiteOpaqueTensorSetAllocationTypeToDynamic(TfLiteOpaqueTensor *tensor);
const TfLiteOpaqueTensor *TfLiteOpaqueNodeGetInput(const TfLiteOpaqueContext *opaque_context,
                                                   const TfLiteOpaqueNode *opaque_node, int index);
TfLiteOpaqueTensor *TfLiteOpaqueNodeGetOutput(TfLiteOpaqueContext *opaque_context, const TfLiteOpaqueNode *opaque_node,
                                              int index);
int TfLiteOpaqueNodeNumberOfInputs(const TfLiteOpaqueNode *opaque_node);
int TfLiteOpaqueNodeNumberOfOutputs(const TfLiteOpaqueNode *opaque_node);
void *TfLiteOpaqueNodeGetUserData(const TfLiteOpaqueNode *opaque_node);
void *TfLiteOpaqueNodeGetBuiltinData(const TfLiteOpaqueNode *opaque_node);
TfLiteStatus TfLiteOpaqueNodeGetCustomInitialData(const TfLiteOpaqueNode *opaque_node, const void **init_data,
                                                  int *size);
TfLiteStatus TfLiteOpaqueNodeInputs(const TfLiteOpaqueNode *opaque_node, const int **inputs, int *num_inputs);
TfLiteStatus TfLiteOpaqueNodeOutputs(const TfLiteOpaqueNode *opaque_node, const int **outputs, int *num_outputs);
TfLiteStatus TfLiteOpaqueNodeSetTemporaries(TfLiteOpaqueNode *opaque_node, const int *temporaries,
                                            int num_temporaries);
TfLiteStatus TfLiteOpaqueNodeTemporaries(const TfLiteOpaqueNode *opaque_node, const int **temporaries,
                                         int *num_temporaries);
int TfLiteOpaqueNodeGetInputTensorIndex(const TfLiteOpaqueNode *opaque_node, int index_of_input);
int TfLiteOpaqueNodeGetOutputTensorIndex(const TfLiteOpaqueNode *opaque_node, int index_of_output);
TfLiteStatus TfLiteOpaqueContextGetExecutionPlan(TfLiteOpaqueContext *opaque_context, TfLiteIntArray **execution_plan);
TfLiteStatus TfLiteOpaqueContextGetNodeAndRegistration(TfLiteOpaqueContext *opaque_context, int node_index,
                                                       TfLiteOpaqueNode **node, TfLiteOperator **registration);
TfLiteStatus TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(TfLiteOpaqueContext *opaque_context,
                                                                      TfLiteOperator *registration,
                                                                      const TfLiteIntArray *nodes_to_replace,
                                                                      TfLiteDelegate *delegate);
TfLiteOpaqueTensor *TfLiteOpaqueContextGetOpaqueTensor(const TfLiteOpaqueContext *opaque_context, int index);
TfLiteStatus TfLiteOpaqueContextGetInputs(const TfLiteOpaqueContext *opaque_context, const int **inputs,
                                          int *num_inputs);
TfLiteStatus TfLiteOpaqueContextGetOutputs(const TfLiteOpaqueContext *opaque_context, const int **outputs,
                                           int *num_outputs);
TfLiteStatus TfLiteOpaqueContextGetVariables(const TfLiteOpaqueContext *opaque_context, const int **variables,
                                             int *num_variables);
size_t TfLiteOpaqueContextGetNumNodes(const TfLiteOpaqueContext *opaque_context);
size_t TfLiteOpaqueContextGetNumTensors(const TfLiteOpaqueContext *opaque_context);
const char *TfLiteOpaqueContextGetName(const TfLiteOpaqueContext *opaque_context);
TfLiteStatus TfLiteOpaqueContextResizeTensor(TfLiteOpaqueContext *context, TfLiteOpaqueTensor *tensor,
                                             TfLiteIntArray *new_size);
TfLiteStatus TfLiteOpaqueContextAcquireSubgraphContext(TfLiteOpaqueContext *opaque_context, int subgraph_index,
                                                       TfLiteOpaqueContext **acquired_opaque_context);
TfLiteStatus TfLiteOpaqueContextAddTensor(TfLiteOpaqueContext *context, TfLiteOpaqueTensorBuilder *builder,
                                          int *new_tensor_index);
TfLiteStatus TfLiteOpaqueContextGetSizeOfType(TfLiteOpaqueContext *context, TfLiteType type, size_t *bytes);
TfLiteStatus TfLiteOpaqueContextGetMetadata(TfLiteOpaqueContext *context, const char *name, const char **ptr,
                                            size_t *bytes);
void TfLiteOpaqueContextReportError(TfLiteOpaqueContext *opaque_context, const char *format, ...);
void TfLiteOpaqueContextReportErrorVa(TfLiteOpaqueContext *opaque_context, const char *format, va_list vlist);

/* Delegates: common.h and c_api_opaque.h. */
typedef struct TfLiteOpaqueDelegateBuilder {
  void *data;
  TfLiteStatus (*Prepare)(TfLiteOpaqueContext *context, TfLiteDelegate *delegate, void *data);
  TfLiteStatus (*CopyFromBufferHandle)(TfLiteOpaqueContext *context, TfLiteDelegate *delegate, void *data,
                                       TfLiteBufferHandle buffer_handle, TfLiteOpaqueTensor *tensor);
  TfLiteStatus (*CopyToBufferHandle)(TfLiteOpaqueContext *context, TfLiteDelegate *delegate, void *data,
                                     TfLiteBufferHandle buffer_handle, TfLiteOpaqueTensor *tensor);
  void (*FreeBufferHandle)(TfLiteOpaqueContext *context, TfLiteDelegate *delegate, void *data,
                           TfLiteBufferHandle *handle);
  int64_t flags;
} TfLiteOpaqueDelegateBuilder;

typedef struct TfLiteOpaqueDelegateParams {
  TfLiteDelegate *delegate;
  void *delegate_data;
  TfLiteIntArray *nodes_to_replace;
  TfLiteIntArray *input_tensors;
  TfLiteIntArray *output_tensors;
} TfLiteOpaqueDelegateParams;

TfLiteDelegate *TfLiteOpaqueDelegateCreate(const TfLiteOpaqueDelegateBuilder *opaque_delegate_builder);
void TfLiteOpaqueDelegateDelete(TfLiteDelegate *delegate);
void *TfLiteOpaqueDelegateGetData(const TfLiteDelegate *delegate);

#endif
