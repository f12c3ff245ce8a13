//! Compares each microkernel of the table with a plain sum, for random shapes and edges.

use proptest::prelude::*;

use super::*;
use crate::family::available;

fn values(seed: u64, n: usize) -> Vec<f32> {
    let mut state = seed | 1;
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 40) as f32 / (1 << 23) as f32) - 1.0
        })
        .collect()
}

proptest! {
    #[test]
    fn every_microkernel_agrees_with_a_plain_sum(
        taps in 1usize..4, k in 0usize..40, columns in 1usize..100, seed: u64, low in -2.0f32..0.0,
    ) {
        for gemm in available(TABLE) {
            for rows in 1..=gemm.rows(columns) {
                check(gemm, (taps, k), rows, columns, seed, low);
            }
        }
    }
}

/// `pack_rows` packs the same weights as `pack`, also more lines than are packed at a time.
#[test]
fn rows_are_packed_like_columns() {
    for gemm in available(TABLE) {
        for (k, columns) in [(1, 1), (9, 7), (64, 40), (300, 33), (513, 96), (11, 8), (70, 24), (31, 56)] {
            let weights = values(k as u64, 5 + k * columns);
            let (mut want, mut got) = (vec![f32::NAN; gemm.packed_len(k, columns)], vec![]);
            got.resize(want.len(), f32::NAN);
            gemm.pack(k, columns, &mut want, |j, i| weights[5 + j * k + i], |j| j as f32);
            gemm.pack_rows(k, columns, &mut got, (&Stored::F32(&weights), 5), |j| j as f32);
            assert_eq!(got, want, "{} {k} × {columns}", gemm.name);
        }
    }
}

fn check(gemm: &Gemm, (taps, k): (usize, usize), rows: usize, columns: usize, seed: u64, low: f32) {
    let a = values(seed, taps * rows * k);
    let weights = values(seed ^ 7, taps * k * columns);
    let bias = values(seed ^ 99, columns);
    let mut packed = vec![f32::NAN; gemm.packed_len(taps * k, columns)];
    gemm.pack(taps * k, columns, &mut packed, |j, i| weights[i * columns + j], |j| bias[j]);
    let pointers: Vec<*const f32> = (0..taps * rows).map(|i| a[i * k..].as_ptr()).collect();
    let stride = columns + 3;
    let mut c = vec![f32::NAN; rows * stride];
    let (mut from, mut panel) = (0, 0);
    while from < columns {
        let width = gemm.panel_width(from, columns);
        let used = width.min(columns - from);
        let tile = Tile {
            a: pointers.as_ptr(),
            taps,
            k,
            weights: packed[panel..].as_ptr(),
            c: c[from..].as_mut_ptr(),
            stride,
            columns: used,
            low,
            high: 2.0,
            prefetch: Prefetch::ahead(packed[panel..].as_ptr(), width),
        };
        // SAFETY: the machine has the instruction set, and all lengths match the vectors above.
        unsafe { gemm.kernel(width, rows)(&tile) };
        (from, panel) = (from + width, panel + width * (taps * k + 1));
    }
    assert_eq!(panel, packed.len());
    for r in 0..rows {
        for j in 0..columns {
            let mut sum = f64::from(bias[j]);
            for tap in 0..taps {
                for i in 0..k {
                    let w = weights[(tap * k + i) * columns + j];
                    sum += f64::from(a[(tap * rows + r) * k + i]) * f64::from(w);
                }
            }
            let (got, want) = (c[r * stride + j], sum.clamp(f64::from(low), 2.0) as f32);
            assert!((got - want).abs() < 1e-4, "{} row {r} column {j}: {got}, not {want}", gemm.name);
        }
        let untouched = &c[r * stride + columns..(r + 1) * stride];
        assert!(untouched.iter().all(|x| x.is_nan()), "{} wrote past the end of row {r}", gemm.name);
    }
}
