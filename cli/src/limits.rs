//! Limits on the whole program, in addition to the libraries' own. `run`, `inspect` and `plan` end with an error
//! shortly after the time of `[quota]` or `--time-limit` is over, whatever they are doing. They also end before their
//! heap exceeds the `bytes` of `[quota]` by a fifth.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use arenite::{Config, Quota};
use arenite_limits::{Heap, Watch};

use crate::answer;
use crate::options::Common;

/// Default time limit of `arenite run`.
pub(crate) const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Bytes by which the heap may exceed a small quota, for the program's own data.
const OWN_BYTES: u64 = 4 << 20;

/// Starts to watch the command's time, counted from `start`, if a limit is set on the command line or in the config
/// file, or by `default`.
pub(crate) fn watch(common: &Common, start: Instant, default: Option<Duration>) -> Option<Watch> {
    let (limit, remedy) = limit(common, default)?;
    // The margin lets a library that ends in time report what it was doing. Returning gigabytes to the system takes a
    // fraction of a second.
    let deadline = start.checked_add(limit + limit / 50 + Duration::from_millis(20))?;
    let needed = limit.as_millis();
    let message = format!("the command exceeds its time limit of {needed} milliseconds; {remedy}");
    Watch::start(deadline, answer::ending(&message, common.json))
}

/// The command's time limit, and how to raise it.
fn limit(common: &Common, default: Option<Duration>) -> Option<(Duration, &'static str)> {
    if let Some(limit) = common.time_limit {
        return (!limit.is_zero()).then_some((limit, "raise --time-limit to allow more"));
    }
    // If the file cannot be read, the command itself reports it.
    let configured = common.config.as_ref().and_then(|path| Config::from_file(path).ok()?.quota.time);
    match configured {
        Some(limit) => {
            Some((Duration::from_millis(limit), "raise `time` in [quota], or --time-limit, to allow more"))
        }
        None => default.map(|limit| (limit, "set another limit with --time-limit")),
    }
}

/// Limits the heap to its current size, plus the quota's bytes, a margin for the program itself, and the sizes of
/// `files`, which are read later.
pub(crate) fn limit_heap(config: &Config, json: bool, files: &[PathBuf]) {
    let bytes = Quota::from_config(&config.quota).bytes;
    let files: u64 = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len())).sum();
    let more = bytes.saturating_add((bytes / 20 * 3).max(OWN_BYTES)).saturating_add(files);
    let limit = Heap::used().saturating_add(usize::try_from(more).unwrap_or(usize::MAX));
    let message = format!(
        "the command needs more memory than its quota of {bytes} bytes; raise `bytes` in [quota] to allow more"
    );
    Heap::limit(limit, answer::ending(&message, json));
}
