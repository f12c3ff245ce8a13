//! Memory planners: pure functions from usage records to an assignment.

use crate::raw::{self, ArAssignmentV1, ArHeader, ArPlanRequestV1, ArPrepareV1};
use crate::{ObjectAssignment, ObjectRequest, OptionPairs, Result, ensure, host, invalid};

/// Size and life of one buffer: `first_node..=last_node` are positions in the execution plan, both inclusive.
pub use crate::raw::ArUsageRecordV1 as UsageRecord;

impl UsageRecord {
    /// `last_node` of a buffer that lives until the end.
    pub const FOREVER: u32 = u32::MAX;
    /// `fixed_offset` of a buffer that the planner may place.
    pub const ANYWHERE: u64 = u64::MAX;

    /// A buffer of `size` bytes, 64-byte aligned, that the planner may place anywhere.
    pub const fn new(size: u64, first_node: u32, last_node: u32) -> Self {
        UsageRecord {
            size,
            alignment: 64,
            first_node,
            last_node,
            fixed_offset: Self::ANYWHERE,
            tensor: -1,
            share_with: -1,
            share_kind: 0,
            reserved: 0,
        }
    }

    /// Whether both are alive at some node.
    pub const fn overlaps(&self, other: &UsageRecord) -> bool {
        self.first_node <= other.last_node && other.first_node <= self.last_node
    }

    /// The offset where the buffer lies already, if it does.
    pub const fn fixed(&self) -> Option<u64> {
        if self.fixed_offset == Self::ANYWHERE { None } else { Some(self.fixed_offset) }
    }
}

impl core::fmt::Debug for UsageRecord {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} bytes / {} at nodes {}..=", self.size, self.alignment, self.first_node)?;
        match self.last_node {
            Self::FOREVER => f.write_str("end")?,
            last => write!(f, "{last}")?,
        }
        if let Some(offset) = self.fixed() {
            write!(f, ", fixed at {offset}")?;
        }
        match self.share_with {
            -1 => Ok(()),
            with => write!(f, ", shares with {with} (kind {})", self.share_kind),
        }
    }
}

/// A strategy that places buffers in memory. Pure: the same records give the same assignment.
///
/// The host checks every assignment (bounds, alignment, overlap in time and space), so that a wrong one is an error and
/// never a corrupt result.
pub trait Planner: 'static {
    /// The name by which it is chosen.
    const NAME: &'static str;

    /// Fills in `assignment`, one entry per record.
    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()>;

    /// Hands out shared objects of one to three extents, if the strategy does.
    const ASSIGN: Option<Assign> = None;
}

/// Hands out shared objects: pure, and checked by the host, as [`Planner::plan`] is.
pub type Assign = fn(&ObjectRequest<'_>, &mut ObjectAssignment<'_>) -> Result<()>;

/// What is to be planned.
pub struct PlanRequest<'a> {
    /// The buffers.
    pub records: &'a [UsageRecord],
    /// Bytes that the plan should fit into, if there is a limit.
    pub capacity: Option<u64>,
    /// Time to plan, in nanoseconds, if there is a limit.
    pub time_limit: Option<u64>,
    /// From the configuration.
    pub options: OptionPairs<'a>,
}

impl<'a> PlanRequest<'a> {
    /// # Safety
    /// The struct and its arrays are valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &'a ArPlanRequestV1) -> Result<Self> {
        ensure!(
            raw.record_stride == size_of::<UsageRecord>(),
            "usage records have {} bytes, this planner knows {}",
            raw.record_stride,
            size_of::<UsageRecord>()
        );
        let limit = |value: u64| (value != u64::MAX).then_some(value);
        Ok(PlanRequest {
            // SAFETY: the caller's promise; the stride is the struct's size.
            records: unsafe { raw::slice(raw.records, raw.record_count) },
            capacity: limit(raw.capacity),
            time_limit: limit(raw.time_limit),
            // SAFETY: the caller's promise.
            options: unsafe { OptionPairs::from_raw(raw.options, raw.option_count) },
        })
    }
}

/// Where a planner writes its answer: an offset per record, or a shared object per record and each object's size.
pub struct AssignmentMut<'a> {
    raw: &'a mut ArAssignmentV1,
    count: usize,
}

impl<'a> AssignmentMut<'a> {
    /// # Safety
    /// The arrays have as many places as the request has records, nobody else uses them during `'a`.
    pub(crate) unsafe fn from_raw(request: &ArPlanRequestV1, raw: &'a mut ArAssignmentV1) -> Self {
        AssignmentMut { raw, count: request.record_count }
    }

    /// Answers with offsets; the slice has a place per record.
    pub fn offsets(&mut self) -> &mut [u64] {
        self.raw.kind = raw::ASSIGNMENT_OFFSETS;
        // SAFETY: as promised to `from_raw`.
        unsafe { writable(self.raw.offsets, self.count) }
    }

    /// Answers with shared objects: the id of the object per record, and the size per object, `0..object_count`.
    pub fn objects(&mut self, object_count: usize) -> Result<(&mut [u32], &mut [u64])> {
        ensure!(object_count <= self.count, "{object_count} objects for {} records", self.count);
        self.raw.kind = raw::ASSIGNMENT_OBJECTS;
        self.raw.object_count = object_count as u32;
        // SAFETY: as promised to `from_raw`; the arrays are different ones.
        Ok(unsafe {
            (writable(self.raw.object_ids, self.count), writable(self.raw.object_sizes, object_count))
        })
    }

    /// Says that no plan can be smaller.
    pub fn set_optimal(&mut self) {
        self.raw.optimal = 1;
    }
}

/// # Safety
/// `data` is null or points to `count` elements that nobody else uses during `'a`.
unsafe fn writable<'a, T>(data: *mut T, count: usize) -> &'a mut [T] {
    if data.is_null() || count == 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { core::slice::from_raw_parts_mut(data, count) }
}

pub(crate) fn plan_with_host(
    prepare: &ArPrepareV1,
    records: &[UsageRecord],
    offsets: &mut [u64],
) -> Result<u64> {
    ensure!(offsets.len() == records.len(), "{} offsets for {} records", offsets.len(), records.len());
    let request = ArPlanRequestV1 {
        header: ArHeader::of::<ArPlanRequestV1>(),
        records: records.as_ptr(),
        record_count: records.len(),
        record_stride: size_of::<UsageRecord>(),
        capacity: u64::MAX,
        time_limit: u64::MAX,
        options: core::ptr::null(),
        option_count: 0,
    };
    // The host answers with offsets whatever its planner gives, and needs no room for objects.
    let mut assignment = ArAssignmentV1 {
        header: ArHeader::of::<ArAssignmentV1>(),
        kind: raw::ASSIGNMENT_OFFSETS,
        object_count: 0,
        offsets: offsets.as_mut_ptr(),
        object_ids: core::ptr::null_mut(),
        object_sizes: core::ptr::null_mut(),
        optimal: 0,
    };
    // SAFETY: both structs and their arrays are valid for the call.
    host::check(unsafe { (prepare.plan)(prepare.context, &request, &mut assignment) })?;
    records.iter().zip(offsets.iter()).try_fold(0, |total: u64, (record, &offset)| {
        let end = offset.checked_add(record.size).ok_or_else(|| invalid!("the host's plan overflows"))?;
        Ok(total.max(end))
    })
}

/// The registration of `T`.
pub const fn registration<T: Planner>() -> raw::ArPlannerV1 {
    raw::ArPlannerV1 {
        header: ArHeader::of::<raw::ArPlannerV1>(),
        name: raw::ArStr::new(T::NAME),
        plan: crate::shim::plan::<T>,
        query: Some(crate::shim::query_planner::<T>),
    }
}
