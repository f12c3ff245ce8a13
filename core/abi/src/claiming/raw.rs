//! Structs for the questions of a delegate that claims. Part of [`raw`](crate::raw) and subject to its rules.
#![allow(missing_docs)] // as there

use core::ffi::c_void;

#[cfg(feature = "std")]
use abi_stable::StableAbi;

use crate::raw::{ArClaimsV1, ArDescribeV1, ArGraphV1, ArHeader, ArPartitionV1, ArStatus, ArStr};

/// The op or delegate that serves a node if the delegate that claims does not. The caller creates the struct with its
/// header; the host fills in the rest.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArServerV1 {
    pub header: ArHeader,
    /// `SERVER_*`.
    pub kind: u32,
    pub reserved: u32,
    /// The delegate, or the plugin that provides the op. Valid until the `claim` in progress returns.
    pub name: ArStr,
}

/// The host's side of `claim` of [`ArClaimWithHostV1`]. Nodes are positions in [`ArGraphV1::nodes`].
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArClaimHostV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    /// Receives the decisions.
    pub claims: *const ArClaimsV1,
    /// The subgraphs called by nodes.
    pub subgraphs: *const ArDescribeV1,
    /// Accepts a node in a round; `accept` of [`ArClaimsV1`] accepts in round 0. Partitions are formed round by round
    /// in ascending order: each has nodes of one round, and a later round sees earlier partitions as single nodes.
    pub accept_in: unsafe extern "C" fn(context: *mut c_void, node: usize, round: u32),
    /// The partitions that would result if each node `i` was accepted in round `rounds[i]`, or refused if that is
    /// `ROUND_REFUSED`. `count` must be the number of nodes. The array at `*partitions`, of `*partition_count` structs
    /// every `*stride` bytes, is valid until the next call or until `claim` returns.
    pub partitions: unsafe extern "C" fn(
        context: *mut c_void,
        rounds: *const u32,
        count: usize,
        partitions: *mut *const ArPartitionV1,
        stride: *mut usize,
        partition_count: *mut usize,
    ) -> ArStatus,
    /// The op or delegate that serves the node if this delegate refuses it.
    pub server: unsafe extern "C" fn(context: *mut c_void, node: usize, server: *mut ArServerV1) -> ArStatus,
    /// Null for all ids so far.
    pub query: unsafe extern "C" fn(context: *mut c_void, interface: u64) -> *const c_void,
}

/// `claim` of a delegate that asks the host before it decides, returned by `query` of
/// [`ArDelegateV1`](crate::raw::ArDelegateV1) (id
/// [`INTERFACE_CLAIM_WITH_HOST`](crate::raw::INTERFACE_CLAIM_WITH_HOST)). The host calls it instead of that struct's
/// own and of [`ArClaimV1`](crate::raw::ArClaimV1)'s.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArClaimWithHostV1 {
    pub header: ArHeader,
    pub claim: unsafe extern "C" fn(
        delegate: *mut c_void,
        graph: *const ArGraphV1,
        host: *const ArClaimHostV1,
    ) -> ArStatus,
}
