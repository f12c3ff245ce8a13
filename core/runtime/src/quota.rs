//! Limits on what a model may ask for.

mod available;

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::config::QuotaConfig;
use crate::error::{Error, Result};

/// Limits on one interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Bytes of arenas, states, dynamic tensors and what delegates hold, all together, and of graphs what exceeds
    /// [`FREE_GRAPH_BYTES`].
    pub bytes: u64,
    /// Bytes of devices' memory, of all delegates together.
    pub device_bytes: u64,
    /// Nodes of the model, all subgraphs together, and of the graphs that are built: in those, each composite counts as itself and
    /// as the nodes of its subgraph, wherever it is used.
    pub nodes: u64,
    /// Nesting of subgraphs that call one another; more than [`MAX_DEPTH`] counts as that.
    pub depth: u32,
    /// How often subgraphs may be run by nodes of others in one `invoke`: a bound for loops.
    pub calls: u64,
    /// Length of one `build`, `allocate` or `invoke`; checked between nodes, and inside long ones.
    pub time: Option<Duration>,
}

/// What a [`Quota`] limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resource {
    /// [`Quota::bytes`].
    Bytes,
    /// [`Quota::device_bytes`].
    DeviceBytes,
    /// [`Quota::time`].
    Time,
    /// [`Quota::nodes`].
    Nodes,
    /// [`Quota::depth`].
    Depth,
    /// [`Quota::calls`].
    Calls,
}

impl Resource {
    /// What its amounts are counted in.
    pub fn unit(self) -> &'static str {
        match self {
            Resource::Bytes | Resource::DeviceBytes => "bytes",
            Resource::Time => "milliseconds",
            Resource::Nodes => "nodes",
            Resource::Depth => "levels",
            Resource::Calls => "calls",
        }
    }
}

impl fmt::Display for Resource {
    /// Its key in `[quota]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Resource::Bytes => "bytes",
            Resource::DeviceBytes => "device_bytes",
            Resource::Time => "time",
            Resource::Nodes => "nodes",
            Resource::Depth => "depth",
            Resource::Calls => "calls",
        })
    }
}

/// Where the system does not say how much memory is available.
const DEFAULT_BYTES: u64 = 8 << 30;

/// Nested levels by default: they fit into 256 KB of stack.
const DEFAULT_DEPTH: u32 = 16;

/// The most nested levels, whatever [`Quota::depth`] says.
pub const MAX_DEPTH: u32 = 256;

/// Bytes of an interpreter's graphs (nodes, tensors, operands, scales) that [`Quota::bytes`] does not count.
pub const FREE_GRAPH_BYTES: u64 = 1 << 20;

impl Default for Quota {
    /// Four fifths of the memory that was available when the program first asked: the smaller of what the machine and what the
    /// process's control groups have left, or 8 GiB where the system says neither. All memory of devices, a million nodes, 16
    /// levels, ten million calls, no limit in time.
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
    /// The default with what the configuration says.
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

    /// The error of a call whose time is over.
    pub(crate) fn exceeded_time(&self) -> Error {
        let limit = self.time.unwrap_or(Duration::ZERO).as_millis() as u64;
        Error::quota(Resource::Time, "this call", limit + 1, limit)
    }
}

/// Bytes or nodes in use, held against the quota. Clones count together: all subgraphs of an interpreter have one quota.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    resource: Resource,
    limit: u64,
    used: Arc<AtomicU64>,
    /// Bytes of graphs, of which `used` has what exceeds `FREE_GRAPH_BYTES`.
    graphs: Arc<AtomicU64>,
}

impl Budget {
    /// Of the machine's memory.
    pub fn new(limit: u64) -> Self {
        Budget { resource: Resource::Bytes, limit, used: Arc::default(), graphs: Arc::default() }
    }

    /// Of nodes.
    pub fn of_nodes(limit: u64) -> Self {
        Budget { resource: Resource::Nodes, ..Budget::new(limit) }
    }

    /// Of devices' memory.
    pub fn of_devices(limit: u64) -> Self {
        Budget { resource: Resource::DeviceBytes, ..Budget::new(limit) }
    }

    /// Takes `bytes`, or says what they were for.
    pub fn take(&mut self, bytes: u64, purpose: &str) -> Result<()> {
        let needed = self.used().saturating_add(bytes);
        if needed > self.limit {
            return Err(Error::quota(self.resource, purpose, needed, self.limit));
        }
        self.used.store(needed, Relaxed);
        Ok(())
    }

    /// Takes bytes of a graph.
    pub fn take_graph(&mut self, bytes: u64) -> Result<()> {
        let before = self.graphs.load(Relaxed);
        let after = before.saturating_add(bytes);
        let counted = after.max(FREE_GRAPH_BYTES) - before.max(FREE_GRAPH_BYTES);
        self.take(counted, "the graph of nodes and tensors, composites expanded,")?;
        self.graphs.store(after, Relaxed);
        Ok(())
    }

    /// What is taken now, for [`give_since`](Self::give_since).
    pub fn mark(&self) -> (u64, u64) {
        (self.used(), self.graphs.load(Relaxed))
    }

    /// Gives back all that was taken since the mark.
    pub fn give_since(&mut self, (used, graphs): (u64, u64)) {
        self.used.store(used, Relaxed);
        self.graphs.store(graphs, Relaxed);
    }

    /// Takes again what was just given back.
    fn retake(&mut self, bytes: u64) {
        self.used.store(self.used().saturating_add(bytes), Relaxed);
    }

    /// Gives back what was taken.
    pub fn give(&mut self, bytes: u64) {
        self.used.store(self.used().saturating_sub(bytes), Relaxed);
    }

    /// Bytes that may be taken.
    pub fn room(&self) -> u64 {
        self.limit.saturating_sub(self.used())
    }

    /// Bytes taken.
    pub fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }
}

/// Bytes that a delegate's kernel says it holds; they go back when it is dropped.
#[derive(Debug)]
pub(crate) struct Holding {
    budget: Budget,
    bytes: Cell<u64>,
}

impl Holding {
    /// Nothing yet.
    pub fn new(budget: &Budget) -> Self {
        Holding { budget: budget.clone(), bytes: Cell::new(0) }
    }

    /// Bytes that may be held besides.
    pub fn room(&self) -> u64 {
        self.budget.room()
    }

    /// Bytes that are held.
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// So many bytes are held in all, by `owner`. On an error as many as before.
    pub fn set(&self, bytes: u64, owner: &str) -> Result<()> {
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
