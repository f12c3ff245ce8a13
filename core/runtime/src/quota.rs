//! Limits on what a model may ask for.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::config::QuotaConfig;
use crate::error::{Error, Result};

/// Limits on one interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Bytes of arenas, states, dynamic tensors and what delegates hold, all together.
    pub bytes: u64,
    /// Bytes of devices' memory, of all delegates together.
    pub device_bytes: u64,
    /// Nodes of the model, all subgraphs together.
    pub nodes: u64,
    /// Nesting of subgraphs that call one another.
    pub depth: u32,
    /// How often subgraphs may be run by nodes of others in one `invoke`: a bound for loops.
    pub calls: u64,
    /// Length of one `allocate` or `invoke`; asked between nodes, and inside long ones.
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

/// Without a figure from the system.
const DEFAULT_BYTES: u64 = 8 << 30;

impl Default for Quota {
    /// As many bytes as the machine has memory, as many of devices as they have, a million nodes, 64 levels, ten million calls, no limit
    /// in time.
    fn default() -> Self {
        Quota {
            bytes: physical_memory().unwrap_or(DEFAULT_BYTES),
            device_bytes: u64::MAX,
            nodes: 1_000_000,
            depth: 64,
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
}

/// Bytes in use, held against the quota. Clones count together: all subgraphs of an interpreter have one quota.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    /// Bytes of what.
    resource: Resource,
    limit: u64,
    used: Arc<AtomicU64>,
}

impl Budget {
    /// Of the machine's memory.
    pub fn new(limit: u64) -> Self {
        Budget { resource: Resource::Bytes, limit, used: Arc::default() }
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

/// Bytes of memory that the machine has, looked up once.
fn physical_memory() -> Option<u64> {
    static FOUND: OnceLock<Option<u64>> = OnceLock::new();
    *FOUND.get_or_init(read_physical_memory)
}

fn read_physical_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok()?.checked_mul(1024)
}
