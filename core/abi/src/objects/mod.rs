//! Shared objects: a delegate with its own memory, such as buffers and textures of a device, has a planner assign them
//! to its records.
//!
//! A record has one to three extents. It occupies one object alone for its lifetime; an object is large enough for each
//! of its records along each axis. Objects have no addresses, so a record cannot occupy a part of one.

pub(crate) mod raw;

use crate::raw::{ArHeader, ArObjectAssignmentV1, ArObjectRequestV1, ArPrepareV1, INTERFACE_OBJECTS, slice};
use crate::{OptionPairs, Result, ensure, host, invalid, unsupported};

/// Extents and lifetime of a record; `first_node..=last_node` are positions in the execution plan.
pub use raw::ArObjectRecordV1 as ObjectRecord;

impl ObjectRecord {
    /// A record with these extents. Unused ones must be 1.
    pub const fn new(extents: [u64; 3], first_node: u32, last_node: u32) -> Self {
        ObjectRecord { extents, first_node, last_node, tensor: -1, reserved: 0 }
    }

    /// A record with a size in bytes.
    pub const fn bytes(bytes: u64, first_node: u32, last_node: u32) -> Self {
        Self::new([bytes, 1, 1], first_node, last_node)
    }
}

/// For each record, the records computed from it.
#[derive(Clone, Copy, Debug)]
pub struct Readers<'a> {
    starts: &'a [u32],
    list: &'a [u32],
}

impl<'a> Readers<'a> {
    /// The readers of record `i` are `list[starts[i]..starts[i + 1]]`.
    ///
    /// # Errors
    /// The starts decrease or do not end at the list's length, or a reader is not a valid record.
    pub fn new(starts: &'a [u32], list: &'a [u32]) -> Result<Self> {
        let records = starts.len().saturating_sub(1);
        let is_whole =
            starts.first() == Some(&0) && starts.last().map(|&end| end as usize) == Some(list.len());
        ensure!(
            is_whole && starts.is_sorted(),
            "the starts of {records} lists of readers are not valid for {} readers",
            list.len()
        );
        match list.iter().find(|&&reader| reader as usize >= records) {
            Some(reader) => Err(invalid!("reader {reader} is out of range; there are {records} records")),
            None => Ok(Readers { starts, list }),
        }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The records computed from a record.
    pub fn of(&self, record: usize) -> &'a [u32] {
        &self.list[self.starts[record] as usize..self.starts[record + 1] as usize]
    }
}

/// The records that need objects.
#[derive(Clone, Copy)]
pub struct ObjectRequest<'a> {
    /// The number of extents of each record: 1 to 3.
    pub extents: usize,
    /// The records.
    pub records: &'a [ObjectRecord],
    /// If nodes may run in any order that their data allow: the readers that define it. Otherwise they run in sequence.
    pub readers: Option<Readers<'a>>,
    /// Options for the planner.
    pub options: OptionPairs<'a>,
}

impl<'a> ObjectRequest<'a> {
    /// A request for nodes that run in sequence, without options.
    pub fn new(extents: usize, records: &'a [ObjectRecord]) -> Self {
        ObjectRequest { extents, records, readers: None, options: OptionPairs::default() }
    }

    /// The request as a struct of the ABI.
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

    /// Checks and wraps the host's struct.
    ///
    /// # Safety
    /// The struct and its arrays must be valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &'a ArObjectRequestV1) -> Result<Self> {
        let ArObjectRequestV1 { extents, record_count: count, record_stride, .. } = *raw;
        ensure!((1..=3).contains(&extents), "records must have one to three extents, not {extents}");
        ensure!(
            record_stride == size_of::<ObjectRecord>(),
            "object records have {record_stride} bytes, but this planner supports {}",
            size_of::<ObjectRecord>()
        );
        // SAFETY: the caller guarantees that the array is valid for `'a`, and the stride is the struct's size, checked
        // above.
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
                // SAFETY: the caller guarantees one start more than records, and as many readers as the last start.
                let starts: &[u32] = unsafe { slice(raw.reader_starts, count + 1) };
                let end = starts.last().map_or(0, |&end| end as usize);
                // SAFETY: the caller guarantees one start more than records, and as many readers as the last start.
                Some(Readers::new(starts, unsafe { slice(raw.readers, end) })?)
            }
        };
        // SAFETY: the caller guarantees that the options are valid for `'a`.
        let options = unsafe { OptionPairs::from_raw(raw.options, raw.option_count) };
        Ok(ObjectRequest { extents: extents as usize, records, readers, options })
    }
}

/// The result of a planner: the object of each record, and the extents of each object.
pub struct ObjectAssignment<'a> {
    ids: &'a mut [u32],
    sizes: &'a mut [[u64; 3]],
    count: &'a mut u32,
}

impl<'a> ObjectAssignment<'a> {
    /// Wraps the host's struct.
    ///
    /// # Safety
    /// Both arrays must have one initialized element per record of the request, which only this value accesses during
    /// `'a`.
    pub(crate) unsafe fn from_raw(
        request: &ArObjectRequestV1,
        raw: &'a mut ArObjectAssignmentV1,
    ) -> Result<Self> {
        let count = request.record_count;
        ensure!(
            count == 0 || !raw.ids.is_null() && !raw.sizes.is_null(),
            "the host gave no memory for objects"
        );
        if count == 0 {
            return Ok(ObjectAssignment { ids: &mut [], sizes: &mut [], count: &mut raw.object_count });
        }
        // SAFETY: neither pointer is null, checked above, and the caller guarantees `count` initialized elements that
        // nothing else accesses.
        let (ids, sizes) = unsafe {
            (
                core::slice::from_raw_parts_mut(raw.ids, count),
                core::slice::from_raw_parts_mut(raw.sizes, count),
            )
        };
        Ok(ObjectAssignment { ids, sizes, count: &mut raw.object_count })
    }

    /// Sets the number of objects; returns the slices for the object of each record, and for the extents of each
    /// object.
    ///
    /// # Errors
    /// There are more objects than records.
    pub fn objects(&mut self, count: usize) -> Result<(&mut [u32], &mut [[u64; 3]])> {
        ensure!(count <= self.sizes.len(), "{count} objects for {} records", self.ids.len());
        *self.count = count as u32;
        Ok((self.ids, &mut self.sizes[..count]))
    }
}

/// Runs a planner of the host to assign objects; returns their number. Both slices have one element per record.
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
        "{count} records, but room for {} ids and {} objects",
        ids.len(),
        sizes.len()
    );
    if let Some(readers) = request.readers {
        ensure!(
            readers.len() == count,
            "readers are given for {} records, but there are {count}",
            readers.len()
        );
    }
    // SAFETY: `PrepareContext::from_raw` requires that `query` accepts this context; it returns null or the struct of
    // the id.
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
    // SAFETY: both structs, their arrays and the name are valid during the call.
    host::check(unsafe { (objects.assign)(prepare.context, planner, &raw, &mut assignment) })?;
    Ok(assignment.object_count as usize)
}
