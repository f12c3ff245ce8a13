//! An op, a planner and a delegate with user data, a float: `y = data x`, `y = x + c + data`; the planner adds 1 to it.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const OP_USER_DATA: u32 = 64;
const PLAN: u64 = 9;
const CREATE: u64 = 10;

#[repr(C)]
pub struct ArPlanV1 {
    pub header: ArHeader,
    pub plan: unsafe extern "C" fn(
        user_data: *mut c_void,
        request: *const ArPlanRequestV1,
        assignment: *mut ArAssignmentV1,
    ) -> ArStatus,
}

#[repr(C)]
pub struct ArCreateV1 {
    pub header: ArHeader,
    pub create: unsafe extern "C" fn(
        user_data: *mut c_void,
        options: *const ArPair,
        option_count: usize,
        delegate: *mut *mut c_void,
    ) -> ArStatus,
}

unsafe extern "C" fn prepare(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns; the state starts with the user data.
    unsafe {
        match (*state.cast::<*const f32>()).is_null() {
            true => fail("the state does not start with the user data"),
            false => status(shape_of_input(&*prepare, &*node)),
        }
    }
}

unsafe extern "C" fn eval(_: *const ArEvalV1, node: *const ArNodeV1, state: *mut c_void) -> ArStatus {
    // SAFETY: the host passes a prepared node, and a state that starts with the user data, a pointer to a float.
    unsafe {
        let (x, factor) = (floats(input(&*node, 0)), **state.cast::<*const f32>());
        fill(output(&*node, 0), |i| factor * x[i]);
    }
    OK
}

unsafe extern "C" fn plan_not(_: *const ArPlanRequestV1, _: *mut ArAssignmentV1) -> ArStatus {
    fail("the host has the other plan")
}

unsafe extern "C" fn plan_counting(
    data: *mut c_void,
    request: *const ArPlanRequestV1,
    assignment: *mut ArAssignmentV1,
) -> ArStatus {
    // SAFETY: the user data is a float; the rest is valid for the call.
    unsafe {
        *data.cast::<f32>() += 1.0;
        in_a_row(request, assignment)
    }
}

unsafe extern "C" fn planner_query(id: u64) -> *const c_void {
    static PLANS: ArPlanV1 = ArPlanV1 { header: header::<ArPlanV1>(), plan: plan_counting };
    if id == PLAN { pointer(&PLANS) } else { std::ptr::null() }
}

unsafe extern "C" fn create_not(_: *const ArPair, _: usize, _: *mut *mut c_void) -> ArStatus {
    fail("the host has the other create")
}

unsafe extern "C" fn create_with(
    data: *mut c_void,
    _: *const ArPair,
    _: usize,
    delegate: *mut *mut c_void,
) -> ArStatus {
    // SAFETY: the host passes a place for the delegate.
    unsafe { *delegate = data };
    OK
}

unsafe extern "C" fn keep_data(_: *mut c_void) {}

unsafe extern "C" fn invoke_adding(
    made: *mut c_void,
    _: *const ArEvalV1,
    _: *const ArPartitionV1,
    node: *const ArNodeV1,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns; the delegate is the user data, a
    // float.
    unsafe {
        let (y, data) = (add(kernel(made), node), *kernel(made).delegate.cast::<f32>());
        fill(output(&*node, 0), |i| y[i] + data);
    }
    OK
}

unsafe extern "C" fn delegate_query(id: u64) -> *const c_void {
    static CREATES: ArCreateV1 = ArCreateV1 { header: header::<ArCreateV1>(), create: create_with };
    if id == CREATE { pointer(&CREATES) } else { std::ptr::null() }
}

pub const OP: ArOpV1 = op("UserData", OP_USER_DATA, 8, prepare, eval);
pub const PLANNER: ArPlannerV1 = ArPlannerV1 {
    header: header::<ArPlannerV1>(),
    name: text("user-data"),
    plan: plan_not,
    query: Some(planner_query),
};
pub const DELEGATE: ArDelegateV1 = ArDelegateV1 {
    create: create_not,
    invoke: invoke_adding,
    destroy: keep_data,
    query: Some(delegate_query),
    ..delegate("user-data")
};
