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
        taps in 1usize..4, k in 0usize..40, columns in 1usize..100, seed: u64, low in -2.0f32..0.0, tiles in 1usize..4,
    ) {
        for gemm in available(TABLE) {
            let tall = gemm.tall(columns).map(|tall| tall.rows);
            for rows in (1..=gemm.rows(columns)).chain(tall) {
                check(gemm, [taps, k, rows, columns, tiles], seed, low);
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

/// The values of a tile: inputs, packed weights and operands of [`After`].
struct Values {
    a: Vec<f32>,
    weights: Vec<f32>,
    bias: Vec<f32>,
    added: Vec<f32>,
    slopes: Vec<f32>,
}

/// Runs the kernels of all panels; results are `stride` apart. A call computes all tiles, or, of the only tile, all
/// panels of the same width.
fn run(
    gemm: &Gemm,
    values: &Values,
    [taps, k, rows, columns, tiles]: [usize; 5],
    stride: usize,
    range: [f32; 2],
) -> Vec<f32> {
    let Values { a, weights, bias, added, slopes } = values;
    let mut packed = vec![f32::NAN; gemm.packed_len(taps * k, columns)];
    gemm.pack(taps * k, columns, &mut packed, |j, i| weights[i * columns + j], |j| bias[j]);
    let row = |i: usize| a[(i / rows * tiles * rows + i % rows) * k..].as_ptr();
    let pointers: Vec<*const f32> = (0..taps * rows).map(row).collect();
    let mut c = vec![f32::NAN; tiles * rows * stride];
    let (mut from, mut panel) = (0, 0);
    let operand = |values: &Vec<f32>| if values.is_empty() { std::ptr::null() } else { values.as_ptr() };
    while from < columns {
        let (width, alike) = (gemm.panel_width(from, columns), gemm.alike(from, columns));
        let len = width * (taps * k + 1);
        let repeat = match tiles {
            1 => Repeat::panels(alike, width, len),
            _ => Repeat { count: tiles, a: rows * k, weights: 0, c: rows * stride, slopes: 0 },
        };
        let tile = Tile {
            a: pointers.as_ptr(),
            taps,
            k,
            weights: packed[panel..].as_ptr(),
            c: c[from..].as_mut_ptr(),
            stride,
            columns: width.min(columns - from),
            low: range[0],
            high: range[1],
            after: After { added: operand(added), slopes: operand(slopes) }.skip(from),
            prefetch: Prefetch::ahead(packed[panel..].as_ptr(), width),
            repeat,
        };
        let tall = gemm.tall(columns).filter(|tall| tall.rows == rows).map(|tall| tall.kernel);
        let kernel = tall.unwrap_or_else(|| gemm.kernel(width, rows));
        // SAFETY: the machine has the instruction set, and all lengths match the vectors above.
        unsafe { kernel(&tile) };
        let panels = if tiles == 1 { alike } else { 1 };
        (from, panel) = (from + panels * width, panel + panels * len);
    }
    assert_eq!(panel, packed.len());
    c
}

fn check(gemm: &Gemm, sizes: [usize; 5], seed: u64, low: f32) {
    let [taps, k, tile, columns, tiles] = sizes;
    let rows = tile * tiles;
    let input = Values {
        a: values(seed, taps * rows * k),
        weights: values(seed ^ 7, taps * k * columns),
        bias: values(seed ^ 99, columns),
        added: vec![],
        slopes: vec![],
    };
    let stride = columns + 3;
    let c = run(gemm, &input, sizes, stride, [low, 2.0]);
    for r in 0..rows {
        for j in 0..columns {
            let mut sum = f64::from(input.bias[j]);
            for tap in 0..taps {
                for i in 0..k {
                    let w = input.weights[(tap * k + i) * columns + j];
                    sum += f64::from(input.a[(tap * rows + r) * k + i]) * f64::from(w);
                }
            }
            let (got, want) = (c[r * stride + j], sum.clamp(f64::from(low), 2.0) as f32);
            assert!((got - want).abs() < 1e-4, "{} row {r} column {j}: {got}, not {want}", gemm.name);
        }
        let untouched = &c[r * stride + columns..(r + 1) * stride];
        assert!(untouched.iter().all(|x| x.is_nan()), "{} wrote past the end of row {r}", gemm.name);
    }
}

proptest! {
    /// Operations on results equal the same operations on results that were written, to the bit; also of infinite
    /// sums, which become the largest finite number.
    #[test]
    fn operations_in_registers_are_those_in_memory(
        k in 1usize..9, columns in 1usize..100, seed: u64, infinite in 0usize..400, has in 0usize..3, tiles in 1usize..3,
    ) {
        for gemm in available(TABLE).filter(|gemm| gemm.applies_to(columns)) {
            let tall = gemm.tall(columns).map(|tall| tall.rows);
            for rows in (1..=gemm.rows(columns)).chain(tall) {
                let stride = columns + 3;
                let mut bias = values(seed ^ 99, columns);
                let mut added = values(seed ^ 3, tiles * rows * stride);
                if let Some(bias) = bias.get_mut(infinite) {
                    *bias = f32::INFINITY;
                    added[infinite] = -3e38;
                }
                let (a, weights) = (values(seed, tiles * rows * k), values(seed ^ 7, k * columns));
                let mut input = Values { a, weights, bias, added: vec![], slopes: vec![] };
                let sums = run(gemm, &input, [1, k, rows, columns, tiles], stride, [f32::MIN, f32::MAX]);
                let slopes = values(seed ^ 5, columns);
                let [high, low] = if has == 0 { [6.0, 0.0] } else { [f32::MAX, f32::MIN] };
                (input.added, input.slopes) = (
                    if has < 2 { added.clone() } else { vec![] },
                    if has > 0 { slopes.clone() } else { vec![] },
                );
                let got = run(gemm, &input, [1, k, rows, columns, tiles], stride, [low, high]);
                for (i, sum) in sums.iter().enumerate().filter(|(i, _)| i % stride < columns) {
                    let x = if has < 2 { sum + added[i] } else { *sum }.clamp(low, high);
                    let want = if has > 0 && x < 0.0 { x * slopes[i % stride] } else { x };
                    prop_assert_eq!(got[i].to_bits(), want.to_bits(), "{} {} of {} rows", gemm.name, i, rows);
                }
            }
        }
    }
}
