//! Compares each microkernel of the table with plain folds, for random shapes and edges.

use proptest::prelude::*;

use super::*;
use crate::family::available;
use crate::random::values;

/// The shape of a tile: windows of `rows` by `k` pixels, and `n` results `stride` columns apart.
#[derive(Clone, Copy, Debug)]
struct Case {
    channels: usize,
    rows: usize,
    k: usize,
    stride: usize,
    n: usize,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Pointers {
    None,
    Taps,
}

proptest! {
    #[test]
    fn every_microkernel_agrees_with_a_plain_fold(channels in 1usize..70, rows in 1usize..6, seed: u64) {
        for member in available(TABLE) {
            for kind in [PoolKind::Max, PoolKind::Mean] {
                let kernels = member.of(kind);
                for n in 1..=member.results {
                    for columns in kernels.by_columns {
                        let case = Case { channels, rows, k: columns.taps, stride: columns.stride, n, seed };
                        check(member, kind, case, columns.kernels[n - 1], Pointers::None);
                        check(member, kind, case, kernels.exact[n - 1], Pointers::Taps);
                    }
                }
            }
        }
    }
}

fn check(member: &Pool, kind: PoolKind, case: Case, kernel: Microkernel, by: Pointers) {
    let Case { channels, rows, k, stride, n, seed } = case;
    let columns = (n - 1) * stride + k;
    // An exact kernel reads up to the end of a pixel and no further.
    let over = if by == Pointers::Taps { 0 } else { channels.next_multiple_of(member.lanes) - channels };
    let (x, factors) = (values(seed, rows * columns * channels + over), values(seed ^ 5, n));
    let pixel = |row: usize, column: usize| x[(row * columns + column) * channels..].as_ptr();
    let pointers: Vec<*const f32> = match by {
        Pointers::None => Vec::new(),
        Pointers::Taps => {
            (0..rows * k).flat_map(|tap| (0..n).map(move |i| pixel(tap / k, i * stride + tap % k))).collect()
        }
    };
    let mut c = vec![f32::NAN; n * (channels + 3)];
    let tile = Tile {
        pixels: Pixels {
            pointers: pointers.as_ptr(),
            base: x.as_ptr(),
            row: columns * channels,
            column: channels,
            rows: rows * if by == Pointers::Taps { k } else { 1 },
        },
        factors: factors.as_ptr(),
        c: c.as_mut_ptr(),
        stride: channels + 3,
        channels,
        low: -0.75,
        high: 0.75,
    };
    // SAFETY: the machine can run the member; all lengths match the vectors above.
    unsafe { kernel(&tile) };
    for (i, result) in c.chunks_exact(channels + 3).enumerate() {
        for channel in 0..channels {
            let taps =
                (0..rows * k).map(|tap| x[(tap / k * columns + i * stride + tap % k) * channels + channel]);
            let plain = match kind {
                PoolKind::Max => taps.fold(f32::NEG_INFINITY, f32::max),
                PoolKind::Mean => taps.sum::<f32>() * factors[i],
            };
            let (got, want) = (result[channel], plain.clamp(-0.75, 0.75));
            assert!((got - want).abs() < 1e-5, "{} {kind:?} {case:?} {by:?}: {got}, not {want}", member.name);
        }
        assert!(
            result[channels..].iter().all(|x| x.is_nan()),
            "{} wrote past the end of result {i}",
            member.name
        );
    }
}
