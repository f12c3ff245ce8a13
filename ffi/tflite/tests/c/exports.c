/* Functions of TensorFlow Lite's library of 2.17 that other headers than c_api.h declare: its own delegates, holders of
 * buffers, and telemetry. The declarations follow those headers. */
#include "today.h"

#include "cases.h"

typedef struct TfLiteXNNPackDelegateOptions {
  int32_t num_threads;
  uint32_t flags;
  void *weights_cache;
  bool handle_variable_ops;
  const char *weight_cache_file_path;
} TfLiteXNNPackDelegateOptions;

typedef struct TfLiteNnapiDelegateOptions {
  int execution_preference;
  const char *accelerator_name, *cache_dir, *model_token;
  int disallow_nnapi_cpu, allow_fp16, max_number_delegated_partitions;
  void *nnapi_support_library_handle;
} TfLiteNnapiDelegateOptions;

struct TfLiteDelegate {
  void *data_;
  TfLiteStatus (*Prepare)(TfLiteContext *context, TfLiteDelegate *delegate);
  void *CopyFromBufferHandle, *CopyToBufferHandle, *FreeBufferHandle;
  int64_t flags;
  TfLiteOpaqueDelegateBuilder *opaque_delegate_builder;
};

TfLiteXNNPackDelegateOptions TfLiteXNNPackDelegateOptionsDefault(void);
TfLiteDelegate *TfLiteXNNPackDelegateCreate(const TfLiteXNNPackDelegateOptions *options);
TfLiteDelegate *TfLiteXNNPackDelegateCreateWithThreadpool(const TfLiteXNNPackDelegateOptions *options,
                                                          TfLiteContext *context);
void TfLiteXNNPackDelegateDelete(TfLiteDelegate *delegate);
void *TfLiteXNNPackDelegateGetThreadPool(TfLiteDelegate *delegate);
const TfLiteXNNPackDelegateOptions *TfLiteXNNPackDelegateGetOptions(TfLiteDelegate *delegate);
int TfLiteXNNPackDelegateGetFlags(TfLiteDelegate *delegate);
void *TfLiteXNNPackDelegateWeightsCacheCreate(void);
void *TfLiteXNNPackDelegateWeightsCacheCreateWithSize(size_t size);
bool TfLiteXNNPackDelegateWeightsCacheFinalizeSoft(void *cache);
bool TfLiteXNNPackDelegateWeightsCacheFinalizeHard(void *cache);
void TfLiteXNNPackDelegateWeightsCacheDelete(void *cache);
TfLiteNnapiDelegateOptions TfLiteNnapiDelegateOptionsDefault(void);
TfLiteDelegate *TfLiteNnapiDelegateCreate(const TfLiteNnapiDelegateOptions *options);
void TfLiteNnapiDelegateDelete(TfLiteDelegate *delegate);
void *TfLiteBackendBufferCreate(void);
void TfLiteBackendBufferDelete(void *buffer);
void TfLiteBackendBufferSetPtr(void *buffer, void *pointer);
void *TfLiteBackendBufferGetPtr(const void *buffer);
void *TfLiteSynchronizationCreate(void);
void TfLiteSynchronizationDelete(void *synchronization);
void TfLiteSynchronizationSetPtr(void *synchronization, void *pointer);
void *TfLiteSynchronizationGetPtr(const void *synchronization);
const int32_t *TfLiteTelemetryConversionMetadataGetModelOptimizationModes(const void *metadata);
size_t TfLiteTelemetryConversionMetadataGetNumModelOptimizationModes(const void *metadata);
const void *TfLiteTelemetryInterpreterSettingsGetConversionMetadata(const void *settings);
size_t TfLiteTelemetryInterpreterSettingsGetNumSubgraphInfo(const void *settings);
const void *TfLiteTelemetryInterpreterSettingsGetSubgraphInfo(const void *settings);
size_t TfLiteTelemetrySubgraphInfoGetNumQuantizations(void *subgraph_info);
const void *TfLiteTelemetrySubgraphInfoGetQuantizations(void *subgraph_info);
size_t TfLiteTelemetryGpuDelegateSettingsGetNumNodesDelegated(const void *settings);
int TfLiteTelemetryGpuDelegateSettingsGetBackend(const void *settings);

/* Runs sqrt.tflite with a delegate that is added before the interpreter is created. */
static void run_with(TfLiteDelegate *delegate) {
  static const float data[] = {1, 4, 9, 16};
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder("sqrt.tflite"));
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter *interpreter;
  const TfLiteTensor *y;
  size_t i;
  TfLiteInterpreterOptionsAddDelegate(options, delegate);
  interpreter = TfLiteInterpreterCreate(model, options);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  SAY("%d", TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), data, sizeof data));
  SAY("%d", TfLiteInterpreterInvoke(interpreter));
  y = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  for (i = 0; i < TfLiteTensorByteSize(y) / sizeof(float); i++) {
    SAY("%g", (double)((const float *)TfLiteTensorData(y))[i]);
  }
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
}

static void xnnpack_default_options(void) {
  TfLiteXNNPackDelegateOptions options;
  memset(&options, 1, sizeof options);
  options = TfLiteXNNPackDelegateOptionsDefault();
  SAY("%d %d %u %d %d %d", (int)sizeof options, options.num_threads, options.flags, options.weights_cache == NULL,
      options.handle_variable_ops, options.weight_cache_file_path == NULL);
}

static void xnnpack_is_created_with_options(void) {
  TfLiteXNNPackDelegateOptions options = TfLiteXNNPackDelegateOptionsDefault();
  TfLiteDelegate *delegate;
  options.num_threads = 3;
  options.flags = 1;
  delegate = TfLiteXNNPackDelegateCreate(&options);
  SAY("%d %d %d", (int)delegate->flags, TfLiteXNNPackDelegateGetOptions(delegate)->num_threads,
      TfLiteXNNPackDelegateGetFlags(delegate));
  run_with(delegate);
  TfLiteXNNPackDelegateDelete(delegate);
}

static void xnnpack_is_created_without_options(void) {
  TfLiteDelegate *delegate = TfLiteXNNPackDelegateCreate(NULL);
  SAY("%d %d %d", TfLiteXNNPackDelegateGetOptions(delegate)->num_threads, TfLiteXNNPackDelegateGetFlags(delegate),
      TfLiteXNNPackDelegateGetThreadPool(delegate) == NULL);
  run_with(delegate);
  TfLiteXNNPackDelegateDelete(delegate);
}

static void xnnpack_is_null(void) {
  SAY("%d %d %d", TfLiteXNNPackDelegateGetOptions(NULL) == NULL, TfLiteXNNPackDelegateGetFlags(NULL),
      TfLiteXNNPackDelegateGetThreadPool(NULL) == NULL);
  TfLiteXNNPackDelegateDelete(NULL);
  TfLiteXNNPackDelegateWeightsCacheDelete(NULL);
}

static void xnnpack_without_context(void) {
  SAY("%d", TfLiteXNNPackDelegateCreateWithThreadpool(NULL, NULL) != NULL);
}

static void xnnpack_weights_cache(void) {
  TfLiteXNNPackDelegateOptions options = TfLiteXNNPackDelegateOptionsDefault();
  void *cache = TfLiteXNNPackDelegateWeightsCacheCreate();
  TfLiteDelegate *delegate;
  options.weights_cache = cache;
  delegate = TfLiteXNNPackDelegateCreate(&options);
  run_with(delegate);
  SAY("%d", TfLiteXNNPackDelegateWeightsCacheFinalizeSoft(cache));
  SAY("%d", TfLiteXNNPackDelegateWeightsCacheFinalizeSoft(cache));
  SAY("%d", TfLiteXNNPackDelegateWeightsCacheFinalizeHard(cache));
  TfLiteXNNPackDelegateDelete(delegate);
  TfLiteXNNPackDelegateWeightsCacheDelete(cache);
  cache = TfLiteXNNPackDelegateWeightsCacheCreateWithSize(100);
  SAY("%d", TfLiteXNNPackDelegateWeightsCacheFinalizeHard(cache));
  SAY("%d", TfLiteXNNPackDelegateWeightsCacheFinalizeHard(cache));
  TfLiteXNNPackDelegateWeightsCacheDelete(cache);
}

static void nnapi_claims_nothing(void) {
  TfLiteNnapiDelegateOptions options = TfLiteNnapiDelegateOptionsDefault();
  TfLiteDelegate *delegate = TfLiteNnapiDelegateCreate(&options);
  SAY("%d %d %d %d %d", (int)sizeof options, options.execution_preference, options.disallow_nnapi_cpu,
      options.allow_fp16, options.max_number_delegated_partitions);
  run_with(delegate);
  TfLiteNnapiDelegateDelete(delegate);
  TfLiteNnapiDelegateDelete(NULL);
}

static void holders(void) {
  int object = 0;
  void *buffer = TfLiteBackendBufferCreate(), *synchronization = TfLiteSynchronizationCreate();
  SAY("%d %d", TfLiteBackendBufferGetPtr(buffer) == NULL, TfLiteSynchronizationGetPtr(synchronization) == NULL);
  TfLiteBackendBufferSetPtr(buffer, &object);
  TfLiteSynchronizationSetPtr(synchronization, &buffer);
  SAY("%d %d", TfLiteBackendBufferGetPtr(buffer) == &object,
      TfLiteSynchronizationGetPtr(synchronization) == &buffer);
  TfLiteBackendBufferDelete(buffer);
  TfLiteSynchronizationDelete(synchronization);
  TfLiteBackendBufferDelete(NULL);
  TfLiteSynchronizationDelete(NULL);
}

static void telemetry_of_null(void) {
  SAY("%d", TfLiteTelemetryConversionMetadataGetModelOptimizationModes(NULL) == NULL);
  SAY("%d", (int)TfLiteTelemetryConversionMetadataGetNumModelOptimizationModes(NULL));
  SAY("%d", TfLiteTelemetryInterpreterSettingsGetConversionMetadata(NULL) == NULL);
  SAY("%d", (int)TfLiteTelemetryInterpreterSettingsGetNumSubgraphInfo(NULL));
  SAY("%d", TfLiteTelemetryInterpreterSettingsGetSubgraphInfo(NULL) == NULL);
  SAY("%d", (int)TfLiteTelemetrySubgraphInfoGetNumQuantizations(NULL));
  SAY("%d", TfLiteTelemetrySubgraphInfoGetQuantizations(NULL) == NULL);
  SAY("%d", (int)TfLiteTelemetryGpuDelegateSettingsGetNumNodesDelegated(NULL));
  SAY("%d", TfLiteTelemetryGpuDelegateSettingsGetBackend(NULL));
}

int main(int argc, char **argv) {
#define CASE(name) {#name, name}
  static const Case cases[] = {
      CASE(xnnpack_default_options), CASE(xnnpack_is_created_with_options), CASE(xnnpack_is_created_without_options),
      CASE(xnnpack_is_null), CASE(xnnpack_without_context), CASE(xnnpack_weights_cache), CASE(nnapi_claims_nothing),
      CASE(holders), CASE(telemetry_of_null),
  };
  return run_cases(cases, sizeof cases / sizeof *cases, argc, argv);
}
