//! The report, as JSON.

use arenite::MemoryUse;
use arenite_common::devices::PartitionFacts;
use arenite_common::profile::OpTime;
use serde::{Serialize, Serializer};

use super::explain::Explanation;
use super::ratio::Ratio;
use super::samples::Times;
use super::setup::Setup;

/// All contenders in the order of the command line: each model, followed by its comparisons.
pub(super) struct Report {
    pub rows: Vec<Row>,
}

/// One contender.
#[derive(Serialize)]
pub(super) struct Row {
    #[serde(flatten)]
    pub setup: Setup,
    pub init_ms: f64,
    pub first_ms: f64,
    #[serde(flatten)]
    pub times: Times,
    #[serde(flatten)]
    pub memory: Memory,
    /// With `--compare`: its time divided by the time of the model that it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Ratio>,
    pub facts: Vec<PartitionFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ops: Option<Vec<OpTime>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// The memory of an interpreter, and the peak of the process before its measured runs.
#[derive(Serialize)]
pub(super) struct Memory {
    pub arena_bytes: u64,
    pub persistent_bytes: u64,
    pub delegate_bytes: u64,
    pub device_bytes: u64,
    /// Only of the first contender, because the process never shows a lower peak again.
    pub peak_rss_bytes: Option<u64>,
}

impl Memory {
    pub(super) fn new(memory: MemoryUse, peak_rss_bytes: Option<u64>) -> Self {
        Memory {
            arena_bytes: memory.arena,
            persistent_bytes: memory.persistent,
            delegate_bytes: memory.delegates,
            device_bytes: memory.device,
            peak_rss_bytes,
        }
    }
}

/// One contender is an object; several are an object with the array `results`.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Results<'a> {
            results: &'a [Row],
        }
        match &self.rows[..] {
            [row] => row.serialize(serializer),
            rows => Results { results: rows }.serialize(serializer),
        }
    }
}
