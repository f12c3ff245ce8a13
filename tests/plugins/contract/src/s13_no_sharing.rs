//! A planner that declares that no two records share memory.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const NO_SHARING: u64 = 22;

#[repr(C)]
pub struct ArNoSharingV1 {
    pub header: ArHeader,
}

unsafe extern "C" fn query(id: u64) -> *const c_void {
    static NONE_SHARED: ArNoSharingV1 = ArNoSharingV1 { header: header::<ArNoSharingV1>() };
    if id == NO_SHARING { pointer(&NONE_SHARED) } else { std::ptr::null() }
}

pub const PLANNER: ArPlannerV1 = ArPlannerV1 {
    header: header::<ArPlannerV1>(),
    name: text("no-sharing"),
    plan: in_a_row,
    query: Some(query),
};
