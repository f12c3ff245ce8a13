/* devices FOLDER PLUGINS: the delegate `far` keeps results on its own device. The program lists the device, limits
 * its memory and reads its facts. */
#include "check.h"

static void has(const char *json, const char *text) {
  if (!strstr(json, text)) fprintf(stderr, "'%s' is not in\n%s\n", text, json);
  REQUIRE(strstr(json, text));
}

static ArOptions *with_far(const char *plugins) {
  ArOptions *options = ar_options_new();
  OK(ar_options_add_plugin_dir(options, plugins));
  OK(ar_options_set_strict(options, true));
  OK(ar_options_add_delegate(options, "far", AR_ON_MISSING_ERROR, NULL, 0));
  OK(ar_options_set_default_delegate(options, false));
  return options;
}

/* The input and the output are memory of the program on the device. */
static void bind_memory(ArInterpreter *interpreter, ArTensor *input, const ArTensor *output) {
  float in[6] = {0, 0, 2.0f, -1.0f, 0.5f, 3.0f}, out[4] = {0};
  const void *data;
  uint64_t attic;
  ArDeviceMemory from = {"far", (uint64_t)(uintptr_t)in, 8, 16}, to = {"far", (uint64_t)(uintptr_t)out, 0, 16};
  ArDeviceMemory small = {"far", (uint64_t)(uintptr_t)in, 0, 15}, other = {"near", (uint64_t)(uintptr_t)in, 0, 16};
  OK(ar_interpreter_device_object(interpreter, "far", "attic", &attic));
  FAILS(AR_ERROR_UNSUPPORTED, "the known object is attic", ar_interpreter_device_object(interpreter, "far", "cellar", &attic));
  FAILS(AR_ERROR_ARGUMENT, "'object' is null", ar_interpreter_device_object(interpreter, "far", "attic", NULL));
  OK(ar_tensor_bind_device_memory(input, &from));
  OK(ar_tensor_bind_device_memory(output, &to));
  OK(ar_interpreter_invoke(interpreter));
  for (int i = 0; i < 4; i++) REQUIRE(out[i] == in[i + 2] * in[i + 2] * in[i + 2]);
  FAILS(AR_ERROR_ARGUMENT, "unbind_device_memory", ar_tensor_data(output, &data));
  FAILS(AR_ERROR_ARGUMENT, "has 15 bytes, it needs 16", ar_tensor_bind_device_memory(input, &small));
  FAILS(AR_ERROR_STATE, "no delegate 'near'", ar_tensor_bind_device_memory(input, &other));
  FAILS(AR_ERROR_ARGUMENT, "'memory' is null", ar_tensor_bind_device_memory(input, NULL));
  OK(ar_tensor_unbind_device_memory(input));
  OK(ar_tensor_unbind_device_memory(output));
  OK(ar_tensor_unbind_device_memory(output));
  OK(ar_tensor_data(output, &data));
}

int main(int argc, char **argv) {
  ArModel *model;
  ArRegistry *registry;
  ArInterpreter *interpreter;
  ArTensor *input;
  const ArTensor *output;
  const char *json;
  const float x[4] = {1.0f, -2.0f, 0.5f, 3.0f};
  float y[4];
  REQUIRE(argc == 3);
  ArOptions *options = with_far(argv[2]);
  OK(ar_registry_new(options, &registry));
  OK(ar_registry_devices(registry, &json));
  has(json, "{\"delegate\":\"far\",\"devices\":[{\"index\":0,\"name\":\"Attic\",\"driver\":\"Example 1.0\",\"kind\":\"cpu\","
            "\"memory_bytes\":4096,\"limits\":[{\"key\":\"stairs\",\"value\":39}]}],\"error\":null}");
  ar_registry_free(registry);

  OK(ar_model_from_file(in_folder(argv[1], "cube.tflite"), &model));
  OK(ar_interpreter_new(model, options, &interpreter));
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_input(interpreter, 0, &input));
  OK(ar_interpreter_output(interpreter, 0, &output));
  OK(ar_tensor_copy_from(input, x, sizeof x));
  for (int run = 0; run < 2; run++) OK(ar_interpreter_invoke(interpreter));
  OK(ar_tensor_copy_to(output, y, sizeof y));
  for (int i = 0; i < 4; i++) REQUIRE(y[i] == x[i] * x[i] * x[i]);
  OK(ar_interpreter_inspect(interpreter, &json));
  has(json, "\"device_bytes\":");
  has(json, "{\"key\":\"device\",\"value\":\"Attic\"},{\"key\":\"read\",\"value\":16,\"unit\":\"bytes\"}");
  bind_memory(interpreter, input, output);
  ar_interpreter_free(interpreter);

  OK(ar_options_set_quota_device_bytes(options, 8));
  OK(ar_interpreter_new(model, options, &interpreter));
  OK(ar_interpreter_allocate(interpreter));
  REQUIRE(ar_interpreter_left_out_count(interpreter) == 1);
  REQUIRE(strstr(ar_interpreter_left_out(interpreter, 0), "on its device needs 16 bytes, the quota is 8; raise `device_bytes`"));
  ar_interpreter_free(interpreter);
  ar_options_free(options);
  ar_model_free(model);
  FAILS(AR_ERROR_ARGUMENT, "'registry' is null", ar_registry_devices(NULL, &json));
  return 0;
}
