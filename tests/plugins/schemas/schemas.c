/* A delegate that claims no nodes and gives the host's schema of each node's op as the reason. */
#include "arenite_plugin.h"
#include <stdio.h>
#include <string.h>

static const ArHostV1 *host;
static int instance;

typedef struct Text {
  char text[4096];
  size_t length;
} Text;

static void put(Text *to, const char *text, size_t length) {
  if (length > sizeof to->text - to->length) length = sizeof to->text - to->length;
  memcpy(to->text + to->length, text, length);
  to->length += length;
}
static void put_text(Text *to, const char *text) { put(to, text, strlen(text)); }
static void put_name(Text *to, ArStr name) { put(to, (const char *)name.data, name.length); }

static void put_operands(Text *to, const ArOperandV1 *list, size_t count, size_t stride) {
  for (size_t i = 0; i < count; i++) {
    const ArOperandV1 *operand = (const ArOperandV1 *)((const char *)list + i * stride);
    put_text(to, i ? ", " : "");
    put_name(to, operand->name);
    if (operand->flags & AR_OPERAND_VARIADIC) put_text(to, "...");
    if (operand->flags & AR_OPERAND_OPTIONAL) put_text(to, "?");
  }
}

static void describe(Text *to, const ArOpSchemasV1 *schemas, int32_t code) {
  ArOpSchemaV1 op = {.header = AR_HEADER(ArOpSchemaV1)};
  char number[64];
  if (schemas->find(code, &op) != AR_STATUS_OK) {
    put_text(to, "unknown");
    return;
  }
  put_name(to, op.name);
  put_text(to, "(");
  put_operands(to, op.inputs, op.input_count, op.operand_stride);
  put_text(to, ") -> (");
  put_operands(to, op.outputs, op.output_count, op.operand_stride);
  put_text(to, ") ");
  put_name(to, op.options_table);
  for (size_t i = 0; i < op.option_count; i++) {
    const ArOptionV1 *option = (const ArOptionV1 *)((const char *)op.options + i * op.option_stride);
    put_text(to, " ");
    put_name(to, option->name);
    snprintf(number, sizeof number, ":%u%s=%g", option->element_type, option->flags & AR_OPTION_VECTOR ? "[]" : "",
             option->default_value);
    put_text(to, number);
  }
  snprintf(number, sizeof number, " types %llx", (unsigned long long)op.element_types);
  put_text(to, number);
}

static uint32_t create(const ArPair *options, size_t count, void **delegate) {
  (void)options, (void)count;
  *delegate = &instance;
  return AR_STATUS_OK;
}
static uint32_t claim(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  const ArOpSchemasV1 *schemas = host->query(AR_INTERFACE_OP_SCHEMAS);
  (void)delegate;
  if (!schemas) return AR_STATUS_UNSUPPORTED;
  for (size_t i = 0; i < graph->node_count; i++) {
    const ArNodeV1 *node = (const ArNodeV1 *)((const char *)graph->nodes + i * graph->node_stride);
    Text text = {.length = 0};
    describe(&text, schemas, node->builtin_code);
    claims->refuse(claims->context, i, (ArStr){(const uint8_t *)text.text, text.length});
  }
  return AR_STATUS_OK;
}
static uint32_t compile(void *delegate, const ArPartitionV1 *partition, void **kernel) {
  (void)delegate, (void)partition, (void)kernel;
  return AR_STATUS_INTERNAL;
}
static uint32_t prepare(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition) {
  (void)kernel, (void)prepare, (void)partition;
  return AR_STATUS_INTERNAL;
}
static uint32_t invoke(void *kernel, const ArEvalV1 *eval, const ArPartitionV1 *partition, const ArNodeV1 *node) {
  (void)kernel, (void)eval, (void)partition, (void)node;
  return AR_STATUS_INTERNAL;
}
static void destroy(void *made) { (void)made; }

static const ArDelegateV1 delegates[] = {{
    .header = AR_HEADER(ArDelegateV1),
    .name = AR_LITERAL("schemas"),
    .create = create,
    .claim = claim,
    .compile = compile,
    .prepare = prepare,
    .invoke = invoke,
    .destroy_kernel = destroy,
    .destroy = destroy,
}};
static const ArPluginV1 plugin = {
    .header = AR_HEADER(ArPluginV1),
    .id = AR_LITERAL("test.schemas"),
    .version = AR_LITERAL("1"),
    .description = AR_LITERAL("describes ops"),
    .delegates = delegates,
    .delegate_count = 1,
    .delegate_stride = sizeof(ArDelegateV1),
};
AR_ENTRY(host, plugin)
