//! What building a graph may take: its bytes and nodes count against the quota, and it ends with the call's time.

use crate::error::{Error, Result};
use crate::quota::{Budget, MAX_DEPTH, Quota, Resource};

/// Limits of a graph that is being built.
pub(crate) struct BuildLimits<'a> {
    pub quota: &'a Quota,
    pub budget: &'a Budget,
    /// Of all graphs together.
    pub nodes: &'a Budget,
    /// An error once the call was cancelled or its time is over.
    pub check: &'a dyn Fn() -> Result<()>,
}

/// Items (tensors, nodes, operands) and bytes between two looks at the limits.
const ITEMS: u64 = 1000;
const BYTES: u64 = 1 << 16;

/// Operands of a node or a composite that count as one more node: so `nodes` bounds operands, too.
const OPERANDS: usize = 64;

/// What was added to a graph, and is not taken from the budgets yet.
pub(super) struct Load<'a> {
    limits: &'a BuildLimits<'a>,
    items: u64,
    bytes: u64,
    nodes: u64,
}

impl<'a> Load<'a> {
    pub fn new(limits: &'a BuildLimits<'a>) -> Self {
        Load { limits, items: 0, bytes: 0, nodes: 0 }
    }

    /// Counts bytes that are about to be allocated.
    pub fn add(&mut self, items: usize, bytes: usize) -> Result<()> {
        self.items += items as u64;
        self.bytes = self.bytes.saturating_add(bytes as u64);
        match self.items >= ITEMS || self.bytes >= BYTES {
            true => self.settle(),
            false => Ok(()),
        }
    }

    /// Counts a node or a composite.
    pub fn add_node(&mut self, operands: usize, bytes: usize) -> Result<()> {
        self.nodes += 1 + (operands / OPERANDS) as u64;
        self.add(1 + operands, bytes)
    }

    /// Takes what was counted.
    pub fn settle(&mut self) -> Result<()> {
        (self.limits.check)()?;
        self.limits.budget.clone().take_graph(std::mem::take(&mut self.bytes))?;
        self.limits.nodes.clone().take(std::mem::take(&mut self.nodes), "the model, composites expanded,")?;
        self.items = 0;
        Ok(())
    }

    /// An error for a composite that is nested deeper than the quota.
    pub fn check_depth(&self, subgraph: usize, depth: u32) -> Result<()> {
        let limit = self.limits.quota.depth.min(MAX_DEPTH);
        if depth <= limit {
            return Ok(());
        }
        let purpose = format!("the composite of subgraph {subgraph} within others");
        Err(Error::quota(Resource::Depth, purpose, depth, limit))
    }
}
