/* A delegate that reads the operands, types and options of ADD from the host's schema before it claims. */
#define AR_INTERFACE_OP_SCHEMAS 21u
#define AR_OPERAND_OPTIONAL 1u
typedef struct ArOperandV1 {
  ArStr name;
  uint32_t flags;
  uint32_t reserved;
} ArOperandV1;
typedef struct ArOptionV1 {
  ArStr name;
  uint32_t slot;
  uint32_t element_type;
  uint32_t flags;
  uint32_t reserved;
  double default_value;
} ArOptionV1;
typedef struct ArOpSchemaV1 {
  ArHeader header;
  int32_t code;
  uint32_t registered;
  ArStr name;
  uint64_t element_types;
  const ArOperandV1 *inputs;
  size_t input_count;
  const ArOperandV1 *outputs;
  size_t output_count;
  size_t operand_stride;
  ArStr options_table;
  uint32_t options_union;
  uint32_t options_tag;
  const ArOptionV1 *options;
  size_t option_count;
  size_t option_stride;
} ArOpSchemaV1;
typedef struct ArOpSchemasV1 {
  ArHeader header;
  ArStatus (*find)(int32_t code, ArOpSchemaV1 *schema);
} ArOpSchemasV1;

#include "fixture.h"

static int is(ArStr name, const char *text) { return name.length == strlen(text) && !memcmp(name.data, text, name.length); }
static const ArOperandV1 *operand(const ArOpSchemaV1 *schema, const ArOperandV1 *list, size_t i) {
  return (const ArOperandV1 *)((const char *)list + i * schema->operand_stride);
}
static const ArOptionV1 *option(const ArOpSchemaV1 *schema, size_t i) {
  return (const ArOptionV1 *)((const char *)schema->options + i * schema->option_stride);
}

static ArStatus claim_by_schema(void *delegate, const ArGraphV1 *graph, const ArClaimsV1 *claims) {
  const ArOpSchemasV1 *schemas = the_host->query(AR_INTERFACE_OP_SCHEMAS);
  ArOpSchemaV1 add = {AR_HEADER(ArOpSchemaV1)}, conv = {AR_HEADER(ArOpSchemaV1)};
  REQUIRE(schemas);
  REQUIRE(schemas->find(1 << 30, &add) == AR_STATUS_UNSUPPORTED);
  OK(schemas->find(graph_node(graph, 0)->builtin_code, &add));
  REQUIRE(add.code == 0 && is(add.name, "ADD") && add.registered == 1);
  REQUIRE(add.element_types == 0 || add.element_types & 1);
  REQUIRE(add.input_count == 2 && is(operand(&add, add.inputs, 0)->name, "lhs") && is(operand(&add, add.inputs, 1)->name, "rhs"));
  REQUIRE(add.output_count == 1 && operand(&add, add.outputs, 0)->flags == 0);
  REQUIRE(is(add.options_table, "AddOptions") && add.options_union == 1 && add.options_tag == 11 && add.option_count == 2);
  REQUIRE(is(option(&add, 0)->name, "fused_activation_function") && option(&add, 0)->element_type == 9);
  REQUIRE(option(&add, 1)->slot == 1 && option(&add, 1)->element_type == 6 && option(&add, 1)->default_value == 1);
  OK(schemas->find(3 /* CONV_2D */, &conv));
  REQUIRE(conv.input_count == 3 && operand(&conv, conv.inputs, 2)->flags == AR_OPERAND_OPTIONAL);
  return claim(delegate, graph, claims);
}

DELEGATE("op-schemas", create, claim_by_schema, compile, prepare_kernel, invoke, destroy, NULL);
PLUGIN("test.contract.op_schemas", NO, NO, ONE(delegates))
