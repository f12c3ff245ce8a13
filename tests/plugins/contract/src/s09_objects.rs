//! Shared objects: a planner with one object as large as the largest record, and a delegate that queries it.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const OBJECTS: u64 = 13;
const ASSIGN: u64 = 14;

#[repr(C)]
pub struct ArObjectRecordV1 {
    pub extents: [u64; 3],
    pub first_node: u32,
    pub last_node: u32,
    pub tensor: i32,
    pub reserved: u32,
}

#[repr(C)]
pub struct ArObjectRequestV1 {
    pub header: ArHeader,
    pub extents: u32,
    pub records: *const ArObjectRecordV1,
    pub record_count: usize,
    pub record_stride: usize,
    pub reader_starts: *const u32,
    pub readers: *const u32,
    pub options: *const ArPair,
    pub option_count: usize,
}

#[repr(C)]
pub struct ArObjectAssignmentV1 {
    pub header: ArHeader,
    pub object_count: u32,
    pub ids: *mut u32,
    pub sizes: *mut [u64; 3],
}

#[repr(C)]
pub struct ArAssignV1 {
    pub header: ArHeader,
    pub assign: unsafe extern "C" fn(
        request: *const ArObjectRequestV1,
        assignment: *mut ArObjectAssignmentV1,
    ) -> ArStatus,
}

#[repr(C)]
pub struct ArObjectsV1 {
    pub header: ArHeader,
    pub assign: unsafe extern "C" fn(
        context: *mut c_void,
        planner: ArStr,
        request: *const ArObjectRequestV1,
        assignment: *mut ArObjectAssignmentV1,
    ) -> ArStatus,
}

unsafe extern "C" fn assign(
    request: *const ArObjectRequestV1,
    assignment: *mut ArObjectAssignmentV1,
) -> ArStatus {
    // SAFETY: both are valid, and have one element per record.
    unsafe {
        let (request, assignment) = (&*request, &mut *assignment);
        let mut size = [1u64; 3];
        for i in 0..request.record_count {
            let record = &*request.records.byte_add(i * request.record_stride);
            *assignment.ids.add(i) = 0;
            size.iter_mut().zip(record.extents).for_each(|(size, extent)| *size = extent.max(*size));
        }
        assignment.object_count = 1;
        *assignment.sizes = size;
    }
    OK
}

unsafe extern "C" fn query(id: u64) -> *const c_void {
    static ASSIGNS: ArAssignV1 = ArAssignV1 { header: header::<ArAssignV1>(), assign };
    if id == ASSIGN { pointer(&ASSIGNS) } else { std::ptr::null() }
}

unsafe extern "C" fn prepare(
    made: *mut c_void,
    prepare: *const ArPrepareV1,
    partition: *const ArPartitionV1,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    unsafe {
        match prepared(&*prepare) {
            Ok(()) => prepare_kernel(made, prepare, partition),
            Err(status) => status,
        }
    }
}

unsafe fn prepared(prepare: &ArPrepareV1) -> Done {
    let cx = prepare.context;
    // SAFETY: the host's functions, with its context.
    unsafe {
        let objects: &ArObjectsV1 = found((prepare.query)(cx, OBJECTS))?;
        let record = |bytes, node| ArObjectRecordV1 {
            extents: [bytes, 1, 1],
            first_node: node,
            last_node: node,
            tensor: -1,
            reserved: 0,
        };
        let records = [record(64, 0), record(32, 1)];
        let request = ArObjectRequestV1 {
            header: header::<ArObjectRequestV1>(),
            extents: 1,
            records: records.as_ptr(),
            record_count: 2,
            record_stride: size_of::<ArObjectRecordV1>(),
            reader_starts: std::ptr::null(),
            readers: std::ptr::null(),
            options: std::ptr::null(),
            option_count: 0,
        };
        let (mut ids, mut sizes) = ([7u32; 2], [[0u64; 3]; 2]);
        let mut assignment = ArObjectAssignmentV1 {
            header: header::<ArObjectAssignmentV1>(),
            object_count: 0,
            ids: ids.as_mut_ptr(),
            sizes: sizes.as_mut_ptr(),
        };
        ok((objects.assign)(cx, text("objects"), &request, &mut assignment))?;
        let one = assignment.object_count == 1 && ids == [0; 2] && sizes[0] == [64, 1, 1];
        require(one, "both records fit in one object")
    }
}

pub const PLANNER: ArPlannerV1 = ArPlannerV1 {
    header: header::<ArPlannerV1>(),
    name: text("objects"),
    plan: in_a_row,
    query: Some(query),
};
pub const DELEGATE: ArDelegateV1 = ArDelegateV1 { prepare, ..delegate("objects") };
