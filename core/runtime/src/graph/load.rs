//! Limits for building a graph: its bytes and nodes count against the quota, and it stops at the time limit.

use crate::error::{Error, Resource, Result};
use crate::quota::{Budget, MAX_DEPTH, Quota};

/// The limits of a graph under construction.
pub(crate) struct BuildLimits<'a> {
    pub quota: &'a Quota,
    pub budget: &'a Budget,
    /// The budget of all graphs together.
    pub nodes: &'a Budget,
    /// An error if the call was cancelled or exceeded its time limit.
    pub check: &'a dyn Fn() -> Result<()>,
}

/// The number of items (tensors, nodes, operands) or bytes between two checks of the limits.
const ITEMS: u64 = 1000;
const BYTES: u64 = 1 << 16;

/// This many operands of a node or a composite count as one more node, so `nodes` also limits operands.
const OPERANDS: usize = 64;

/// Items, bytes and nodes that were added to a graph but not yet charged to the budgets.
pub(super) struct Load<'a> {
    limits: &'a BuildLimits<'a>,
    items: u64,
    bytes: u64,
    nodes: u64,
}

impl<'a> Load<'a> {
    pub(super) fn new(limits: &'a BuildLimits<'a>) -> Self {
        Load { limits, items: 0, bytes: 0, nodes: 0 }
    }

    /// Counts bytes before they are allocated.
    pub(super) fn add(&mut self, items: usize, bytes: usize) -> Result<()> {
        self.items += items as u64;
        self.bytes = self.bytes.saturating_add(bytes as u64);
        match self.items >= ITEMS || self.bytes >= BYTES {
            true => self.settle(),
            false => Ok(()),
        }
    }

    /// Counts a node or a composite.
    pub(super) fn add_node(&mut self, operands: usize, bytes: usize) -> Result<()> {
        self.nodes += 1 + (operands / OPERANDS) as u64;
        self.add(1 + operands, bytes)
    }

    /// Checks the limits and charges the counts to the budgets.
    pub(super) fn settle(&mut self) -> Result<()> {
        (self.limits.check)()?;
        self.limits.budget.clone().take_graph(std::mem::take(&mut self.bytes))?;
        self.limits.nodes.clone().take(std::mem::take(&mut self.nodes), "the model, composites expanded,")?;
        self.items = 0;
        Ok(())
    }

    /// The error of composites nested deeper than the quota.
    pub(super) fn check_depth(&self, subgraph: usize, depth: u32) -> Result<()> {
        let limit = self.limits.quota.depth.min(MAX_DEPTH);
        if depth <= limit {
            return Ok(());
        }
        let purpose = format!("the composite of subgraph {subgraph} within others");
        Err(Error::quota(Resource::Depth, purpose, depth, limit))
    }
}
