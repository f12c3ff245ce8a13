//! Measures how long the range of a tensor takes: `cargo run --release -p arenite-common --example extent`.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use arenite::ElementType::{F32, I8, I64};
use arenite_common::extent::extent;

const COUNT: usize = 10_000_000;

fn main() {
    let floats: Vec<u8> = (0..COUNT).flat_map(|i| ((i % 1000) as f32).to_le_bytes()).collect();
    let integers: Vec<u8> = (0..COUNT as i64).flat_map(|i| (i % 21).to_le_bytes()).collect();
    let bytes: Vec<u8> = (0..COUNT).map(|i| i as u8).collect();
    for (ty, data) in [(F32, floats), (I64, integers), (I8, bytes)] {
        let times = (0..5).map(|_| {
            let start = Instant::now();
            black_box(extent(ty, black_box(&data), COUNT));
            start.elapsed().as_secs_f64()
        });
        let best = times.fold(f64::INFINITY, f64::min);
        println!("{ty}: {:.2} ns per element, the best of 5", best * 1e9 / COUNT as f64);
    }
}
