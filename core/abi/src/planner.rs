//! Memory planners: pure functions from usage records to offsets or shared objects.

use core::ffi::c_void;

use crate::raw::{
    self, ArAssignV1, ArAssignmentV1, ArHeader, ArNoSharingV1, ArObjectAssignmentV1, ArObjectRequestV1,
    ArPlanRequestV1, ArPrepareV1, ArStatus, INTERFACE_ASSIGN, INTERFACE_NO_SHARING,
};
use crate::shim::status;
use crate::{ObjectAssignment, ObjectRequest, OptionPairs, Result, ensure, host, invalid, unsupported};

/// Size and lifetime of one buffer: `first_node..=last_node` are positions in the execution plan, both inclusive.
pub use crate::raw::ArUsageRecordV1 as UsageRecord;

impl UsageRecord {
    /// `last_node` of a buffer that is alive until the end.
    pub const FOREVER: u32 = u32::MAX;
    /// `fixed_offset` of a buffer that the planner may place.
    pub const ANYWHERE: u64 = u64::MAX;

    /// A buffer of `size` bytes, aligned to 64 bytes, that the planner may place anywhere.
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

    /// Whether both buffers are alive at the same node.
    pub const fn overlaps(&self, other: &UsageRecord) -> bool {
        self.first_node <= other.last_node && other.first_node <= self.last_node
    }

    /// The offset of the buffer if it is fixed.
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

/// A strategy for placing buffers in memory. It must be pure: the same records give the same assignment.
///
/// The host checks every assignment (bounds, alignment, overlap in time and space), so a wrong one is an error and
/// never corrupts results.
pub trait Planner: 'static {
    /// The name by which users select it.
    const NAME: &'static str;

    /// Fills in `assignment`, with one entry per record.
    ///
    /// # Errors
    /// The records cannot be planned within the limits.
    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()>;

    /// Assigns shared objects of one to three extents, if the strategy supports that.
    const ASSIGN: Option<Assign> = None;

    /// Whether records may share memory. If not, every value can be read after its last use, and the host overlaps no
    /// tensors either, as with `preserve_all`.
    const SHARES_MEMORY: bool = true;
}

/// A function that assigns shared objects. Like [`Planner::plan`] it must be pure, and the host checks its result.
pub type Assign = fn(&ObjectRequest<'_>, &mut ObjectAssignment<'_>) -> Result<()>;

/// The input of a planner.
pub struct PlanRequest<'a> {
    /// The buffers to place.
    pub records: &'a [UsageRecord],
    /// Maximum size of the plan in bytes, if there is a limit.
    pub capacity: Option<u64>,
    /// Maximum planning time in nanoseconds, if there is a limit.
    pub time_limit: Option<u64>,
    /// Options from the configuration.
    pub options: OptionPairs<'a>,
}

impl<'a> PlanRequest<'a> {
    /// Checks and wraps the host's struct.
    ///
    /// # Safety
    /// The struct and its arrays must be valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &'a ArPlanRequestV1) -> Result<Self> {
        ensure!(
            raw.record_stride == size_of::<UsageRecord>(),
            "usage records have {} bytes, but this planner supports {}",
            raw.record_stride,
            size_of::<UsageRecord>()
        );
        let limit = |value: u64| (value != u64::MAX).then_some(value);
        Ok(PlanRequest {
            // SAFETY: the caller guarantees that the array is valid for `'a`, and the stride is the struct's size,
            // checked above.
            records: unsafe { raw::slice(raw.records, raw.record_count) },
            capacity: limit(raw.capacity),
            time_limit: limit(raw.time_limit),
            // SAFETY: the caller guarantees that the options are valid for `'a`.
            options: unsafe { OptionPairs::from_raw(raw.options, raw.option_count) },
        })
    }
}

/// The result of a planner: an offset per record, or a shared object per record and the size of each object.
pub struct AssignmentMut<'a> {
    raw: &'a mut ArAssignmentV1,
    count: usize,
}

impl<'a> AssignmentMut<'a> {
    /// Wraps the host's struct.
    ///
    /// # Safety
    /// The arrays must have one element per record of the request, and only this value may access them during `'a`.
    pub(crate) unsafe fn from_raw(request: &ArPlanRequestV1, raw: &'a mut ArAssignmentV1) -> Self {
        AssignmentMut { raw, count: request.record_count }
    }

    /// Returns the slice for the offsets, with one element per record.
    pub fn offsets(&mut self) -> &mut [u64] {
        self.raw.kind = raw::ASSIGNMENT_OFFSETS;
        // SAFETY: `from_raw` requires that the array has `count` elements that only this value accesses.
        unsafe { writable(self.raw.offsets, self.count) }
    }

    /// Sets the number of shared objects. Returns the slices for the object's id of each record, and for the size of
    /// each object.
    ///
    /// # Errors
    /// There are more objects than records.
    pub fn objects(&mut self, object_count: usize) -> Result<(&mut [u32], &mut [u64])> {
        ensure!(object_count <= self.count, "{object_count} objects for {} records", self.count);
        self.raw.kind = raw::ASSIGNMENT_OBJECTS;
        self.raw.object_count = object_count as u32;
        // SAFETY: `from_raw` requires that both arrays have `count` elements that only this value accesses; they are
        // different arrays.
        Ok(unsafe {
            (writable(self.raw.object_ids, self.count), writable(self.raw.object_sizes, object_count))
        })
    }

    /// Declares that no plan can be smaller.
    pub fn set_optimal(&mut self) {
        self.raw.optimal = 1;
    }
}

/// The elements as a slice; empty if the pointer is null.
///
/// # Safety
/// `data` must be null or point to `count` elements that only the result accesses during `'a`.
unsafe fn writable<'a, T>(data: *mut T, count: usize) -> &'a mut [T] {
    if data.is_null() || count == 0 {
        return &mut [];
    }
    // SAFETY: `data` is not null, checked above, and the caller guarantees `count` elements that nothing else accesses.
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
    // The host always returns offsets from its planner, so it needs no arrays for objects.
    let mut assignment = ArAssignmentV1 {
        header: ArHeader::of::<ArAssignmentV1>(),
        kind: raw::ASSIGNMENT_OFFSETS,
        object_count: 0,
        offsets: offsets.as_mut_ptr(),
        object_ids: core::ptr::null_mut(),
        object_sizes: core::ptr::null_mut(),
        optimal: 0,
    };
    // SAFETY: both structs and their arrays are valid during the call.
    host::check(unsafe { (prepare.plan)(prepare.context, &request, &mut assignment) })?;
    records.iter().zip(offsets.iter()).try_fold(0, |total: u64, (record, &offset)| {
        let end = offset.checked_add(record.size).ok_or_else(|| invalid!("the host's plan overflows"))?;
        Ok(total.max(end))
    })
}

/// The registration of the planner `T`.
pub const fn registration<T: Planner>() -> raw::ArPlannerV1 {
    raw::ArPlannerV1 {
        header: ArHeader::of::<raw::ArPlannerV1>(),
        name: raw::ArStr::new(T::NAME),
        plan: plan::<T>,
        query: Some(query::<T>),
    }
}

unsafe extern "C" fn plan<T: Planner>(
    request: *const ArPlanRequestV1,
    assignment: *mut ArAssignmentV1,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires both structs and their arrays to be valid during the call.
        let (request, mut assignment) = unsafe {
            (PlanRequest::from_raw(&*request)?, AssignmentMut::from_raw(&*request, &mut *assignment))
        };
        T::plan(&request, &mut assignment)
    })
}

unsafe extern "C" fn assign<T: Planner>(
    request: *const ArObjectRequestV1,
    assignment: *mut ArObjectAssignmentV1,
) -> ArStatus {
    status(&mut || {
        let assign =
            T::ASSIGN.ok_or_else(|| unsupported!("'{}' does not support shared objects", T::NAME))?;
        // SAFETY: the ABI requires both structs and their arrays to be valid during the call.
        let (request, mut assignment) = unsafe {
            (ObjectRequest::from_raw(&*request)?, ObjectAssignment::from_raw(&*request, &mut *assignment)?)
        };
        assign(&request, &mut assignment)
    })
}

unsafe extern "C" fn query<T: Planner>(interface: u64) -> *const c_void {
    let assign: &'static ArAssignV1 =
        const { &ArAssignV1 { header: ArHeader::of::<ArAssignV1>(), assign: assign::<T> } };
    let alone: &'static ArNoSharingV1 = const { &ArNoSharingV1 { header: ArHeader::of::<ArNoSharingV1>() } };
    match interface {
        INTERFACE_ASSIGN if T::ASSIGN.is_some() => (&raw const *assign).cast(),
        INTERFACE_NO_SHARING if !T::SHARES_MEMORY => (&raw const *alone).cast(),
        _ => core::ptr::null(),
    }
}
