//! Shared objects: what a delegate that has memory of its own asks a planner for, such as buffers and textures of a device.
//!
//! A record has one to three extents. It lies in one object for its life and has it to itself; an object has room for each of its
//! records along each axis. Objects have no address, so nothing lies in a part of one.

pub(crate) mod raw;

use crate::raw::{ArHeader, ArObjectAssignmentV1, ArObjectRequestV1, ArPrepareV1, INTERFACE_OBJECTS, slice};
use crate::{OptionPairs, Result, ensure, host, invalid, unsupported};

/// Extents and life of what lies in an object; `first_node..=last_node` are positions in the execution plan.
pub use raw::ArObjectRecordV1 as ObjectRecord;

impl ObjectRecord {
    /// Of these extents, 1 where it has fewer than three.
    pub const fn new(extents: [u64; 3], first_node: u32, last_node: u32) -> Self {
        ObjectRecord { extents, first_node, last_node, tensor: -1, reserved: 0 }
    }

    /// Of so many bytes.
    pub const fn bytes(bytes: u64, first_node: u32, last_node: u32) -> Self {
        Self::new([bytes, 1, 1], first_node, last_node)
    }
}

/// Per record those that are computed from it.
#[derive(Clone, Copy, Debug)]
pub struct Readers<'a> {
    starts: &'a [u32],
    list: &'a [u32],
}

impl<'a> Readers<'a> {
    /// Those of record `i` are `list[starts[i]..starts[i + 1]]`.
    ///
    /// # Errors
    /// Starts that fall or do not end with the list; a record that there is not.
    pub fn new(starts: &'a [u32], list: &'a [u32]) -> Result<Self> {
        let records = starts.len().saturating_sub(1);
        let is_whole =
            starts.first() == Some(&0) && starts.last().map(|&end| end as usize) == Some(list.len());
        ensure!(
            is_whole && starts.is_sorted(),
            "the starts of {records} lists of readers do not divide {}",
            list.len()
        );
        match list.iter().find(|&&reader| reader as usize >= records) {
            Some(reader) => Err(invalid!("a reader is record {reader}, there are {records}")),
            None => Ok(Readers { starts, list }),
        }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those of a record.
    pub fn of(&self, record: usize) -> &'a [u32] {
        &self.list[self.starts[record] as usize..self.starts[record + 1] as usize]
    }
}

/// What is to get objects.
#[derive(Clone, Copy)]
pub struct ObjectRequest<'a> {
    /// How many extents records have: 1 to 3.
    pub extents: usize,
    /// The records.
    pub records: &'a [ObjectRecord],
    /// Where nodes run in any order that their data allow: what that is. Else they run one after the other.
    pub readers: Option<Readers<'a>>,
    /// For the planner.
    pub options: OptionPairs<'a>,
}

impl<'a> ObjectRequest<'a> {
    /// Of nodes that run in order, without options.
    pub fn new(extents: usize, records: &'a [ObjectRecord]) -> Self {
        ObjectRequest { extents, records, readers: None, options: OptionPairs::default() }
    }

    /// As it crosses.
    pub fn as_raw(&self) -> ArObjectRequestV1 {
        let null = core::ptr::null();
        let (options, option_count) = self.options.as_raw();
        ArObjectRequestV1 {
            header: ArHeader::of::<ArObjectRequestV1>(),
            extents: self.extents as u32,
            records: self.records.as_ptr(),
            record_count: self.records.len(),
            record_stride: size_of::<ObjectRecord>(),
            reader_starts: self.readers.map_or(null, |readers| readers.starts.as_ptr()),
            readers: self.readers.map_or(null, |readers| readers.list.as_ptr()),
            options,
            option_count,
        }
    }

    /// # Safety
    /// The struct and its arrays are valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &'a ArObjectRequestV1) -> Result<Self> {
        let ArObjectRequestV1 { extents, record_count: count, record_stride, .. } = *raw;
        ensure!((1..=3).contains(&extents), "records have one to three extents, these have {extents}");
        ensure!(
            record_stride == size_of::<ObjectRecord>(),
            "object records have {record_stride} bytes, known are {}",
            size_of::<ObjectRecord>()
        );
        // SAFETY: the caller's promise; the stride is the struct's size.
        let records: &[ObjectRecord] = unsafe { slice(raw.records, count) };
        for (i, record) in records.iter().enumerate() {
            let unused = &record.extents[extents as usize..];
            ensure!(
                unused.iter().all(|&n| n == 1),
                "record {i} has more than {extents} extents: {:?}",
                record.extents
            );
        }
        let readers = match raw.reader_starts.is_null() {
            true => None,
            false => {
                // SAFETY: the caller's promise: there is a start more than there are records, and as many readers as the last one says.
                let starts: &[u32] = unsafe { slice(raw.reader_starts, count + 1) };
                let end = starts.last().map_or(0, |&end| end as usize);
                // SAFETY: as above.
                Some(Readers::new(starts, unsafe { slice(raw.readers, end) })?)
            }
        };
        // SAFETY: the caller's promise.
        let options = unsafe { OptionPairs::from_raw(raw.options, raw.option_count) };
        Ok(ObjectRequest { extents: extents as usize, records, readers, options })
    }
}

/// Where a planner writes its answer: the object of each record, and each object's extents.
pub struct ObjectAssignment<'a> {
    ids: &'a mut [u32],
    sizes: &'a mut [[u64; 3]],
    count: &'a mut u32,
}

impl<'a> ObjectAssignment<'a> {
    /// # Safety
    /// Both arrays have as many places as the request has records, initialised, and nobody else uses them during `'a`.
    pub(crate) unsafe fn from_raw(
        request: &ArObjectRequestV1,
        raw: &'a mut ArObjectAssignmentV1,
    ) -> Result<Self> {
        let count = request.record_count;
        ensure!(count == 0 || !raw.ids.is_null() && !raw.sizes.is_null(), "there is no room for objects");
        if count == 0 {
            return Ok(ObjectAssignment { ids: &mut [], sizes: &mut [], count: &mut raw.object_count });
        }
        // SAFETY: the caller's promise; neither is null.
        let (ids, sizes) = unsafe {
            (
                core::slice::from_raw_parts_mut(raw.ids, count),
                core::slice::from_raw_parts_mut(raw.sizes, count),
            )
        };
        Ok(ObjectAssignment { ids, sizes, count: &mut raw.object_count })
    }

    /// Answers with so many objects: the object of each record, and the extents of each object.
    pub fn objects(&mut self, count: usize) -> Result<(&mut [u32], &mut [[u64; 3]])> {
        ensure!(count <= self.sizes.len(), "{count} objects for {} records", self.ids.len());
        *self.count = count as u32;
        Ok((self.ids, &mut self.sizes[..count]))
    }
}

/// Has a host's planner hand out objects; the number of them. Both slices have a place per record.
pub(crate) fn assign_with_host(
    prepare: &ArPrepareV1,
    planner: &str,
    request: &ObjectRequest<'_>,
    ids: &mut [u32],
    sizes: &mut [[u64; 3]],
) -> Result<usize> {
    let count = request.records.len();
    ensure!(
        ids.len() == count && sizes.len() == count,
        "room for {} ids, {} objects, {count} records",
        ids.len(),
        sizes.len()
    );
    if let Some(readers) = request.readers {
        ensure!(readers.len() == count, "readers of {} records, there are {count}", readers.len());
    }
    // SAFETY: the host's promise: its `query` takes its context, and answers with null or the struct of that id.
    let objects =
        unsafe { (prepare.query)(prepare.context, INTERFACE_OBJECTS).cast::<raw::ArObjectsV1>().as_ref() };
    let objects = objects.ok_or_else(|| unsupported!("this host hands out no shared objects"))?;
    let raw = request.as_raw();
    let mut assignment = ArObjectAssignmentV1 {
        header: ArHeader::of::<ArObjectAssignmentV1>(),
        object_count: 0,
        ids: ids.as_mut_ptr(),
        sizes: sizes.as_mut_ptr(),
    };
    let planner = crate::raw::ArStr::borrowed(planner);
    // SAFETY: both structs and their arrays are valid for the call, and so is the name.
    host::check(unsafe { (objects.assign)(prepare.context, planner, &raw, &mut assignment) })?;
    Ok(assignment.object_count as usize)
}
