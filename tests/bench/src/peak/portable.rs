//! Plain loops, as the compiler vectorizes them.

use std::hint::black_box;

use super::Chain;

/// The number of independent sums.
const SUMS: usize = 64;

pub(super) const FLOAT: Chain = Chain { isa: "scalar", run: float, operations: 2 * SUMS as u64 };
pub(super) const INT8: Chain = Chain { isa: "scalar", run: int8, operations: 2 * SUMS as u64 };

fn float(rounds: u64) {
    let (x, y) = black_box((1.0f32, 1e-9f32));
    let mut sums = black_box([0.0f32; SUMS]);
    for _ in 0..rounds {
        sums = sums.map(|sum| sum * x + y);
    }
    black_box(sums);
}

fn int8(rounds: u64) {
    let (x, y) = black_box(([3i8; SUMS], [-2i8; SUMS]));
    let mut sums = black_box([0i32; SUMS]);
    for _ in 0..rounds {
        let (x, y) = black_box((&x, &y));
        for i in 0..SUMS {
            sums[i] = sums[i].wrapping_add(i32::from(x[i]) * i32::from(y[i]));
        }
    }
    black_box(sums);
}
