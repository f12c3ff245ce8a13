/*
 * A plugin in C: the planner `stacked`, which places each buffer after the previous one. Buffers never share memory.
 *
 *   cc -std=c11 -O2 -shared -fPIC -I core/abi/include -o libstacked.so ffi/c/examples/plugins/stacked.c
 */
#include <arenite_plugin.h>
#include <string.h>

static const ArHostV1 *host;

static ArStatus fail(ArStatus status, const char *message) {
  ArStr text = {(const uint8_t *)message, strlen(message)};
  host->set_error(text);
  return status;
}

/* Uses the stride from the request, since records of a later host may be larger. */
static const ArUsageRecordV1 *record(const ArPlanRequestV1 *request, size_t i) {
  return (const ArUsageRecordV1 *)((const char *)request->records + i * request->record_stride);
}

static ArStatus plan(const ArPlanRequestV1 *request, ArAssignmentV1 *assignment) {
  if (request->option_count != 0) return fail(AR_STATUS_INVALID, "the planner stacked has no options");
  uint64_t end = 0;
  /* Start after the buffers that have a fixed place. */
  for (size_t i = 0; i < request->record_count; i++) {
    const ArUsageRecordV1 *fixed = record(request, i);
    if (fixed->fixed_offset != AR_ANYWHERE && fixed->fixed_offset + fixed->size > end) end = fixed->fixed_offset + fixed->size;
  }
  assignment->kind = AR_ASSIGNMENT_OFFSETS;
  for (size_t i = 0; i < request->record_count; i++) {
    const ArUsageRecordV1 *next = record(request, i);
    if (next->fixed_offset != AR_ANYWHERE) {
      assignment->offsets[i] = next->fixed_offset;
      continue;
    }
    uint64_t alignment = next->alignment ? next->alignment : 1;
    assignment->offsets[i] = (end + alignment - 1) / alignment * alignment;
    end = assignment->offsets[i] + next->size;
  }
  return AR_STATUS_OK;
}

static const ArPlannerV1 planners[] = {{AR_HEADER(ArPlannerV1), AR_LITERAL("stacked"), plan, NULL}};

static const ArPluginV1 plugin = {
    .header = AR_HEADER(ArPluginV1),
    .id = AR_LITERAL("org.arenite.example.stacked"),
    .version = AR_LITERAL("0.1.0"),
    .description = AR_LITERAL("Example in C: the planner stacked"),
    .planners = planners,
    .planner_count = 1,
    .planner_stride = sizeof(ArPlannerV1),
};

AR_ENTRY(host, plugin)
