//! A delegate that looks into another subgraph before it claims.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const CLAIM: u64 = 6;
const MUL: i32 = 18;

#[repr(C)]
pub struct ArDescribeV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub describe:
        unsafe extern "C" fn(context: *mut c_void, subgraph: u32, graph: *mut *const ArGraphV1) -> ArStatus,
}

#[repr(C)]
pub struct ArClaimV1 {
    pub header: ArHeader,
    pub claim: unsafe extern "C" fn(
        delegate: *mut c_void,
        graph: *const ArGraphV1,
        subgraphs: *const ArDescribeV1,
        claims: *const ArClaimsV1,
    ) -> ArStatus,
}

unsafe extern "C" fn refuse_all(_: *mut c_void, _: *const ArGraphV1, _: *const ArClaimsV1) -> ArStatus {
    fail("the host has the other claim")
}

unsafe extern "C" fn claim_looking(
    delegate: *mut c_void,
    graph: *const ArGraphV1,
    subgraphs: *const ArDescribeV1,
    claims: *const ArClaimsV1,
) -> ArStatus {
    let mut other = std::ptr::null();
    // SAFETY: the host passes structs that stay valid until this function returns.
    unsafe {
        let found = ((*subgraphs).describe)((*subgraphs).context, 1, &mut other);
        if found != OK || (*other).node_count != 1 || graph_node(&*other, 0).builtin_code != MUL {
            return fail("subgraph 1 is one MUL");
        }
        claim(delegate, graph, claims)
    }
}

unsafe extern "C" fn query(id: u64) -> *const c_void {
    static CLAIMS: ArClaimV1 = ArClaimV1 { header: header::<ArClaimV1>(), claim: claim_looking };
    if id == CLAIM { pointer(&CLAIMS) } else { std::ptr::null() }
}

pub const DELEGATE: ArDelegateV1 =
    ArDelegateV1 { claim: refuse_all, query: Some(query), ..delegate("claim") };
