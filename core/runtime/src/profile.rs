//! Time per node.

use std::time::Duration;

/// One row: a node, or a delegate's partition.
#[derive(Clone, Debug)]
pub struct ProfileRow {
    /// The op's name, or `delegate NAME`.
    pub op: String,
    /// Name of its first output.
    pub output: String,
    /// How often it ran.
    pub runs: u64,
    /// All runs together.
    pub total: Duration,
    /// The shortest run.
    pub min: Duration,
}

/// Time per node, collected over invocations. Collecting makes no heap allocation.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    rows: Vec<ProfileRow>,
}

impl Profile {
    pub(crate) fn new(names: impl Iterator<Item = (String, String)>) -> Self {
        let row =
            |(op, output)| ProfileRow { op, output, runs: 0, total: Duration::ZERO, min: Duration::MAX };
        Profile { rows: names.map(row).collect() }
    }

    pub(crate) fn note(&mut self, step: usize, time: Duration) {
        if let Some(row) = self.rows.get_mut(step) {
            row.runs += 1;
            row.total += time;
            row.min = row.min.min(time);
        }
    }

    /// The rows in execution order. Nodes that never ran, since their result is constant, have no runs.
    pub fn rows(&self) -> &[ProfileRow] {
        &self.rows
    }
}
