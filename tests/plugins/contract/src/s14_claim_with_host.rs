//! A delegate that asks how nodes would be partitioned and which op serves them otherwise, and claims in two rounds.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;
use crate::s04_claim::ArDescribeV1;

const CLAIM_WITH_HOST: u64 = 23;
const REFUSED: u32 = u32::MAX;
const SERVER_OP: u32 = 1;

#[repr(C)]
pub struct ArServerV1 {
    pub header: ArHeader,
    pub kind: u32,
    pub reserved: u32,
    pub name: ArStr,
}

#[repr(C)]
pub struct ArClaimHostV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub claims: *const ArClaimsV1,
    pub subgraphs: *const ArDescribeV1,
    pub accept_in: unsafe extern "C" fn(context: *mut c_void, node: usize, round: u32),
    pub partitions: unsafe extern "C" fn(
        context: *mut c_void,
        rounds: *const u32,
        count: usize,
        partitions: *mut *const ArPartitionV1,
        stride: *mut usize,
        partition_count: *mut usize,
    ) -> ArStatus,
    pub server: unsafe extern "C" fn(context: *mut c_void, node: usize, server: *mut ArServerV1) -> ArStatus,
    pub query: unsafe extern "C" fn(context: *mut c_void, interface: u64) -> *const c_void,
}

#[repr(C)]
pub struct ArClaimWithHostV1 {
    pub header: ArHeader,
    pub claim: unsafe extern "C" fn(
        delegate: *mut c_void,
        graph: *const ArGraphV1,
        host: *const ArClaimHostV1,
    ) -> ArStatus,
}

unsafe extern "C" fn refuse_all(_: *mut c_void, _: *const ArGraphV1, _: *const ArClaimsV1) -> ArStatus {
    fail("the host has the other claim")
}

/// The number of nodes in each partition; `None` if the host refuses the question.
fn counts(host: &ArClaimHostV1, rounds: &[u32]) -> Option<Vec<usize>> {
    let (mut first, mut stride, mut count) = (std::ptr::null(), 0, 0);
    // SAFETY: the rounds are readable, the results writable; the partitions are valid until the next call.
    unsafe {
        let (context, partitions) = (host.context, host.partitions);
        let status = partitions(context, rounds.as_ptr(), rounds.len(), &mut first, &mut stride, &mut count);
        let nodes = |i| (*first.byte_add(i * stride)).node_count;
        (status == OK).then(|| (0..count).map(nodes).collect())
    }
}

/// The kind of a node's server and the length of its name; `None` if the host refuses the question.
fn server(host: &ArClaimHostV1, node: usize) -> Option<(u32, usize)> {
    let mut server = ArServerV1 { header: header::<ArServerV1>(), kind: 9, reserved: 0, name: text("") };
    // SAFETY: the result is writable and has its header.
    let status = unsafe { (host.server)(host.context, node, &mut server) };
    (status == OK).then_some((server.kind, server.name.length))
}

unsafe extern "C" fn claim_asking(
    _: *mut c_void,
    graph: *const ArGraphV1,
    host: *const ArClaimHostV1,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    unsafe {
        let (graph, host) = (&*graph, &*host);
        let together = counts(host, &[0, 0]) == Some(vec![2]);
        let apart = counts(host, &[7, 3]) == Some(vec![1, 1]);
        let none = counts(host, &[REFUSED, REFUSED]) == Some(vec![]);
        if graph.node_count != 2 || !together || !apart || !none || counts(host, &[0]).is_some() {
            return fail("two nodes have other partitions");
        }
        let is_op = server(host, 1).is_some_and(|(kind, length)| kind == SERVER_OP && length > 0);
        if !is_op || server(host, 2).is_some() {
            return fail("an op of a plugin serves node 1, and node 2 does not exist");
        }
        let has_more = !(host.query)(host.context, CLAIM_WITH_HOST).is_null();
        if (*host.subgraphs).context.is_null() || has_more {
            return fail("the host shows subgraphs, and query returns null");
        }
        ((*host.claims).accept)((*host.claims).context, 0);
        (host.accept_in)(host.context, 1, 4);
    }
    OK
}

unsafe extern "C" fn query(id: u64) -> *const c_void {
    static CLAIMS: ArClaimWithHostV1 =
        ArClaimWithHostV1 { header: header::<ArClaimWithHostV1>(), claim: claim_asking };
    if id == CLAIM_WITH_HOST { pointer(&CLAIMS) } else { std::ptr::null() }
}

pub const DELEGATE: ArDelegateV1 =
    ArDelegateV1 { claim: refuse_all, query: Some(query), ..delegate("claim-with-host") };
