/* Includes plan.h alone, then plans buffers and objects of the program. Compiled as C and as C++. */
#include <arenite/plan.h>

#include <arenite_plugin.h>

#include "../check.h"

static ArUsageRecordV1 buffer(uint64_t size, uint32_t first, uint32_t last) {
  ArUsageRecordV1 record;
  memset(&record, 0, sizeof record);
  record.size = size;
  record.alignment = 1;
  record.first_node = first;
  record.last_node = last;
  record.fixed_offset = AR_ANYWHERE;
  record.tensor = record.share_with = -1;
  return record;
}

static ArObjectRecordV1 texture(uint64_t width, uint64_t height, uint32_t first) {
  ArObjectRecordV1 record;
  memset(&record, 0, sizeof record);
  record.extents[0] = width;
  record.extents[1] = height;
  record.extents[2] = 1;
  record.first_node = first;
  record.last_node = first + 1;
  record.tensor = -1;
  return record;
}

static void buffers(const ArRegistry *registry) {
  ArUsageRecordV1 records[3] = {buffer(200, 0, 1), buffer(10, 0, AR_FOREVER), buffer(20, 0, AR_FOREVER)};
  const ArOption option = {"seeds", "1"};
  uint64_t offsets[3], total;
  OK(ar_plan_buffers(registry, "arena", NULL, 0, records, 3, offsets, &total));
  REQUIRE(offsets[0] == 30 && offsets[1] == 0 && offsets[2] == 10 && total == 230);
  OK(ar_plan_buffers(registry, "arena", NULL, 0, NULL, 0, NULL, &total));
  REQUIRE(total == 0);
  FAILS(AR_ERROR_NOT_FOUND, "unknown planner 'aren'", ar_plan_buffers(registry, "aren", NULL, 0, records, 3, offsets, &total));
  FAILS(AR_ERROR_FAILED, "seeds", ar_plan_buffers(registry, "arena", &option, 1, records, 3, offsets, &total));
  FAILS(AR_ERROR_ARGUMENT, "'offsets' is null", ar_plan_buffers(registry, "arena", NULL, 0, records, 3, NULL, &total));
  FAILS(AR_ERROR_ARGUMENT, "'registry' is null", ar_plan_buffers(NULL, "arena", NULL, 0, records, 3, offsets, &total));
  records[1].alignment = 48;
  FAILS(AR_ERROR_ARGUMENT, "record 1 is aligned to 48, which is not a power of two",
        ar_plan_buffers(registry, "arena", NULL, 0, records, 3, offsets, &total));
  records[0].first_node = 2;
  FAILS(AR_ERROR_ARGUMENT, "record 0 lives from node 2 to 1",
        ar_plan_buffers(registry, "arena", NULL, 0, records, 3, offsets, &total));
}

static void objects(const ArRegistry *registry) {
  const ArObjectRecordV1 textures[3] = {texture(4, 4, 0), texture(8, 4, 1), texture(4, 2, 2)};
  const ArObjectRecordV1 branches[4] = {texture(4, 1, 0), texture(4, 1, 2), texture(4, 1, 4), texture(4, 1, 6)};
  const uint32_t starts[5] = {0, 2, 3, 4, 4}, readers[4] = {1, 2, 3, 3};
  uint32_t ids[4];
  uint64_t sizes[4][3];
  size_t count;
  OK(ar_plan_objects(registry, "greedy-in-order", 2, textures, 3, NULL, NULL, ids, sizes, &count));
  REQUIRE(count == 2 && ids[0] == 0 && ids[1] == 1 && ids[2] == 0);
  REQUIRE(sizes[0][0] == 4 && sizes[0][1] == 4 && sizes[1][0] == 8 && sizes[1][1] == 4);
  OK(ar_plan_objects(registry, "greedy-in-order", 1, branches, 4, NULL, NULL, ids, sizes, &count));
  REQUIRE(count == 1);
  OK(ar_plan_objects(registry, "greedy-in-order", 1, branches, 4, starts, readers, ids, sizes, &count));
  REQUIRE(count == 3 && ids[0] == 0 && ids[1] == 1 && ids[2] == 2 && ids[3] == 0);
  FAILS(AR_ERROR_FAILED, "it hands out no shared objects; those that do: ",
        ar_plan_objects(registry, "arena", 2, textures, 3, NULL, NULL, ids, sizes, &count));
  FAILS(AR_ERROR_ARGUMENT, "'readers' is null",
        ar_plan_objects(registry, "naive", 1, branches, 4, starts, NULL, ids, sizes, &count));
  FAILS(AR_ERROR_ARGUMENT, "'sizes' is null",
        ar_plan_objects(registry, "naive", 1, branches, 4, NULL, NULL, ids, NULL, &count));
}

void test_plan(const char *folder) {
  ArRegistry *registry;
  (void)folder;
  OK(ar_registry_new(NULL, &registry));
  buffers(registry);
  objects(registry);
  ar_registry_free(registry);
}
