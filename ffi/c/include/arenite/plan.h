/*
 * arenite/plan.h: memory plans for buffers of the program, by any planner. Include arenite_plugin.h for the records.
 *
 * Ownership  every array belongs to the caller, and none is kept
 * Threads    as registry.h
 * Errors     AR_ERROR_NOT_FOUND for an unknown planner, with the known ones; AR_ERROR_FAILED if the planner cannot
 *            plan these records; AR_ERROR_ARGUMENT for a record whose last node precedes its first, or whose alignment
 *            is not a power of two
 */
#ifndef ARENITE_PLAN_H
#define ARENITE_PLAN_H

#include <arenite/options.h>
#include <arenite/registry.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Declared in arenite_plugin.h. */
typedef struct ArUsageRecordV1 ArUsageRecordV1;
typedef struct ArObjectRecordV1 ArObjectRecordV1;

/* Places buffers in one block of memory. Buffers that are alive at the same time do not overlap; the plan is checked.
 *
 *   planner      its name, such as "portfolio"; planner_options may be null if option_count is 0
 *   records      size, alignment and lifetime of each buffer. last_node is AR_FOREVER if it lives until the end;
 *                fixed_offset is AR_ANYWHERE, or the offset of a buffer that must not move; set tensor and share_with
 *                to -1 and all other fields to 0
 *   offsets      receives the offset of each buffer: record_count elements
 *   total_bytes  receives the size of the block */
ARENITE_API ArError *ar_plan_buffers(const ArRegistry *registry, const char *planner, const ArOption *planner_options,
                                     size_t option_count, const ArUsageRecordV1 *records, size_t record_count,
                                     uint64_t *offsets, uint64_t *total_bytes);

/* Assigns objects without addresses, such as textures, with a planner of shared objects. A record fits an object that
 * is as large along each axis, and has it alone while it is alive; the assignment is checked.
 *
 *   extents        of each record, 1 to 3; unused ones of a record are 1
 *   reader_starts  null if nodes run in sequence. Otherwise they may run in any order that their data allow, and the
 *                  records computed from record i are readers[reader_starts[i]] up to readers[reader_starts[i + 1]],
 *                  exclusive: record_count + 1 elements
 *   ids            receives the object of each record: record_count elements
 *   sizes          receives the extents of each object: record_count elements, of which object_count are set */
ARENITE_API ArError *ar_plan_objects(const ArRegistry *registry, const char *planner, size_t extents,
                                     const ArObjectRecordV1 *records, size_t record_count,
                                     const uint32_t *reader_starts, const uint32_t *readers, uint32_t *ids,
                                     uint64_t (*sizes)[3], size_t *object_count);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_PLAN_H */
