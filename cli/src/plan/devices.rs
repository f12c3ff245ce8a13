//! Shows the objects in a device's memory as separate problems: what a delegate requested and what the planner
//! assigned.
//!
//! Objects have no addresses. They are drawn stacked, each as high as its number of bytes, or of elements if it is a
//! texture.

use std::time::Duration;

use arenite::config::PlannerConfig;
use arenite::{DeviceObjects, Objects, UsageRecord};

use super::problem::{Problem, Source};
use super::solved::{Part, SolvedProblem};

/// The device objects of one partition of the problem `name`, and the planner that assigned them.
pub(super) fn problem(name: &str, given: &DeviceObjects) -> (Problem, PlannerConfig, SolvedProblem) {
    let volume = |extents: &[u64; 3]| extents.iter().fold(1u64, |volume, &n| volume.saturating_mul(n));
    let sizes: Vec<u64> = given.objects.sizes.iter().map(volume).collect();
    let bases: Vec<u64> = sizes
        .iter()
        .scan(0u64, |end, &size| Some(std::mem::replace(end, end.saturating_add(size))))
        .collect();
    let of = |record: &arenite::abi::ObjectRecord| {
        UsageRecord::new(volume(&record.extents), record.first_node, record.last_node)
    };
    let records: Vec<UsageRecord> = given.records.iter().map(of).collect();
    let ids = &given.objects.ids;
    let total = sizes.iter().fold(0u64, |sum, &size| sum.saturating_add(size));
    let bound = arenite::plan::lower_bound(&records);
    let solved = SolvedProblem {
        parts: parts(&records, given),
        offsets: ids.iter().map(|&id| bases.get(id as usize).copied().unwrap_or(0)).collect(),
        total,
        bound,
        optimal: total == bound,
        objects: Some(Objects { ids: ids.clone(), sizes }),
        records: records.clone(),
        time: Duration::ZERO,
        steps: None,
        unknown: Vec::new(),
        notes: Vec::new(),
        devices: Vec::new(),
    };
    let name = format!("{name}, device of {}, partition {}", given.delegate, given.partition);
    let problem = Problem { name, source: Source::Table(records) };
    (problem, PlannerConfig::new(given.planner.as_str()), solved)
}

/// What is drawn: each record inside its object.
fn parts(records: &[UsageRecord], given: &DeviceObjects) -> Vec<Part> {
    let part = |(i, (record, id)): (usize, (&UsageRecord, &u32))| Part {
        record: i,
        offset: 0,
        size: record.size,
        first: record.first_node,
        last: record.last_node,
        name: format!("record {i} in object {id}"),
        op: given.delegate.clone(),
        accesses: 2,
    };
    records.iter().zip(&given.objects.ids).enumerate().map(part).collect()
}
