//! Shared objects, of a partition's device or of a table: the records and their objects.
//!
//! Objects have no addresses. They are drawn stacked, each as high as its number of bytes, or of elements if it is a
//! texture.

use std::time::Duration;

use arenite::abi::ObjectRecord;
use arenite::config::PlannerConfig;
use arenite::{DeviceObjects, Objects, SharedObjects, UsageRecord};

use super::problem::{Problem, Source};
use super::solved::{Part, SolvedProblem};

/// The device objects of one partition of the problem `name`, and the planner that assigned them.
pub(super) fn problem(name: &str, given: &DeviceObjects) -> (Problem, PlannerConfig, SolvedProblem) {
    let solved = stack(&given.records, &given.objects, &given.delegate);
    let name = format!("{name}, device of {}, partition {}", given.delegate, given.partition);
    let problem = Problem { name, source: Source::Table(solved.records.clone()) };
    (problem, PlannerConfig::new(given.planner.as_str()), solved)
}

/// The records with their objects one above the other. `op` is the kind of buffer in drawings.
pub(super) fn stack(records: &[ObjectRecord], objects: &SharedObjects, op: &str) -> SolvedProblem {
    let sizes: Vec<u64> = objects.sizes.iter().map(volume).collect();
    let bases: Vec<u64> = sizes
        .iter()
        .scan(0u64, |end, &size| Some(std::mem::replace(end, end.saturating_add(size))))
        .collect();
    let of = |record: &ObjectRecord| {
        UsageRecord::new(volume(&record.extents), record.first_node, record.last_node)
    };
    let records: Vec<UsageRecord> = records.iter().map(of).collect();
    let ids = &objects.ids;
    let total = sizes.iter().fold(0u64, |sum, &size| sum.saturating_add(size));
    let bound = arenite::plan::lower_bound(&records);
    SolvedProblem {
        parts: parts(&records, ids, op),
        offsets: ids.iter().map(|&id| bases.get(id as usize).copied().unwrap_or(0)).collect(),
        total,
        bound,
        optimal: total == bound,
        objects: Some(Objects { ids: ids.clone(), sizes }),
        extents: Some(objects.sizes.clone()),
        records,
        time: Duration::ZERO,
        steps: None,
        unknown: Vec::new(),
        notes: Vec::new(),
        devices: Vec::new(),
    }
}

fn volume(extents: &[u64; 3]) -> u64 {
    extents.iter().fold(1, |volume, &n| volume.saturating_mul(n))
}

/// The blocks of a drawing: each record inside its object.
fn parts(records: &[UsageRecord], ids: &[u32], op: &str) -> Vec<Part> {
    let part = |(i, (record, id)): (usize, (&UsageRecord, &u32))| Part {
        record: i,
        offset: 0,
        size: record.size,
        first: record.first_node,
        last: record.last_node,
        name: format!("record {i} in object {id}"),
        op: op.to_owned(),
        accesses: 2,
    };
    records.iter().zip(ids).enumerate().map(part).collect()
}
