//! Measures the time of each node.

use std::time::Duration;

use arenite::{Profile, ProfileRow};
use serde::Serialize;

/// A node, or a delegate's partition or step, with its time.
#[derive(Serialize)]
pub struct OpTime {
    /// Name of the op. For a delegate's step, the delegate's name comes first.
    pub op: String,
    /// Name of its first output.
    pub output: String,
    /// The delegate that ran it; null if an op of a plugin did.
    pub delegate: Option<String>,
    /// The node that an op of a plugin ran, numbered as in `Interpreter::served_by`; null for a delegate's row.
    pub node: Option<usize>,
    /// How many times it ran.
    pub runs: u64,
    /// Total time of all runs.
    pub total_ms: f64,
    /// Mean time of a run.
    pub mean_ms: f64,
    /// Time of the shortest run.
    pub min_ms: f64,
    /// Share in the time of all nodes, in percent.
    pub percent: f64,
}

impl OpTime {
    /// The name of the op, or of the delegate's step, without the delegate.
    pub fn step(&self) -> &str {
        let delegate = self.delegate.as_deref().and_then(|delegate| self.op.strip_prefix(delegate));
        delegate.and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&self.op)
    }
}

/// The times of all nodes that ran, in execution order.
pub fn op_times(profile: &Profile) -> Vec<OpTime> {
    let rows: Vec<_> = profile.rows().iter().filter(|row| row.runs > 0).flat_map(steps).collect();
    let all: Duration = rows.iter().map(|step| step.row.total).sum();
    let percent = |total: Duration| 100.0 * total.as_secs_f64() / all.as_secs_f64().max(f64::MIN_POSITIVE);
    rows.into_iter()
        .map(|Step { op, delegate, row }| OpTime {
            op,
            output: row.output.clone(),
            delegate,
            node: row.node,
            runs: row.runs,
            total_ms: ms(row.total),
            mean_ms: ms(row.total) / row.runs as f64,
            min_ms: ms(row.min),
            percent: percent(row.total),
        })
        .collect()
}

/// A row of the report.
struct Step<'a> {
    op: String,
    delegate: Option<String>,
    row: &'a ProfileRow,
}

/// One row, or one per step if a delegate reports its steps.
fn steps(row: &ProfileRow) -> Vec<Step<'_>> {
    let delegate = row.node.is_none().then(|| row.op.trim_start_matches("delegate ").to_owned());
    if row.parts.is_empty() {
        return vec![Step { op: row.op.clone(), delegate, row }];
    }
    let name = delegate.clone().unwrap_or_default();
    let parts = row.parts.iter();
    parts
        .map(|part| Step { op: format!("{name}: {}", part.op), delegate: delegate.clone(), row: part })
        .collect()
}

/// The field `ops` of the JSON that `arenite bench --profile --json` prints.
///
/// # Errors
/// None in practice: numbers and names can always be written.
pub fn json(times: &[OpTime]) -> serde_json::Result<String> {
    serde_json::to_string(times)
}

/// The time in milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e6
}
