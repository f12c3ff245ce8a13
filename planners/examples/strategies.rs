//! Plans synthetic networks with every strategy: bytes, in parts of the lower bound, and microseconds.
//!
//!     cargo run --release -p arenite-planners --example strategies -- [TENSORS]
//!
//! Networks have so many tensors, 1,000 unless told. Of each plan the time is the least of five.

#[path = "../tests/strategies/mod.rs"]
mod strategies;

use std::error::Error;
use std::time::Instant;

use arenite_abi::UsageRecord;
use arenite_planners::bound::lower_bound;
use arenite_planners::{exact, portfolio};
use strategies::{Answer, STRATEGIES, total};

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).map_or(Ok(1000), |count| count.parse())?;
    println!("{:<24}{}", "", NETWORKS.map(|(name, _)| format!("{name:>19}")).concat());
    let networks = NETWORKS.map(|(_, network)| network(count));
    let bounds = networks.each_ref().map(|records| lower_bound(records).unwrap_or(u64::MAX).max(1));
    for (name, answer) in STRATEGIES {
        let answer = match name {
            "exact" => Answer::Offsets(exact::place),
            "portfolio" => Answer::Offsets(portfolio::place),
            _ => answer,
        };
        print!("{name:<24}");
        for (records, bound) in networks.iter().zip(bounds) {
            let (mut best, mut ratio) = (u128::MAX, 0.0);
            for _ in 0..5 {
                let start = Instant::now();
                let offsets = answer.offsets(records);
                best = best.min(start.elapsed().as_micros());
                ratio = total(records, &offsets) as f64 / bound as f64;
            }
            print!("{ratio:>9.3} {best:>6} µs");
        }
        println!();
    }
    Ok(())
}

type Network = fn(u32) -> Vec<UsageRecord>;

/// Tensors are written by the node of their number, and read up to the node given.
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
