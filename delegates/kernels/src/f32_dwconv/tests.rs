//! Compares each microkernel of the table with plain sums, for random shapes and edges.

use proptest::prelude::*;

use super::*;
use crate::family::available;
use crate::random::values;

/// The shape of a tile: `rows` of `k` taps, of which the first `skip` rows are skipped, and `n` results `stride`
/// columns apart.
#[derive(Clone, Copy, Debug)]
struct Case {
    channels: usize,
    rows: usize,
    skip: usize,
    k: usize,
    stride: usize,
    n: usize,
    seed: u64,
    low: f32,
}

proptest! {
    #[test]
    fn every_microkernel_agrees_with_a_plain_sum(
        channels in 1usize..70, rows in 1usize..6, seed: u64, low in -2.0f32..0.0,
    ) {
        let skip = seed as usize % rows;
        for member in available(TABLE) {
            for n in 1..=member.results {
                for taps in member.by_taps {
                    let case = Case { channels, rows, skip, k: taps.taps, stride: taps.stride, n, seed, low };
                    check(member, case, taps.even[n - 1], Kind::Even);
                    check(member, case, taps.pointed[n - 1], Kind::Pointed);
                    check(member, case, member.exact[n - 1], Kind::Exact);
                }
                let case = Case { channels, rows, skip, k: 1 + seed as usize % 9, stride: 3, n, seed, low };
                check(member, case, member.exact[n - 1], Kind::Exact);
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Even,
    Pointed,
    Exact,
}

fn check(member: &DwConv, case: Case, kernel: Microkernel, kind: Kind) {
    let Case { channels, rows, skip, k, stride, n, seed, low } = case;
    let columns = (n - 1) * stride + k;
    let padded = channels.next_multiple_of(member.lanes);
    // An exact kernel reads up to the end of a vector and no further.
    let over = if kind == Kind::Exact { 0 } else { padded - channels };
    let x = values(seed, rows * columns * channels + over);
    let weights = values(seed ^ 7, rows * k * channels);
    let bias = values(seed ^ 99, channels);
    let block = member.block(rows * k);
    let mut packed = vec![f32::NAN; padded / member.lanes * block];
    member.pack(channels, &weights, &mut packed, |c| bias[c]);
    let pixel = |row: usize, column: usize| x[(row * columns + column) * channels..].as_ptr();
    let pointers: Vec<*const f32> = match kind {
        Kind::Even => Vec::new(),
        Kind::Pointed => (skip * columns..rows * columns).map(|i| pixel(i / columns, i % columns)).collect(),
        Kind::Exact => {
            let taps = skip * k..rows * k;
            taps.flat_map(|tap| (0..n).map(move |i| pixel(tap / k, i * stride + tap % k))).collect()
        }
    };
    let mut c = vec![f32::NAN; n * (channels + 3)];
    let tile = Tile {
        pixels: Pixels {
            pointers: pointers.as_ptr(),
            base: pixel(skip, 0),
            row: columns * channels,
            column: channels,
            rows: (rows - skip) * if kind == Kind::Exact { k } else { 1 },
        },
        weights: packed.as_ptr(),
        skip: skip * k,
        block,
        c: c.as_mut_ptr(),
        stride: channels + 3,
        channels,
        low,
        high: 2.0,
    };
    // SAFETY: the machine has the instruction set, and all lengths match the vectors above.
    unsafe { kernel(&tile) };
    for (i, result) in c.chunks_exact(channels + 3).enumerate() {
        for channel in 0..channels {
            let mut sum = f64::from(bias[channel]);
            for tap in skip * k..rows * k {
                let x = x[(tap / k * columns + i * stride + tap % k) * channels + channel];
                sum += f64::from(x) * f64::from(weights[tap * channels + channel]);
            }
            let (got, want) = (result[channel], sum.clamp(f64::from(low), 2.0) as f32);
            assert!((got - want).abs() < 1e-4, "{} {case:?} {kind:?}: {got}, not {want}", member.name);
        }
        let untouched = &result[channels..];
        assert!(untouched.iter().all(|x| x.is_nan()), "{} wrote past the end of result {i}", member.name);
    }
}
