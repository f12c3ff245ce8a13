/* Shared objects: a planner with one object as large as the largest record, and a delegate that queries it. */
#define AR_INTERFACE_OBJECTS 13u
#define AR_INTERFACE_ASSIGN 14u
typedef struct ArObjectRecordV1 {
  uint64_t extents[3];
  uint32_t first_node;
  uint32_t last_node;
  int32_t tensor;
  uint32_t reserved;
} ArObjectRecordV1;
typedef struct ArObjectRequestV1 {
  ArHeader header;
  uint32_t extents;
  const ArObjectRecordV1 *records;
  size_t record_count;
  size_t record_stride;
  const uint32_t *reader_starts;
  const uint32_t *readers;
  const ArPair *options;
  size_t option_count;
} ArObjectRequestV1;
typedef struct ArObjectAssignmentV1 {
  ArHeader header;
  uint32_t object_count;
  uint32_t *ids;
  uint64_t (*sizes)[3];
} ArObjectAssignmentV1;
typedef struct ArAssignV1 {
  ArHeader header;
  ArStatus (*assign)(const ArObjectRequestV1 *request, ArObjectAssignmentV1 *assignment);
} ArAssignV1;
typedef struct ArObjectsV1 {
  ArHeader header;
  ArStatus (*assign)(void *context, ArStr planner, const ArObjectRequestV1 *request, ArObjectAssignmentV1 *assignment);
} ArObjectsV1;

#include "fixture.h"

static ArStatus assign(const ArObjectRequestV1 *request, ArObjectAssignmentV1 *assignment) {
  assignment->object_count = 1;
  for (int axis = 0; axis < 3; axis++) assignment->sizes[0][axis] = 1;
  for (size_t i = 0; i < request->record_count; i++) {
    const ArObjectRecordV1 *record =
        (const ArObjectRecordV1 *)((const char *)request->records + i * request->record_stride);
    assignment->ids[i] = 0;
    for (int axis = 0; axis < 3; axis++)
      if (record->extents[axis] > assignment->sizes[0][axis]) assignment->sizes[0][axis] = record->extents[axis];
  }
  return AR_STATUS_OK;
}

static const void *query(uint64_t id) {
  static const ArAssignV1 assigns = {AR_HEADER(ArAssignV1), assign};
  return id == AR_INTERFACE_ASSIGN ? &assigns : NULL;
}

static ArStatus prepare_asking(void *kernel, const ArPrepareV1 *prepare, const ArPartitionV1 *partition) {
  const ArObjectsV1 *objects = prepare->query(prepare->context, AR_INTERFACE_OBJECTS);
  const ArObjectRecordV1 records[2] = {{{64, 1, 1}, 0, 0, -1, 0}, {{32, 1, 1}, 1, 1, -1, 0}};
  ArObjectRequestV1 request = {AR_HEADER(ArObjectRequestV1), 1, records, 2, sizeof *records, NULL, NULL, NULL, 0};
  uint32_t ids[2] = {7, 7};
  uint64_t sizes[2][3] = {{0}};
  ArObjectAssignmentV1 assignment = {AR_HEADER(ArObjectAssignmentV1), 0, ids, sizes};
  ArStr planner = AR_LITERAL("objects");
  REQUIRE(objects);
  OK(objects->assign(prepare->context, planner, &request, &assignment));
  REQUIRE(assignment.object_count == 1 && ids[0] == 0 && ids[1] == 0 && sizes[0][0] == 64);
  return prepare_kernel(kernel, prepare, partition);
}

PLANNER("objects", in_a_row, query);
DELEGATE("objects", create, claim, compile, prepare_asking, invoke, destroy, NULL);
PLUGIN("test.contract.objects", NO, ONE(planners), ONE(delegates))
