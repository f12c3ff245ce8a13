//! Memory plans: calls a planner and checks its answer.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arenite_abi::UsageRecord;
use arenite_abi::raw::{
    ASSIGNMENT_OBJECTS, ASSIGNMENT_OFFSETS, ArAssignmentV1, ArHeader, ArPair, ArPlanRequestV1, ArStr,
};

use crate::error::{Error, Result};
use crate::host::message;
use crate::plugins::registration::PlannerRegistration;

pub use arenite_layout::lower_bound;

/// The offset of each buffer in a block of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Offset of each record.
    pub offsets: Vec<u64>,
    /// The size of the block in bytes.
    pub total_bytes: u64,
    /// The largest sum of the sizes of buffers that are alive at one node. No plan without overlaps is smaller.
    pub lower_bound: u64,
    /// Whether the planner proved that no smaller plan exists.
    pub optimal: bool,
    /// The shared objects, if the planner assigned objects instead of offsets.
    pub objects: Option<Objects>,
}

impl Plan {
    /// Logs the size of the plan, which `planner` made.
    pub(crate) fn logged(self, planner: &str) -> Self {
        let (total, bound) = (self.total_bytes, self.lower_bound);
        tracing::info!("planner {planner}: {total} bytes of memory, at least {bound} are needed");
        self
    }
}

/// An assignment of records to shared objects. A record has exclusive use of its object while it is alive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// The object of each record.
    pub ids: Vec<u32>,
    /// The size of each object.
    pub sizes: Vec<u64>,
}

/// The memory of a segment. Nodes of dynamic shape divide the execution plan into segments.
#[derive(Clone, Debug, Default)]
pub struct SegmentPlan {
    /// Tensors and scratch buffers. `tensor` is the tensor's index, −1 for scratch; nodes are step numbers in execution
    /// order.
    pub records: Vec<UsageRecord>,
    /// Their offsets.
    pub plan: Plan,
    /// The records for the planner. Records that share memory form one buffer; buffers of earlier segments are fixed.
    pub buffers: Vec<UsageRecord>,
    /// For each record, its buffer and its offset in that buffer.
    pub places: Vec<(usize, u64)>,
}

/// Limits for a planner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanLimits {
    /// The size in bytes that the plan should not exceed.
    pub capacity: Option<u64>,
    /// The time limit for planning.
    pub time: Option<Duration>,
}

/// A planner, with its options.
#[derive(Clone)]
pub(crate) struct ChosenPlanner {
    pub name: String,
    pub raw: PlannerRegistration,
    pub options: Vec<(String, String)>,
    /// The default time limit for one plan.
    pub time: Option<Duration>,
    /// Time in the planner so far.
    pub spent: Cell<Duration>,
}

impl ChosenPlanner {
    /// Calls the planner, and checks its answer for bounds, alignment, and overlap in time and space.
    pub(crate) fn plan(&self, records: &[UsageRecord], limits: &PlanLimits) -> Result<Plan> {
        self.plan_named(records, limits, &|i| i.to_string())
    }

    /// As [`plan`](Self::plan). `label` names the record with this index in messages.
    pub(crate) fn plan_named(
        &self,
        records: &[UsageRecord],
        limits: &PlanLimits,
        label: &dyn Fn(usize) -> String,
    ) -> Result<Plan> {
        let _span = tracing::debug_span!("plan", planner = %self.name, records = records.len()).entered();
        let fail = |message: String| Error::Plan { planner: self.name.clone(), message };
        let limits = PlanLimits { time: limits.time.or(self.time), ..*limits };
        let start = Instant::now();
        let answer = self.ask(records, &limits);
        self.spent.set(self.spent.get().saturating_add(start.elapsed()));
        let answer = answer?;
        let is_proved = answer.optimal;
        let (offsets, objects) = answer.read(records).map_err(fail)?;
        let total_bytes = check(records, &offsets, label).map_err(fail)?;
        let lower_bound = lower_bound(records);
        let optimal = is_proved || total_bytes == lower_bound;
        Ok(Plan { offsets, total_bytes, lower_bound, optimal, objects })
    }

    /// Has the planner check its options.
    pub(crate) fn check_options(&self) -> Result<()> {
        self.ask(&[], &PlanLimits::default()).map(drop)
    }

    fn ask(&self, records: &[UsageRecord], limits: &PlanLimits) -> Result<Answer> {
        let options: Vec<ArPair> = self
            .options
            .iter()
            .map(|(key, value)| ArPair { key: ArStr::borrowed(key), value: ArStr::borrowed(value) })
            .collect();
        let request = ArPlanRequestV1 {
            header: ArHeader::of::<ArPlanRequestV1>(),
            records: records.as_ptr(),
            record_count: records.len(),
            record_stride: size_of::<UsageRecord>(),
            capacity: limits.capacity.unwrap_or(u64::MAX),
            time_limit: limits.time.map_or(u64::MAX, |time| time.as_nanos().try_into().unwrap_or(u64::MAX)),
            options: options.as_ptr(),
            option_count: options.len(),
        };
        let mut answer = Answer::of(records.len());
        let mut assignment = answer.assignment();
        message::clear_message();
        // SAFETY: both structs and their arrays are valid for the call; each array has a place per record.
        let status = unsafe { self.raw.plan(&request, &mut assignment) };
        if status != 0 {
            let message = message::take_message("it failed without a message");
            return Err(Error::Plan { planner: self.name.clone(), message });
        }
        let ArAssignmentV1 { kind, object_count, optimal, .. } = assignment;
        Ok(Answer { kind, object_count, optimal: optimal != 0, ..answer })
    }
}

/// The unchecked answer of a planner.
struct Answer {
    kind: u32,
    object_count: u32,
    optimal: bool,
    offsets: Vec<u64>,
    object_ids: Vec<u32>,
    object_sizes: Vec<u64>,
}

impl Answer {
    /// An empty answer with space for `count` records.
    fn of(count: usize) -> Self {
        let (offsets, object_ids, object_sizes) = (vec![0; count], vec![0; count], vec![0; count]);
        Answer { kind: u32::MAX, object_count: 0, optimal: false, offsets, object_ids, object_sizes }
    }

    /// The struct for the planner to fill in. It points into the lists of this answer.
    fn assignment(&mut self) -> ArAssignmentV1 {
        ArAssignmentV1 {
            header: ArHeader::of::<ArAssignmentV1>(),
            kind: self.kind,
            object_count: self.object_count,
            offsets: self.offsets.as_mut_ptr(),
            object_ids: self.object_ids.as_mut_ptr(),
            object_sizes: self.object_sizes.as_mut_ptr(),
            optimal: 0,
        }
    }

    /// The offsets, and the objects if the planner assigned objects.
    fn read(self, records: &[UsageRecord]) -> Result<(Vec<u64>, Option<Objects>), String> {
        match self.kind {
            ASSIGNMENT_OFFSETS => Ok((self.offsets, None)),
            ASSIGNMENT_OBJECTS => {
                let mut objects = Objects { ids: self.object_ids, sizes: self.object_sizes };
                objects.sizes.truncate(self.object_count as usize);
                Ok((objects_to_offsets(records, &objects.ids, &objects.sizes)?, Some(objects)))
            }
            _ if records.is_empty() => Ok((Vec::new(), None)),
            other => Err(format!("it answered in form {other}, known are 0 (offsets) and 1 (objects)")),
        }
    }
}

/// Places shared objects in sequence, each with the largest alignment of its records.
fn objects_to_offsets(records: &[UsageRecord], ids: &[u32], sizes: &[u64]) -> Result<Vec<u64>, String> {
    let mut alignment = vec![1u64; sizes.len()];
    for (i, (record, &id)) in records.iter().zip(ids).enumerate() {
        let size = *sizes
            .get(id as usize)
            .ok_or_else(|| format!("record {i} is in object {id}, there are {}", sizes.len()))?;
        if record.size > size {
            return Err(format!("record {i} has {} bytes, its object {id} has {size}", record.size));
        }
        if let Some(fixed) = record.fixed() {
            return Err(format!("record {i} is fixed at {fixed}, which shared objects cannot keep"));
        }
        alignment[id as usize] = alignment[id as usize].max(record.alignment.max(1));
    }
    let mut starts = Vec::with_capacity(sizes.len());
    let mut end = 0u64;
    for (&size, align) in sizes.iter().zip(alignment) {
        let start = end.checked_next_multiple_of(align).ok_or("the objects' sizes overflow")?;
        end = start.checked_add(size).ok_or("the objects' sizes overflow")?;
        starts.push(start);
    }
    Ok(ids.iter().map(|&id| starts[id as usize]).collect())
}

/// Checks a plan and returns its size. Records of size 0 can have any offset.
///
/// # Errors
/// The first record that is out of bounds, misaligned, not at its fixed offset, or overlaps another one while both are
/// alive, with its offset.
pub fn validate(records: &[UsageRecord], offsets: &[u64]) -> Result<u64, String> {
    check(records, offsets, &|i| i.to_string())
}

/// As [`validate`]. `label` names the record with this index in messages.
fn check(records: &[UsageRecord], offsets: &[u64], label: &dyn Fn(usize) -> String) -> Result<u64, String> {
    if offsets.len() != records.len() {
        return Err(format!("there are {} offsets for {} records", offsets.len(), records.len()));
    }
    let mut total = 0u64;
    for (i, (record, &offset)) in records.iter().zip(offsets).enumerate() {
        if record.size == 0 {
            continue;
        }
        let end = offset.checked_add(record.size).filter(|&end| end <= i64::MAX as u64);
        total = total.max(end.ok_or_else(|| {
            format!("record {} of {} bytes at offset {offset} ends beyond 2⁶³", label(i), record.size)
        })?);
        if !offset.is_multiple_of(record.alignment.max(1)) {
            let (label, alignment) = (label(i), record.alignment);
            return Err(format!("record {label} is at offset {offset}, not a multiple of {alignment}"));
        }
        if let Some(fixed) = record.fixed().filter(|&fixed| fixed != offset) {
            return Err(format!("record {} is at offset {offset}, it was fixed at {fixed}", label(i)));
        }
    }
    check_overlap(records, offsets, label)?;
    Ok(total)
}

/// Sweeps over time. `alive` is the memory in use, ordered by start; each new record is compared with its neighbour.
fn check_overlap(
    records: &[UsageRecord],
    offsets: &[u64],
    label: &dyn Fn(usize) -> String,
) -> Result<(), String> {
    let mut births: Vec<usize> = (0..records.len()).filter(|&i| records[i].size > 0).collect();
    if let Some(i) = births.iter().find(|&&i| records[i].last_node < records[i].first_node) {
        let UsageRecord { first_node, last_node, .. } = records[*i];
        return Err(format!("record {} lives from {first_node} to {last_node}", label(*i)));
    }
    let mut deaths = births.clone();
    births.sort_by_key(|&i| records[i].first_node);
    deaths.sort_by_key(|&i| records[i].last_node);
    let mut deaths = deaths.into_iter().peekable();
    let mut alive: BTreeMap<u64, usize> = BTreeMap::new();
    for i in births {
        let (node, start, end) = (records[i].first_node, offsets[i], offsets[i] + records[i].size);
        while let Some(gone) = deaths.next_if(|&gone| records[gone].last_node < node) {
            alive.remove(&offsets[gone]);
        }
        if let Some((&from, &other)) = alive.range(..end).next_back()
            && from + records[other].size > start
        {
            let to = from + records[other].size;
            let (other, this) = (label(other), label(i));
            return Err(format!(
                "records {other} ({from}..{to}) and {this} ({start}..{end}) overlap while both live at node {node}"
            ));
        }
        alive.insert(start, i);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(size: u64, first: u32, last: u32) -> UsageRecord {
        UsageRecord::new(size, first, last)
    }

    #[test]
    fn good_plans_pass() {
        let records =
            [record(64, 0, 1), record(128, 1, 2), record(64, 2, UsageRecord::FOREVER), record(0, 0, 9)];
        assert_eq!(validate(&records, &[0, 64, 0, 7]), Ok(192));
        assert_eq!(lower_bound(&records), 192);
    }

    #[test]
    fn each_kind_of_wrong_plan_is_named() {
        let records = [record(100, 0, 1), record(100, 1, 2)];
        let error = |offsets: &[u64]| validate(&records, offsets).unwrap_err();
        assert_eq!(error(&[0]), "there are 1 offsets for 2 records");
        assert_eq!(error(&[0, 130]), "record 1 is at offset 130, not a multiple of 64");
        assert_eq!(error(&[0, 64]), "records 0 (0..100) and 1 (64..164) overlap while both live at node 1");
        assert_eq!(
            error(&[0, u64::MAX - 63]),
            format!("record 1 of 100 bytes at offset {} ends beyond 2⁶³", u64::MAX - 63)
        );
        let mut fixed = records;
        fixed[1].fixed_offset = 256;
        assert_eq!(
            validate(&fixed, &[0, 128]).unwrap_err(),
            "record 1 is at offset 128, it was fixed at 256"
        );
    }

    #[test]
    fn objects_become_offsets() {
        let records = [record(10, 0, 0), record(70, 1, 1), record(5, 1, 1)];
        assert_eq!(objects_to_offsets(&records, &[0, 0, 1], &[70, 5]).unwrap(), [0, 0, 128]);
        assert!(objects_to_offsets(&records, &[0, 2, 1], &[70, 5]).is_err());
        assert!(objects_to_offsets(&records, &[0, 1, 1], &[70, 5]).is_err());
    }
}
