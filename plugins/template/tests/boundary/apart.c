/* A planner in C that assigns shared objects: one for each record, with the record's extents. */
#include <string.h>

#include "arenite_plugin.h"

static const ArHostV1 *host;

static ArStatus fail(const char *message) {
  ArStr text = {(const uint8_t *)message, strlen(message)};
  host->set_error(text);
  return AR_STATUS_INVALID;
}

static ArStatus plan(const ArPlanRequestV1 *request, ArAssignmentV1 *assignment) {
  (void)request;
  (void)assignment;
  return fail("this planner does not support offsets");
}

static ArStatus assign(const ArObjectRequestV1 *request, ArObjectAssignmentV1 *assignment) {
  if (request->record_stride < sizeof(ArObjectRecordV1)) return fail("the records are too small");
  if (request->reader_starts && request->reader_starts[0] != 0) return fail("the readers do not start at 0");
  for (size_t i = 0; i < request->record_count; i++) {
    const ArObjectRecordV1 *record =
        (const ArObjectRecordV1 *)((const char *)request->records + i * request->record_stride);
    if (record->last_node < record->first_node) return fail("a record ends before it starts");
    assignment->ids[i] = (uint32_t)i;
    memcpy(assignment->sizes[i], record->extents, sizeof record->extents);
  }
  assignment->object_count = (uint32_t)request->record_count;
  return AR_STATUS_OK;
}

static const ArAssignV1 assign_interface = {.header = AR_HEADER(ArAssignV1), .assign = assign};

static const void *query(uint64_t interface_id) {
  return interface_id == AR_INTERFACE_ASSIGN ? &assign_interface : NULL;
}

static const ArPlannerV1 planners[] = {
    {.header = AR_HEADER(ArPlannerV1), .name = AR_LITERAL("apart"), .plan = plan, .query = query}};

static const ArPluginV1 plugin = {
    .header = AR_HEADER(ArPluginV1),
    .id = AR_LITERAL("org.arenite.apart"),
    .version = AR_LITERAL("0.1.0"),
    .description = AR_LITERAL("A planner in C"),
    .planners = planners,
    .planner_count = 1,
    .planner_stride = sizeof(ArPlannerV1),
};

AR_ENTRY(host, plugin)
