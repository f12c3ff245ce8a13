//! The share of its quota that a call has used.

use std::cell::Cell;
use std::time::Instant;

use crate::error::{Error, Resource, Result};
use crate::quota::{MAX_DEPTH, Quota};

/// The nesting depth and number of subgraph calls, and the deadline of the call.
pub(crate) struct Usage {
    deadline: Option<Instant>,
    /// The number of subgraphs being run or prepared, each by a node of the previous one.
    depth: Cell<u32>,
    /// The number of subgraph calls by nodes so far.
    calls: Cell<u64>,
}

impl Usage {
    /// The usage of a call that starts now.
    pub(crate) fn new(quota: &Quota) -> Self {
        let deadline = quota.time.and_then(|limit| Instant::now().checked_add(limit));
        Usage { deadline, depth: Cell::new(0), calls: Cell::new(0) }
    }

    /// Whether the time limit has passed.
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Enters a called subgraph; [`leave`](Self::leave) must follow.
    pub(crate) fn enter(&self, subgraph: usize, quota: &Quota) -> Result<()> {
        let (depth, limit) = (self.depth.get() + 1, quota.depth.min(MAX_DEPTH));
        if depth > limit {
            let purpose = format!("calling subgraph {subgraph} within others");
            return Err(Error::quota(Resource::Depth, purpose, depth, limit));
        }
        self.depth.set(depth);
        Ok(())
    }

    /// Leaves the subgraph that was entered last.
    pub(crate) fn leave(&self) {
        self.depth.set(self.depth.get() - 1);
    }

    /// Counts a call of a subgraph, so that the quota stops an endless loop.
    pub(crate) fn count_call(&self, subgraph: usize, quota: &Quota) -> Result<()> {
        let (calls, limit) = (self.calls.get() + 1, quota.calls);
        if calls > limit {
            let purpose = format!("running subgraph {subgraph} again, in a loop that may not end,");
            return Err(Error::quota(Resource::Calls, purpose, calls, limit));
        }
        self.calls.set(calls);
        Ok(())
    }
}
