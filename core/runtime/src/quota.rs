//! Limits on the resources of a model.

mod available;

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::config::QuotaConfig;
use crate::error::{Error, Resource, Result};

/// Limits on one interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Bytes of arenas, states, dynamic tensors, delegates and graphs together. The first [`FREE_GRAPH_BYTES`] of the
    /// graphs are not counted.
    pub bytes: u64,
    /// Bytes of device memory, for all delegates together.
    pub device_bytes: u64,
    /// Nodes in all subgraphs of the model and in the graphs built from it. In a graph, each use of a composite
    /// counts as one node plus the nodes of its subgraph.
    pub nodes: u64,
    /// The maximum nesting depth of subgraph calls; values above [`MAX_DEPTH`] are lowered to it.
    pub depth: u32,
    /// The maximum number of subgraph calls during one `invoke`, which bounds loops.
    pub calls: u64,
    /// Duration of one `build`, `allocate` or `invoke`; checked between nodes and inside long ones.
    pub time: Option<Duration>,
}

/// The default if the system does not report available memory.
const DEFAULT_BYTES: u64 = 8 << 30;

/// The default depth, which fits into 256 KB of stack.
const DEFAULT_DEPTH: u32 = 16;

/// The maximum depth, regardless of [`Quota::depth`].
pub const MAX_DEPTH: u32 = 256;

/// Bytes of an interpreter's graphs (nodes, tensors, operands, scales) that [`Quota::bytes`] does not count.
pub const FREE_GRAPH_BYTES: u64 = 1 << 20;

impl Default for Quota {
    /// Four fifths of the memory that was available when the program first asked, on the machine and in the process's
    /// control groups, or 8 GiB if the system does not report it. No limit on device memory and time, a million nodes,
    /// 16 levels, ten million calls.
    fn default() -> Self {
        Quota {
            bytes: available::memory().map_or(DEFAULT_BYTES, |bytes| bytes / 5 * 4),
            device_bytes: u64::MAX,
            nodes: 1_000_000,
            depth: DEFAULT_DEPTH,
            calls: 10_000_000,
            time: None,
        }
    }
}

impl Quota {
    /// The default, with the values of the configuration.
    pub fn from_config(config: &QuotaConfig) -> Self {
        let default = Quota::default();
        Quota {
            bytes: config.bytes.unwrap_or(default.bytes),
            device_bytes: config.device_bytes.unwrap_or(default.device_bytes),
            nodes: config.nodes.unwrap_or(default.nodes),
            depth: config.depth.unwrap_or(default.depth),
            calls: config.calls.unwrap_or(default.calls),
            time: config.time.map(Duration::from_millis),
        }
    }

    /// The error of a call that exceeded its time limit.
    pub(crate) fn exceeded_time(&self) -> Error {
        let limit = self.time.unwrap_or(Duration::ZERO).as_millis() as u64;
        Error::quota(Resource::Time, "this call", limit + 1, limit)
    }
}

/// Bytes or nodes in use, checked against the quota. Clones share one count: all subgraphs of an interpreter have one
/// quota.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    resource: Resource,
    limit: u64,
    used: Arc<AtomicU64>,
    /// Bytes of graphs; `used` includes only those beyond `FREE_GRAPH_BYTES`.
    graphs: Arc<AtomicU64>,
}

impl Budget {
    /// A budget of the machine's memory.
    pub(crate) fn new(limit: u64) -> Self {
        Budget { resource: Resource::Bytes, limit, used: Arc::default(), graphs: Arc::default() }
    }

    /// A budget of nodes.
    pub(crate) fn of_nodes(limit: u64) -> Self {
        Budget { resource: Resource::Nodes, ..Budget::new(limit) }
    }

    /// A budget of device memory.
    pub(crate) fn of_devices(limit: u64) -> Self {
        Budget { resource: Resource::DeviceBytes, ..Budget::new(limit) }
    }

    /// Takes `bytes`. The error names their purpose.
    pub(crate) fn take(&mut self, bytes: u64, purpose: &str) -> Result<()> {
        let needed = self.used().saturating_add(bytes);
        if needed > self.limit {
            return Err(Error::quota(self.resource, purpose, needed, self.limit));
        }
        self.used.store(needed, Relaxed);
        Ok(())
    }

    /// Takes bytes of a graph.
    pub(crate) fn take_graph(&mut self, bytes: u64) -> Result<()> {
        let before = self.graphs.load(Relaxed);
        let after = before.saturating_add(bytes);
        let counted = after.max(FREE_GRAPH_BYTES) - before.max(FREE_GRAPH_BYTES);
        self.take(counted, "the graph of nodes and tensors, composites expanded,")?;
        self.graphs.store(after, Relaxed);
        Ok(())
    }

    /// The current count, for [`give_since`](Self::give_since).
    pub(crate) fn mark(&self) -> Mark {
        Mark { used: self.used(), graphs: self.graphs.load(Relaxed) }
    }

    /// Returns everything taken since the mark.
    pub(crate) fn give_since(&mut self, mark: Mark) {
        self.used.store(mark.used, Relaxed);
        self.graphs.store(mark.graphs, Relaxed);
    }

    /// Takes `bytes` that were just returned, without checking the limit.
    fn retake(&mut self, bytes: u64) {
        self.used.store(self.used().saturating_add(bytes), Relaxed);
    }

    /// Returns bytes or nodes.
    pub(crate) fn give(&mut self, bytes: u64) {
        self.used.store(self.used().saturating_sub(bytes), Relaxed);
    }

    /// The number of bytes or nodes that can still be taken.
    pub(crate) fn room(&self) -> u64 {
        self.limit.saturating_sub(self.used())
    }

    /// The number of bytes or nodes in use.
    pub(crate) fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }
}

/// A count of a budget.
pub(crate) struct Mark {
    used: u64,
    graphs: u64,
}

/// The bytes that a delegate's kernel reports; returned to the budget when this is dropped.
#[derive(Debug)]
pub(crate) struct Holding {
    budget: Budget,
    bytes: Cell<u64>,
}

impl Holding {
    /// Holds nothing yet.
    pub(crate) fn new(budget: &Budget) -> Self {
        Holding { budget: budget.clone(), bytes: Cell::new(0) }
    }

    /// How many more bytes can be held.
    pub(crate) fn room(&self) -> u64 {
        self.budget.room()
    }

    /// The bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Sets the total held by `owner`. On an error the total does not change.
    pub(crate) fn set(&self, bytes: u64, owner: &str) -> Result<()> {
        let (mut budget, before) = (self.budget.clone(), self.bytes.get());
        budget.give(before);
        if let Err(error) = budget.take(bytes, owner) {
            budget.retake(before);
            return Err(error);
        }
        self.bytes.set(bytes);
        Ok(())
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.budget.give(self.bytes.get());
    }
}
