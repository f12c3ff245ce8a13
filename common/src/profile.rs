//! Time per node.

use std::time::Duration;

use arenite::{Profile, ProfileRow};
use serde::Serialize;

/// A node, or a delegate's partition or step.
#[derive(Serialize)]
pub struct OpTime {
    /// The op's name; of a delegate's step, behind the delegate's.
    pub op: String,
    /// Name of its first output.
    pub output: String,
    /// How often it ran.
    pub runs: u64,
    /// All runs together.
    pub total_ms: f64,
    /// Of one run.
    pub mean_ms: f64,
    /// The shortest run.
    pub min_ms: f64,
    /// Of the time of all nodes.
    pub percent: f64,
}

/// The nodes that ran.
pub fn op_times(profile: &Profile) -> Vec<OpTime> {
    let rows: Vec<_> = profile.rows().iter().filter(|row| row.runs > 0).flat_map(steps).collect();
    let all: Duration = rows.iter().map(|(_, row)| row.total).sum();
    let percent = |total: Duration| 100.0 * total.as_secs_f64() / all.as_secs_f64().max(f64::MIN_POSITIVE);
    rows.into_iter()
        .map(|(op, row)| OpTime {
            op,
            output: row.output.clone(),
            runs: row.runs,
            total_ms: ms(row.total),
            mean_ms: ms(row.total) / row.runs as f64,
            min_ms: ms(row.min),
            percent: percent(row.total),
        })
        .collect()
}

/// A row, or those of the delegate's steps that stand behind it.
fn steps(row: &ProfileRow) -> Vec<(String, &ProfileRow)> {
    if row.parts.is_empty() {
        return vec![(row.op.clone(), row)];
    }
    let delegate = row.op.trim_start_matches("delegate ");
    row.parts.iter().map(|part| (format!("{delegate}: {}", part.op), part)).collect()
}

/// As `ops` of what `arenite bench --profile --json` prints.
///
/// # Errors
/// None of its own: numbers and names can always be written.
pub fn json(times: &[OpTime]) -> serde_json::Result<String> {
    serde_json::to_string(times)
}

/// In milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e6
}
