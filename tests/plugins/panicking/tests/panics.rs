//! A panic is caught at the boundary and becomes a status.

use std::ptr::null_mut;

use arenite_abi::Status;
use arenite_abi::delegate::registration;
use arenite_abi::raw::*;

// The entry is not called here; the parts are called through their vtables.
#[path = "../src/lib.rs"]
mod plugin;

const PANICKED: ArStatus = Status::Panicked as ArStatus;

#[test]
fn plan_panics() {
    let descriptor = plugin::PLUGIN.descriptor();
    let request = ArPlanRequestV1 {
        header: ArHeader::of::<ArPlanRequestV1>(),
        records: std::ptr::null(),
        record_count: 0,
        record_stride: size_of::<ArUsageRecordV1>(),
        capacity: u64::MAX,
        time_limit: u64::MAX,
        options: std::ptr::null(),
        option_count: 0,
    };
    let mut assignment = ArAssignmentV1 {
        header: ArHeader::of::<ArAssignmentV1>(),
        kind: 0,
        object_count: 0,
        offsets: null_mut(),
        object_ids: null_mut(),
        object_sizes: null_mut(),
        optimal: 0,
    };
    // SAFETY: the registration and both structs are valid.
    let status = unsafe { ((*descriptor.planners).plan)(&request, &mut assignment) };
    assert_eq!(status, PANICKED);
}

#[test]
fn delegate_panics_in_the_requested_call() {
    let create = |value: &'static str| {
        let pair = ArPair { key: ArStr::new("in"), value: ArStr::new(value) };
        let mut delegate = null_mut();
        // SAFETY: the option is readable, the result is writable.
        let status = unsafe { (registration::<plugin::Delegating>().create)(&pair, 1, &mut delegate) };
        (status, delegate)
    };
    assert_eq!(create("create").0, PANICKED);
    assert_eq!(create("nowhere").0, Status::Invalid as ArStatus);
    let (status, delegate) = create("claim");
    assert_eq!(status, 0);
    let graph = ArGraphV1 {
        header: ArHeader::of::<ArGraphV1>(),
        tensors: std::ptr::null(),
        tensor_stride: 0,
        tensor_count: 0,
        nodes: std::ptr::null(),
        node_stride: 0,
        node_count: 0,
        inputs: std::ptr::null(),
        input_count: 0,
        outputs: std::ptr::null(),
        output_count: 0,
    };
    unsafe extern "C" fn accept(_: *mut std::ffi::c_void, _: usize) {}
    unsafe extern "C" fn refuse(_: *mut std::ffi::c_void, _: usize, _: ArStr) {}
    let claims = ArClaimsV1 { header: ArHeader::of::<ArClaimsV1>(), context: null_mut(), accept, refuse };
    // SAFETY: the structs are valid; the delegate is destroyed once.
    unsafe {
        assert_eq!((registration::<plugin::Delegating>().claim)(delegate, &graph, &claims), PANICKED);
        (registration::<plugin::Delegating>().destroy)(delegate);
    }
}

/// Runs the op alone, as the host would.
mod op {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(shape: &[i32], first: f32) -> Result<(), Status> {
        let mut x = vec![1.0; shape.iter().product::<i32>() as usize];
        x[0] = first;
        let test = OpTest::<plugin::Panic>::new().input(Tensor::f32(shape, &x)).output(Spec::f32());
        test.run().map(|y| assert_eq!(y[0].as_f32(), x)).map_err(|error| error.status())
    }

    #[test]
    fn op_panics_in_the_requested_call() {
        assert_eq!(run(&[2, 3], 1.0), Ok(()));
        assert_eq!(run(&[13, 3], 1.0), Err(Status::Panicked));
        assert_eq!(run(&[2, 3], -1.0), Err(Status::Panicked));
        assert_eq!(run(&[2, 3], 1001.0), Err(Status::Panicked));
        assert_eq!(run(&[2, 17], 1.0), Ok(()), "a panic in drop is contained");
        assert_eq!(run(&[2, 3], 2.0), Ok(()));
    }
}
