//! `--csv`: one row per contender, for spreadsheets.

use super::report::Row;
use crate::answer::{Failure, Result};
use crate::text;

const HEADER: [&str; 30] = [
    "model",
    "compare",
    "bytes",
    "sha256",
    "signature",
    "threads",
    "delegates",
    "planner",
    "instruction_set",
    "arenite",
    "plugins",
    "init_ms",
    "first_ms",
    "runs",
    "min_ms",
    "median_ms",
    "p90_ms",
    "p99_ms",
    "max_ms",
    "mean_ms",
    "sd_ms",
    "arena_bytes",
    "persistent_bytes",
    "delegate_bytes",
    "device_bytes",
    "peak_rss_bytes",
    "ratio",
    "ratio_low",
    "ratio_high",
    "rounds",
];

/// The rows below a line of column names. Times are in milliseconds; unknown values are empty.
///
/// # Errors
/// None in practice: a string can always be written.
pub(super) fn csv(rows: &[Row]) -> Result<String> {
    let fail = |error: &dyn std::fmt::Display| Failure::with("CSV", error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADER).map_err(|error| fail(&error))?;
    rows.iter().try_for_each(|row| writer.write_record(record(row))).map_err(|error| fail(&error))?;
    let bytes = writer.into_inner().map_err(|error| fail(&error))?;
    String::from_utf8(bytes).map_err(|error| fail(&error))
}

fn record(row: &Row) -> [String; 30] {
    let Row { setup, times, ratio, .. } = row;
    let plugins: Vec<String> =
        setup.plugins.iter().map(|plugin| format!("{} {}", plugin.id, plugin.version)).collect();
    [
        setup.model.display().to_string(),
        or_empty(setup.compare.as_deref()),
        setup.model_bytes.to_string(),
        setup.model_sha256.clone(),
        or_empty(setup.signature.as_deref()),
        setup.threads.to_string(),
        setup.delegates(),
        setup.planner.to_string(),
        or_empty(setup.instruction_set.as_deref()),
        setup.arenite.to_owned(),
        text::join(&plugins, "; "),
        row.init_ms.to_string(),
        row.first_ms.to_string(),
        times.runs.to_string(),
        times.min_ms.to_string(),
        times.median_ms.to_string(),
        times.p90_ms.to_string(),
        times.p99_ms.to_string(),
        times.max_ms.to_string(),
        times.mean_ms.to_string(),
        times.sd_ms.to_string(),
        row.memory.arena_bytes.to_string(),
        row.memory.persistent_bytes.to_string(),
        row.memory.delegate_bytes.to_string(),
        row.memory.device_bytes.to_string(),
        or_empty(row.memory.peak_rss_bytes),
        or_empty(ratio.map(|ratio| ratio.ratio)),
        or_empty(ratio.and_then(|ratio| ratio.low)),
        or_empty(ratio.and_then(|ratio| ratio.high)),
        or_empty(ratio.map(|ratio| ratio.rounds)),
    ]
}

fn or_empty(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
