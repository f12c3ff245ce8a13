/* Our declarations of TensorFlow Lite's C interface for the test programs. If TensorFlow Lite's headers were
 * included before (REAL_HEADERS), their types are used, and the compiler compares their functions with these. */
#ifndef ARENITE_TESTS_TFLITE_H
#define ARENITE_TESTS_TFLITE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef REAL_HEADERS
typedef enum TfLiteStatus {
  kTfLiteOk = 0,
  kTfLiteError = 1,
  kTfLiteDelegateError = 2,
  kTfLiteApplicationError = 3,
  kTfLiteUnresolvedOps = 7,
  kTfLiteCancelled = 8
} TfLiteStatus;

typedef enum {
  kTfLiteNoType = 0,
  kTfLiteFloat32 = 1,
  kTfLiteInt32 = 2,
  kTfLiteUInt8 = 3,
  kTfLiteInt64 = 4,
  kTfLiteString = 5,
  kTfLiteBool = 6,
  kTfLiteInt16 = 7,
  kTfLiteComplex64 = 8,
  kTfLiteInt8 = 9,
  kTfLiteFloat16 = 10,
  kTfLiteFloat64 = 11,
  kTfLiteComplex128 = 12,
  kTfLiteUInt64 = 13,
  kTfLiteResource = 14,
  kTfLiteVariant = 15,
  kTfLiteUInt32 = 16
} TfLiteType;

typedef enum TfLiteAllocationType {
  kTfLiteMemNone = 0,
  kTfLiteMmapRo,
  kTfLiteArenaRw,
  kTfLiteArenaRwPersistent,
  kTfLiteDynamic,
  kTfLitePersistentRo,
  kTfLiteCustom
} TfLiteAllocationType;

typedef struct TfLiteQuantizationParams {
  float scale;
  int32_t zero_point;
} TfLiteQuantizationParams;

typedef struct TfLiteIntArray {
  int size;
  int data[];
} TfLiteIntArray;

typedef struct TfLiteFloatArray {
  int size;
  float data[];
} TfLiteFloatArray;

typedef enum TfLiteQuantizationType { kTfLiteNoQuantization = 0, kTfLiteAffineQuantization = 1 } TfLiteQuantizationType;

typedef struct TfLiteQuantization {
  TfLiteQuantizationType type;
  void *params;
} TfLiteQuantization;

typedef struct TfLiteAffineQuantization {
  TfLiteFloatArray *scale;
  TfLiteIntArray *zero_point;
  int32_t quantized_dimension;
} TfLiteAffineQuantization;

typedef union TfLitePtrUnion {
  int32_t *i32;
  int64_t *i64;
  float *f;
  char *raw;
  uint8_t *uint8;
  int8_t *int8;
  void *data;
} TfLitePtrUnion;

typedef int TfLiteBufferHandle;
typedef struct TfLiteSparsity TfLiteSparsity;
typedef struct TfLiteDelegate TfLiteDelegate;

typedef struct TfLiteTensor {
  TfLiteType type;
  TfLitePtrUnion data;
  TfLiteIntArray *dims;
  TfLiteQuantizationParams params;
  TfLiteAllocationType allocation_type;
  size_t bytes;
  const void *allocation;
  const char *name;
  TfLiteDelegate *delegate;
  TfLiteBufferHandle buffer_handle;
  bool data_is_stale;
  bool is_variable;
  TfLiteQuantization quantization;
  TfLiteSparsity *sparsity;
  const TfLiteIntArray *dims_signature;
} TfLiteTensor;

typedef struct TfLiteNode {
  TfLiteIntArray *inputs;
  TfLiteIntArray *outputs;
  TfLiteIntArray *intermediates;
  TfLiteIntArray *temporaries;
  void *user_data;
  void *builtin_data;
  const void *custom_initial_data;
  int custom_initial_data_size;
  TfLiteDelegate *delegate;
  bool might_have_side_effect;
} TfLiteNode;

typedef struct TfLiteCustomAllocation {
  void *data;
  size_t bytes;
} TfLiteCustomAllocation;

typedef struct TfLiteContext TfLiteContext;

typedef struct TfLiteRegistration {
  void *(*init)(TfLiteContext *context, const char *buffer, size_t length);
  void (*free)(TfLiteContext *context, void *buffer);
  TfLiteStatus (*prepare)(TfLiteContext *context, TfLiteNode *node);
  TfLiteStatus (*invoke)(TfLiteContext *context, TfLiteNode *node);
  const char *(*profiling_string)(const TfLiteContext *context, const TfLiteNode *node);
  int32_t builtin_code;
  const char *custom_name;
  int version;
  struct TfLiteOperator *registration_external;
  void *async_kernel;
  uint64_t inplace_operator;
} TfLiteRegistration;

struct TfLiteContext {
  size_t tensors_size;
  TfLiteStatus (*GetExecutionPlan)(TfLiteContext *context, TfLiteIntArray **execution_plan);
  TfLiteTensor *tensors;
  void *impl_;
  TfLiteStatus (*ResizeTensor)(TfLiteContext *context, TfLiteTensor *tensor, TfLiteIntArray *new_size);
  void (*ReportError)(TfLiteContext *context, const char *msg, ...);
  TfLiteStatus (*AddTensors)(TfLiteContext *context, int tensors_to_add, int *first_new_tensor_index);
  TfLiteStatus (*GetNodeAndRegistration)(TfLiteContext *context, int node_index, TfLiteNode **node,
                                         TfLiteRegistration **registration);
  TfLiteStatus (*ReplaceNodeSubsetsWithDelegateKernels)(TfLiteContext *context, TfLiteRegistration registration,
                                                        const TfLiteIntArray *nodes_to_replace,
                                                        TfLiteDelegate *delegate);
  int recommended_num_threads;
  void *(*GetExternalContext)(TfLiteContext *context, int type);
  void (*SetExternalContext)(TfLiteContext *context, int type, void *external_context);
  bool allow_fp32_relax_to_fp16;
  void *profiler;
  void *(*AllocatePersistentBuffer)(TfLiteContext *context, size_t bytes);
  TfLiteStatus (*AllocateBufferForEval)(TfLiteContext *context, size_t bytes, void **ptr);
  TfLiteStatus (*RequestScratchBufferInArena)(TfLiteContext *context, size_t bytes, int *buffer_idx);
  void *(*GetScratchBuffer)(TfLiteContext *context, int buffer_idx);
  TfLiteStatus (*ResizeTensorExplicit)(TfLiteContext *context, TfLiteTensor *tensor, int dims, const int *shape);
  TfLiteStatus (*PreviewDelegatePartitioning)(TfLiteContext *context, const TfLiteIntArray *nodes_to_replace,
                                              void **partition_params_array, int *num_partitions);
  TfLiteTensor *(*GetTensor)(const TfLiteContext *context, int tensor_idx);
  void *(*GetEvalTensor)(const TfLiteContext *context, int tensor_idx);
  TfLiteStatus (*GetModelMetadata)(const TfLiteContext *context, const char *name, const char **ptr, size_t *bytes);
};

typedef struct TfLiteModel TfLiteModel;
typedef struct TfLiteInterpreterOptions TfLiteInterpreterOptions;
typedef struct TfLiteInterpreter TfLiteInterpreter;
#endif

typedef void (*Reporter)(void *user_data, const char *format, va_list args);

/* c_api.h */
const char *TfLiteVersion(void);
TfLiteModel *TfLiteModelCreate(const void *model_data, size_t model_size);
TfLiteModel *TfLiteModelCreateFromFile(const char *model_path);
void TfLiteModelDelete(TfLiteModel *model);
#ifndef REAL_HEADERS /* their header declares it without a parameter list, which is another type in C */
TfLiteInterpreterOptions *TfLiteInterpreterOptionsCreate(void);
#endif
void TfLiteInterpreterOptionsDelete(TfLiteInterpreterOptions *options);
void TfLiteInterpreterOptionsSetNumThreads(TfLiteInterpreterOptions *options, int32_t num_threads);
void TfLiteInterpreterOptionsAddDelegate(TfLiteInterpreterOptions *options, TfLiteDelegate *delegate);
void TfLiteInterpreterOptionsSetErrorReporter(TfLiteInterpreterOptions *options, Reporter reporter, void *user_data);
TfLiteInterpreter *TfLiteInterpreterCreate(const TfLiteModel *model, const TfLiteInterpreterOptions *optional_options);
void TfLiteInterpreterDelete(TfLiteInterpreter *interpreter);
int32_t TfLiteInterpreterGetInputTensorCount(const TfLiteInterpreter *interpreter);
TfLiteTensor *TfLiteInterpreterGetInputTensor(const TfLiteInterpreter *interpreter, int32_t input_index);
TfLiteStatus TfLiteInterpreterResizeInputTensor(TfLiteInterpreter *interpreter, int32_t input_index,
                                                const int *input_dims, int32_t input_dims_size);
TfLiteStatus TfLiteInterpreterAllocateTensors(TfLiteInterpreter *interpreter);
TfLiteStatus TfLiteInterpreterInvoke(TfLiteInterpreter *interpreter);
int32_t TfLiteInterpreterGetOutputTensorCount(const TfLiteInterpreter *interpreter);
const TfLiteTensor *TfLiteInterpreterGetOutputTensor(const TfLiteInterpreter *interpreter, int32_t output_index);
TfLiteType TfLiteTensorType(const TfLiteTensor *tensor);
int32_t TfLiteTensorNumDims(const TfLiteTensor *tensor);
int32_t TfLiteTensorDim(const TfLiteTensor *tensor, int32_t dim_index);
size_t TfLiteTensorByteSize(const TfLiteTensor *tensor);
void *TfLiteTensorData(const TfLiteTensor *tensor);
const char *TfLiteTensorName(const TfLiteTensor *tensor);
TfLiteQuantizationParams TfLiteTensorQuantizationParams(const TfLiteTensor *tensor);
TfLiteStatus TfLiteTensorCopyFromBuffer(TfLiteTensor *tensor, const void *input_data, size_t input_data_size);
TfLiteStatus TfLiteTensorCopyToBuffer(const TfLiteTensor *output_tensor, void *output_data, size_t output_data_size);

/* common.h */
size_t TfLiteIntArrayGetSizeInBytes(int size);
TfLiteIntArray *TfLiteIntArrayCreate(int size);
int TfLiteIntArrayEqual(const TfLiteIntArray *a, const TfLiteIntArray *b);
int TfLiteIntArrayEqualsArray(const TfLiteIntArray *a, int b_size, const int b_data[]);
TfLiteIntArray *TfLiteIntArrayCopy(const TfLiteIntArray *src);
void TfLiteIntArrayFree(TfLiteIntArray *a);
int TfLiteFloatArrayGetSizeInBytes(int size);
TfLiteFloatArray *TfLiteFloatArrayCreate(int size);
void TfLiteFloatArrayFree(TfLiteFloatArray *a);
const char *TfLiteTypeGetName(TfLiteType type);
void TfLiteTensorDataFree(TfLiteTensor *t);
void TfLiteQuantizationFree(TfLiteQuantization *quantization);
void TfLiteSparsityFree(TfLiteSparsity *sparsity);
void TfLiteTensorFree(TfLiteTensor *t);
void TfLiteTensorReset(TfLiteType type, const char *name, TfLiteIntArray *dims, TfLiteQuantizationParams quantization,
                       char *buffer, size_t size, TfLiteAllocationType allocation_type, const void *allocation,
                       bool is_variable, TfLiteTensor *tensor);
TfLiteStatus TfLiteTensorCopy(const TfLiteTensor *src, TfLiteTensor *dst);
#ifndef REAL_HEADERS /* returns void in their header */
TfLiteStatus TfLiteTensorRealloc(size_t num_bytes, TfLiteTensor *tensor);
#endif

/* c_api_experimental.h, functions that the library of 2022 has too */
TfLiteStatus TfLiteInterpreterResetVariableTensors(TfLiteInterpreter *interpreter);
void TfLiteInterpreterOptionsAddBuiltinOp(TfLiteInterpreterOptions *options, int op,
                                          const TfLiteRegistration *registration, int32_t min_version,
                                          int32_t max_version);
void TfLiteInterpreterOptionsAddCustomOp(TfLiteInterpreterOptions *options, const char *name,
                                         const TfLiteRegistration *registration, int32_t min_version,
                                         int32_t max_version);
void TfLiteInterpreterOptionsSetOpResolver(TfLiteInterpreterOptions *options,
                                           const TfLiteRegistration *(*find_builtin_op)(void *, int, int),
                                           const TfLiteRegistration *(*find_custom_op)(void *, const char *, int),
                                           void *op_resolver_user_data);
TfLiteInterpreter *TfLiteInterpreterCreateWithSelectedOps(const TfLiteModel *model,
                                                          const TfLiteInterpreterOptions *options);
void TfLiteInterpreterOptionsSetUseNNAPI(TfLiteInterpreterOptions *options, bool enable);
void TfLiteInterpreterOptionsSetEnableDelegateFallback(TfLiteInterpreterOptions *options, bool enable);
TfLiteStatus TfLiteInterpreterModifyGraphWithDelegate(const TfLiteInterpreter *interpreter, TfLiteDelegate *delegate);
int32_t TfLiteInterpreterGetInputTensorIndex(const TfLiteInterpreter *interpreter, int32_t input_index);
int32_t TfLiteInterpreterGetOutputTensorIndex(const TfLiteInterpreter *interpreter, int32_t output_index);
void TfLiteSetAllowBufferHandleOutput(const TfLiteInterpreter *interpreter, bool allow_buffer_handle_output);

#ifdef __cplusplus
}
#endif

#endif
