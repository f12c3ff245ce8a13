//! Plans with every strategy and prints the bytes relative to the lower bound, and the time.
//!
//!     cargo run --release -p arenite-planners --example strategies
//!     cargo run --release -p arenite-planners --example strategies -- TENSORS
//!     cargo run --release -p arenite-planners --example strategies -- --million
//!     cargo run --release -p arenite-planners --example strategies -- FILE.jsonl
//!
//! The problems are synthetic networks of TENSORS tensors (1,000 by default); a million records, few of them alive at
//! the same time; or a file with one problem per line: `{"model": NAME, "records": [{"size", "first_task",
//! "last_task"}…]}`. Without `records`, the line refers to the table `models/NAME.csv` next to the file. The time of a
//! plan is the least of five; for a million records it is the processor time of one.

#[path = "../tests/strategies/mod.rs"]
mod strategies;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use arenite_abi::UsageRecord;
use arenite_planners::bound::lower_bound;
use arenite_planners::{exact, portfolio};
use arenite_test_clock::Clock;
use serde_json::Value;
use strategies::{Answer, STRATEGIES, total};

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("--million") => million(),
        Some(file) if file.ends_with(".jsonl") => models(Path::new(file)),
        count => networks(count.map_or(Ok(1000), str::parse)?),
    }
}

/// `exact` and `portfolio` with their default limits; the list in tests/strategies has short ones.
fn in_full(name: &str, answer: Answer) -> Answer {
    match name {
        "exact" => Answer::Offsets(exact::place),
        "portfolio" => Answer::Offsets(portfolio::place),
        _ => answer,
    }
}

/// The bytes, and the least time of five plans.
fn measure(answer: Answer, records: &[UsageRecord]) -> (u64, Duration) {
    let (mut bytes, mut best) = (0, Duration::MAX);
    for _ in 0..5 {
        let start = Instant::now();
        let offsets = answer.offsets(records);
        best = best.min(start.elapsed());
        bytes = total(records, &offsets);
    }
    (bytes, best)
}

fn networks(count: u32) -> Result<(), Box<dyn Error>> {
    println!("{:<24}{}", "", NETWORKS.map(|(name, _)| format!("{name:>19}")).concat());
    let networks = NETWORKS.map(|(_, network)| network(count));
    for (name, answer) in STRATEGIES {
        print!("{name:<24}");
        for records in &networks {
            let (bytes, time) = measure(in_full(name, answer), records);
            let ratio = bytes as f64 / lower_bound(records)?.max(1) as f64;
            print!("{ratio:>9.3} {:>6} µs", time.as_micros());
        }
        println!();
    }
    Ok(())
}

/// Lifetimes of 2 to 6 nodes, and now and then a long one. tests/million.rs limits their planning time to two seconds.
fn million() -> Result<(), Box<dyn Error>> {
    let length = |i: u32| if i.is_multiple_of(1000) { 2000 } else { 1 + i % 5 };
    let size = |i: u32| u64::from(i.wrapping_mul(7919) % 4093 + 1) * 64;
    let records: Vec<UsageRecord> =
        (0..1_000_000).map(|i| UsageRecord::new(size(i), i, i + length(i))).collect();
    let bound = lower_bound(&records)?;
    for (name, answer) in STRATEGIES {
        if name == "min-cost-flow" {
            println!("{name:<24}  too many records");
            continue;
        }
        let clock = Clock::start();
        let bytes = total(&records, &in_full(name, answer).offsets(&records));
        let time = clock.spent();
        println!("{name:<24}{:>9.3} {:>6.2} s", bytes as f64 / bound as f64, time.as_secs_f64());
    }
    Ok(())
}

/// Fails if any strategy reaches the bound and `portfolio` does not.
fn models(file: &Path) -> Result<(), Box<dyn Error>> {
    let mut missed = Vec::new();
    println!(
        "{:<32}{:>7}{:>14}{:>11}  {:<24}{:>15}",
        "", "records", "bound", "portfolio", "best other", "portfolio"
    );
    for line in std::fs::read_to_string(file)?.lines() {
        let problem: Value = serde_json::from_str(line)?;
        let name = problem["model"].as_str().unwrap_or("problem").to_owned();
        let records = records(&problem, &file.with_file_name(format!("models/{name}.csv")))?;
        let bound = lower_bound(&records)?;
        let others = STRATEGIES.into_iter().filter(|(name, _)| *name != "portfolio");
        let best = others.map(|(name, answer)| (total(&records, &answer.offsets(&records)), name)).min();
        let (other, other_name) = best.ok_or("no strategy")?;
        let (ours, time) = measure(Answer::Offsets(portfolio::place), &records);
        let ratio = |bytes: u64| bytes as f64 / bound.max(1) as f64;
        println!(
            "{name:<32}{:>7}{bound:>14}{:>11.3}  {:<24}{:>12} µs",
            records.len(),
            ratio(ours),
            format!("{:.3} {other_name}", ratio(other)),
            time.as_micros()
        );
        if other == bound && ours > bound {
            missed.push(name);
        }
    }
    if missed.is_empty() { Ok(()) } else { Err(format!("portfolio misses the bound of {missed:?}").into()) }
}

fn records(problem: &Value, table: &Path) -> Result<Vec<UsageRecord>, Box<dyn Error>> {
    let record = |size: u64, first: u64, last: u64| -> Result<UsageRecord, Box<dyn Error>> {
        Ok(UsageRecord { alignment: 1, ..UsageRecord::new(size, first.try_into()?, last.try_into()?) })
    };
    if let Some(list) = problem["records"].as_array() {
        let field = |r: &Value, name: &str| r[name].as_u64().ok_or_else(|| format!("{name} of {r}"));
        let read = |r| record(field(r, "size")?, field(r, "first_task")?, field(r, "last_task")?);
        return list.iter().map(read).collect();
    }
    let text = std::fs::read_to_string(table).map_err(|error| format!("{}: {error}", table.display()))?;
    let line = |line: &str| {
        let fields = line.split(',').skip(1).map(|field| field.trim().parse());
        match fields.collect::<Result<Vec<u64>, _>>()?[..] {
            [lower, upper, size] if upper > lower => record(size, lower, upper - 1),
            _ => Err(format!("expected `id,lower,upper,size`, found: {line}").into()),
        }
    };
    text.lines().skip(1).map(line).collect()
}

type Network = fn(u32) -> Vec<UsageRecord>;

/// Tensor `i` is written by node `i`, and read up to the node that is given.
const NETWORKS: [(&str, Network); 6] = [
    ("chain", |n| tensors(n, |i| i + 1)),
    ("residual", |n| tensors(n, |i| i + if i % 4 == 0 { 4 } else { 1 })),
    ("branches", |n| tensors(n, |i| i / 12 * 12 + 12 + i % 2)),
    ("dense", |n| tensors(n, |i| i / 24 * 24 + 24)),
    ("u-net", |n| tensors(n, |i| if i < n / 2 && i % 3 == 0 { n - i } else { i + 1 })),
    ("random", |n| tensors(n, |i| i + 1 + (mix(i.into()) % 40) as u32)),
];

fn tensors(count: u32, last: impl Fn(u32) -> u32) -> Vec<UsageRecord> {
    let size =
        |i: u32| (1 + mix(u64::from(i) << 32) % 200) * [256, 1024, 4096][i as usize * 3 / count as usize % 3];
    (0..count).map(|i| UsageRecord::new(size(i), i, last(i).max(i + 1))).collect()
}

/// SplitMix64.
fn mix(x: u64) -> u64 {
    let z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
