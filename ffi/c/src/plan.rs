//! Functions of `arenite/plan.h`: memory plans for buffers of the program.

use std::ffi::c_char;

use arenite::UsageRecord;
use arenite::abi::{ObjectRecord, Readers};
use arenite::config::PlannerConfig;

use crate::arguments::{list, put, put_list, shared, text};
use crate::error::{ArError, Failure, Result, guard};
use crate::options::{ArOption, pairs};
use crate::registry::ArRegistry;

/// Places buffers in one block of memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plan_buffers(
    registry: *const ArRegistry,
    planner: *const c_char,
    planner_options: *const ArOption,
    option_count: usize,
    records: *const UsageRecord,
    record_count: usize,
    offsets: *mut u64,
    total_bytes: *mut u64,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `planner` is null or a null-terminated string and the lists are null or have the given numbers of
        // elements, as the header requires.
        let (mut config, options, records) = unsafe {
            (
                PlannerConfig::new(text(planner, "planner")?),
                pairs(planner_options, option_count, "planner_options")?,
                list(records, record_count, "records")?,
            )
        };
        config.options = options;
        records.iter().enumerate().try_for_each(|(i, record)| check(i, record))?;
        // SAFETY: `registry` is null or a live handle, as the header requires.
        let registry = unsafe { shared(registry, "registry") }?;
        let plan = registry.found.registry.plan(&config, records, &Default::default())?;
        // SAFETY: `offsets` is null or has `record_count` elements, one per offset, and `total_bytes` is null or
        // writable, as the header requires.
        unsafe {
            put_list(offsets, "offsets", &plan.offsets)?;
            put(total_bytes, "total_bytes", plan.total_bytes)
        }
    })
}

/// Assigns objects without addresses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plan_objects(
    registry: *const ArRegistry,
    planner: *const c_char,
    extents: usize,
    records: *const ObjectRecord,
    record_count: usize,
    reader_starts: *const u32,
    readers: *const u32,
    ids: *mut u32,
    sizes: *mut [u64; 3],
    object_count: *mut usize,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `planner` is null or a null-terminated string and `records` null or has the given length, as
        // the header requires.
        let (config, records) = unsafe {
            (PlannerConfig::new(text(planner, "planner")?), list(records, record_count, "records")?)
        };
        for (i, record) in records.iter().enumerate() {
            lifetime(i, [record.first_node, record.last_node])?;
        }
        // SAFETY: if `reader_starts` is not null, it has one element more than `records`, and `readers` as many as its
        // last element, as the header requires.
        let readers = unsafe { readers_of(reader_starts, readers, record_count) }?;
        // SAFETY: `registry` is null or a live handle, as the header requires.
        let registry = unsafe { shared(registry, "registry") }?;
        let objects = registry.found.registry.assign(&config, extents, records, readers)?;
        // SAFETY: `ids` and `sizes` are null or have `record_count` elements, `assign` checked that there is at most
        // one object per record, and `object_count` is null or writable, as the header requires.
        unsafe {
            put_list(ids, "ids", &objects.ids)?;
            put_list(sizes, "sizes", &objects.sizes)?;
            put(object_count, "object_count", objects.sizes.len())
        }
    })
}

fn check(i: usize, record: &UsageRecord) -> Result<()> {
    lifetime(i, [record.first_node, record.last_node])?;
    match record.alignment {
        alignment if alignment.is_power_of_two() => Ok(()),
        alignment => Err(Failure::argument(format!(
            "record {i} is aligned to {alignment}, which is not a power of two"
        ))),
    }
}

fn lifetime(record: usize, [first, last]: [u32; 2]) -> Result<()> {
    match first <= last {
        true => Ok(()),
        false => Err(Failure::argument(format!("record {record} lives from node {first} to {last}"))),
    }
}

/// # Safety
/// If `starts` is not null, it must have one element more than `records`, and `readers` as many as its last element.
unsafe fn readers_of<'a>(
    starts: *const u32,
    readers: *const u32,
    records: usize,
) -> Result<Option<Readers<'a>>> {
    if starts.is_null() {
        return Ok(None);
    }
    let count = records.saturating_add(1);
    // SAFETY: `starts` has that many elements, as `# Safety` requires.
    let starts = unsafe { list(starts, count, "reader_starts") }?;
    let end = starts.last().map_or(0, |&end| end as usize);
    // SAFETY: `readers` has as many elements as the last start, as `# Safety` requires.
    let readers = unsafe { list(readers, end, "readers") }?;
    let readers = Readers::new(starts, readers);
    readers.map(Some).map_err(|error| Failure::argument(error.message()))
}
