//! A million records: every strategy but `min-cost-flow`, which refuses so many, ends within seconds.

mod strategies;

use std::time::{Duration, Instant};

use arenite_abi::UsageRecord;
use strategies::{Answer, STRATEGIES, total};

/// One record per node; lives of 2 to 6 nodes, and a long one now and then.
fn records(count: u32) -> Vec<UsageRecord> {
    (0..count)
        .map(|i| {
            let length = if i % 1000 == 0 { 2000 } else { 1 + i % 5 };
            UsageRecord::new(u64::from(i.wrapping_mul(7919) % 4093 + 1) * 64, i, i + length)
        })
        .collect()
}

/// What this thread has computed for so far, where the system says; else the time since `start`.
fn spent(start: Instant) -> Duration {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = times.split(' ').next().and_then(|nanos| nanos.parse().ok());
    nanos.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

#[test]
fn a_million_records() {
    let records = records(1_000_000);
    for (name, answer) in STRATEGIES.iter().filter(|(name, _)| *name != "min-cost-flow") {
        let start = Instant::now();
        let before = spent(start);
        let bytes = match answer {
            Answer::Objects(assign) => assign(&records).expect("good records").total(),
            Answer::Offsets(_) => total(&records, &answer.offsets(&records)).into(),
        };
        println!("{name}: {bytes} bytes, {:.2?}", spent(start) - before);
    }
}
