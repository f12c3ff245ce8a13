/* An external delegate, compiled with TensorFlow Lite's headers of 2022. It runs float FULLY_CONNECTED nodes in
 * plain C. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/common.h"

enum { FULLY_CONNECTED = 9 };

/* The first fields of TfLiteFullyConnectedParams. */
typedef struct {
  int activation;
  int weights_format;
  bool keep_num_dims;
} Parameters;

typedef struct {
  int input, weights, bias, output, activation;
} Layer;

typedef struct {
  int count;
  Layer layers[64];
  float *rows[64]; /* outputs of the layers */
} Kernel;

static bool is_served(TfLiteContext *context, const TfLiteNode *node, const TfLiteRegistration *op) {
  const Parameters *parameters = node->builtin_data;
  const TfLiteTensor *weights;
  if (op->builtin_code != FULLY_CONNECTED || parameters == NULL || parameters->activation > 1 || node->inputs->size != 3) {
    return false;
  }
  weights = &context->tensors[node->inputs->data[1]];
  return weights->type == kTfLiteFloat32 && weights->allocation_type == kTfLiteMmapRo && node->inputs->data[2] >= 0 &&
         context->tensors[node->inputs->data[0]].type == kTfLiteFloat32;
}

static void *init(TfLiteContext *context, const char *buffer, size_t length) {
  const TfLiteDelegateParams *params = (const TfLiteDelegateParams *)(const void *)buffer;
  Kernel *kernel = calloc(1, sizeof *kernel);
  (void)length;
  kernel->count = params->nodes_to_replace->size;
  for (int i = 0; i < kernel->count; i++) {
    TfLiteNode *node = NULL;
    TfLiteRegistration *op = NULL;
    if (context->GetNodeAndRegistration(context, params->nodes_to_replace->data[i], &node, &op) != kTfLiteOk) {
      free(kernel);
      return NULL;
    }
    kernel->layers[i] = (Layer){node->inputs->data[0], node->inputs->data[1], node->inputs->data[2], node->outputs->data[0],
                                ((const Parameters *)node->builtin_data)->activation};
  }
  return kernel;
}

static void destroy(TfLiteContext *context, void *buffer) {
  Kernel *kernel = buffer;
  (void)context;
  for (int i = 0; i < kernel->count; i++) {
    free(kernel->rows[i]);
  }
  free(kernel);
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
  Kernel *kernel = node->user_data;
  if (kernel == NULL) {
    return kTfLiteError;
  }
  for (int i = 0; i < kernel->count; i++) {
    free(kernel->rows[i]);
    kernel->rows[i] = malloc(context->tensors[kernel->layers[i].output].bytes + 1);
  }
  return kTfLiteOk;
}

/* The values of a tensor: an output of a layer of the kernel, or a tensor of the context. */
static const float *values(TfLiteContext *context, const Kernel *kernel, int tensor) {
  for (int i = 0; i < kernel->count; i++) {
    if (kernel->layers[i].output == tensor) {
      return kernel->rows[i];
    }
  }
  return context->tensors[tensor].data.f;
}

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
  Kernel *kernel = node->user_data;
  for (int l = 0; l < kernel->count; l++) {
    const Layer *layer = &kernel->layers[l];
    const TfLiteTensor *weights = &context->tensors[layer->weights];
    const float *x = values(context, kernel, layer->input), *bias = context->tensors[layer->bias].data.f;
    const int units = weights->dims->data[0], depth = weights->dims->data[1];
    const int rows = (int)(context->tensors[layer->output].bytes / sizeof(float)) / units;
    for (int r = 0; r < rows; r++) {
      for (int u = 0; u < units; u++) {
        float sum = bias[u];
        for (int d = 0; d < depth; d++) {
          sum += x[r * depth + d] * weights->data.f[u * depth + d];
        }
        kernel->rows[l][r * units + u] = layer->activation == 1 && sum < 0 ? 0 : sum;
      }
    }
  }
  for (int i = 0; i < node->outputs->size; i++) {
    TfLiteTensor *output = &context->tensors[node->outputs->data[i]];
    memcpy(output->data.raw, values(context, kernel, node->outputs->data[i]), output->bytes);
  }
  return kTfLiteOk;
}

static TfLiteStatus ask(TfLiteContext *context, TfLiteDelegate *delegate) {
  const TfLiteRegistration kernel = {.init = init, .free = destroy, .prepare = prepare, .invoke = invoke,
                                     .custom_name = "TestDelegate", .version = 1};
  TfLiteIntArray *plan = NULL, *wanted;
  TfLiteStatus status;
  int count = 0;
  if (context->GetExecutionPlan(context, &plan) != kTfLiteOk) {
    return kTfLiteError;
  }
  wanted = TfLiteIntArrayCreate(plan->size);
  for (int i = 0; i < plan->size && count < 64; i++) {
    TfLiteNode *node = NULL;
    TfLiteRegistration *op = NULL;
    if (context->GetNodeAndRegistration(context, plan->data[i], &node, &op) == kTfLiteOk && is_served(context, node, op)) {
      wanted->data[count++] = plan->data[i];
    }
  }
  wanted->size = count;
  fprintf(stderr, "the external delegate claims %d of %d nodes\n", count, plan->size);
  status = context->ReplaceNodeSubsetsWithDelegateKernels(context, kernel, wanted, delegate);
  TfLiteIntArrayFree(wanted);
  return status;
}

__attribute__((visibility("default"))) TfLiteDelegate *tflite_plugin_create_delegate(char **keys, char **values_, size_t count,
                                                                                    void (*report)(const char *)) {
  TfLiteDelegate *delegate = calloc(1, sizeof *delegate);
  (void)keys;
  (void)values_;
  (void)count;
  (void)report;
  delegate->Prepare = ask;
  return delegate;
}

__attribute__((visibility("default"))) void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate) { free(delegate); }
