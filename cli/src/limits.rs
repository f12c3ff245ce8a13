//! The program's own limits, in addition to the libraries': `run`, `inspect` and `plan` end with an error soon after the time of
//! `[quota]` or of `--time-limit`, whatever they are doing, and before their heap is a fifth larger than the `bytes` of `[quota]`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use arenite::{Config, Quota};
use arenite_limits::{Heap, Watch};

use crate::answer;
use crate::options::Common;

/// How long `arenite run` may take if nothing else says.
pub const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Bytes by which the heap may exceed a small quota: what the program itself holds.
const OWN_BYTES: u64 = 4 << 20;

/// Watches the command's time from `start` on, if it has a limit: what the command line or the config file says, else `default`.
pub fn watch(common: &Common, start: Instant, default: Option<Duration>) -> Option<Watch> {
    let (limit, remedy) = limit(common, default)?;
    // Libraries that end in time say what they were doing. Giving gigabytes back to the system takes a part of a second.
    let deadline = start.checked_add(limit + limit / 50 + Duration::from_millis(20))?;
    let needed = limit.as_millis();
    let message = format!("the command needs more than {needed} milliseconds, its limit; {remedy}");
    Watch::start(deadline, answer::ending(&message, common.json))
}

/// The command's time, and how to have more of it.
fn limit(common: &Common, default: Option<Duration>) -> Option<(Duration, &'static str)> {
    if let Some(limit) = common.time_limit {
        return (!limit.is_zero()).then_some((limit, "raise --time-limit if that is right"));
    }
    // Where the file cannot be read the command says so.
    let configured = common.config.as_ref().and_then(|path| Config::from_file(path).ok()?.quota.time);
    match configured {
        Some(limit) => {
            Some((Duration::from_millis(limit), "raise `time` in [quota], or --time-limit, if that is right"))
        }
        None => default.map(|limit| (limit, "--time-limit sets another one")),
    }
}

/// Limits the heap to what it has now, the quota's bytes, and some more for the program itself; files that are yet to be read come
/// on top.
pub fn limit_heap(config: &Config, json: bool, files: &[PathBuf]) {
    let bytes = Quota::from_config(&config.quota).bytes;
    let files: u64 = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len())).sum();
    let more = bytes.saturating_add((bytes / 20 * 3).max(OWN_BYTES)).saturating_add(files);
    let limit = Heap::used().saturating_add(usize::try_from(more).unwrap_or(usize::MAX));
    let message = format!(
        "the command needs more memory than the quota of {bytes} bytes and what the program takes; raise `bytes` in [quota] if \
         that is right"
    );
    Heap::limit(limit, answer::ending(&message, json));
}
