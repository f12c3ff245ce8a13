//! A million records, few of them alive together: the near-linear strategies take less than two seconds. And many
//! records that are all alive together: every strategy ends, with a plan or an error.

mod strategies;

use std::time::Duration;

use arenite_abi::UsageRecord;
use arenite_test_clock::Clock;
use strategies::{Answer, STRATEGIES, total};

/// These also compare each record with the free objects near it.
const MORE_THAN_LINEAR: [&str; 2] = ["greedy-best", "greedy-by-size"];

/// The bytes, or the error; and the time it took.
fn plan(answer: Answer, records: &[UsageRecord]) -> (Result<u128, String>, Duration) {
    let clock = Clock::start();
    let bytes = match answer {
        Answer::Objects(assign) => assign(records).map(|objects| objects.total()),
        Answer::Offsets(_) => Ok(total(records, &answer.offsets(records)).into()),
    };
    (bytes.map_err(|error| error.to_string()), clock.spent())
}

#[test]
fn a_million_records() {
    // Lifetimes of 2 to 6 nodes, and now and then a long one.
    let length = |i: u32| if i.is_multiple_of(1000) { 2000 } else { 1 + i % 5 };
    let size = |i: u32| u64::from(i.wrapping_mul(7919) % 4093 + 1) * 64;
    let records: Vec<UsageRecord> =
        (0..1_000_000).map(|i| UsageRecord::new(size(i), i, i + length(i))).collect();
    for (name, answer) in STRATEGIES {
        let (bytes, time) = plan(answer, &records);
        println!("{name}: {bytes:?} bytes, {time:.2?}");
        assert_eq!(bytes.is_err(), name == "min-cost-flow");
        let most = if MORE_THAN_LINEAR.contains(&name) { 10 } else { 2 };
        // In a debug build, twice that.
        let most = Duration::from_secs(if cfg!(debug_assertions) { 2 * most } else { most });
        assert!(time < most, "{name}: {time:.2?}");
    }
}

#[test]
fn many_records_alive_together() {
    let records: Vec<UsageRecord> =
        (0..300_000u32).map(|i| UsageRecord::new(u64::from(i % 999) * 64, i, 600_000 - i)).collect();
    let sum: u128 = records.iter().map(|record| u128::from(record.size)).sum();
    for (name, answer) in STRATEGIES {
        let (bytes, time) = plan(answer, &records);
        println!("{name}: {bytes:?} bytes, {time:.2?}");
        // No memory can be shared.
        assert!(
            bytes.as_ref().is_ok_and(|&bytes| bytes == sum) || name == "min-cost-flow",
            "{name}: {bytes:?}"
        );
    }
}
