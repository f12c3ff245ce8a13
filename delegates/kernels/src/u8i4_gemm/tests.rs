//! Compares each member with plain code, to the bit.

use proptest::prelude::*;

use super::*;
use crate::family::available;
use crate::random::{Random, values};

/// As the reference op computes it.
fn plain(case: &Case, r: usize, j: usize) -> f32 {
    let (blocks, row) = (case.blocks, case.rows[r]);
    let mut sum = 0f32;
    for k in 0..blocks.count {
        let lines = k * blocks.lines..(k + 1) * blocks.lines;
        let products = lines.map(|i| {
            let (parts, bits) = (blocks.parts, 8 / blocks.parts);
            let byte = case.weights[(j * blocks.depth() + i) / parts] as i8;
            let weight = byte << (8 - bits - bits * (i % parts)) >> (8 - bits);
            (i32::from(case.a[r * blocks.depth() + i]) - row.zero_point) * i32::from(weight)
        });
        let scale = case.scales[j * blocks.count + k];
        sum += products.sum::<i32>() as f32 * (row.scale * scale);
    }
    (case.bias[j] + sum).clamp(case.limits.low, case.limits.high)
}

/// A byte of the lowest weights.
fn lowest(blocks: Blocks) -> u8 {
    if blocks.parts == 2 { 0x88 } else { 0xaa }
}

/// The members for such weights.
fn members(blocks: Blocks) -> impl Iterator<Item = &'static Gemm> {
    available(if blocks.parts == 2 { TABLE } else { crate::u8i2_gemm::TABLE })
}

struct Case {
    blocks: Blocks,
    columns: usize,
    a: Vec<u8>,
    weights: Vec<u8>,
    rows: Vec<QuantizedRow>,
    scales: Vec<f32>,
    bias: Vec<f32>,
    limits: Clamp,
}

impl Case {
    fn new(blocks: Blocks, count: usize, columns: usize, seed: u64) -> Case {
        let mut random = Random::new(seed);
        let limits = if random.flip_coin() { Clamp { low: -0.1, high: 6.0 } } else { Clamp::NONE };
        // Extremes, too: all weights −8, or −2, with all bytes 255 give the largest sums.
        let (byte, weight) = (random.next().is_multiple_of(4), random.next().is_multiple_of(4));
        let mut bytes = |n: usize, all: Option<u8>| {
            (0..n).map(|_| all.unwrap_or(random.next() as u8)).collect::<Vec<u8>>()
        };
        let a = bytes(count * blocks.depth(), byte.then_some(255));
        let weights = bytes(columns * blocks.depth() / blocks.parts, weight.then_some(lowest(blocks)));
        Case {
            blocks,
            columns,
            a,
            weights,
            rows: (0..count).map(|_| random.quantized_row()).collect(),
            scales: values(seed ^ 5, columns * blocks.count),
            bias: values(seed ^ 9, columns),
            limits,
        }
    }

    /// All results of a member, with rows four elements apart.
    fn results(&self, gemm: &Gemm) -> Vec<f32> {
        let Case { blocks, columns, .. } = *self;
        let mut packed = vec![0; gemm.packed_len(columns, blocks)];
        let scale = |j: usize, k: usize| self.scales[j * blocks.count + k];
        gemm.pack(blocks, columns, &self.weights, scale, &mut packed);
        let mut bias = self.bias.clone();
        bias.resize(columns.next_multiple_of(gemm.width), 0.0);
        let (count, stride) = (self.rows.len(), columns + 4);
        let mut c = vec![-9.0; count * stride];
        for from in (0..columns).step_by(gemm.width) {
            let product = Product {
                a: self.a.as_ptr(),
                rows: self.rows.as_ptr(),
                count,
                blocks,
                panel: packed[from * blocks.column_bytes()..].as_ptr(),
                bias: bias[from..].as_ptr(),
                limits: self.limits,
                c: c[from..].as_mut_ptr(),
                stride,
                columns: gemm.width.min(columns - from),
            };
            // SAFETY: the panel was packed by the member, there are as many rows and biases, and results in each row.
            unsafe { gemm.multiply(&product) };
        }
        c
    }
}

proptest! {
    #[test]
    fn every_member_is_exact(
        (parts, lines) in prop::sample::select(vec![(2, 8), (2, 32), (2, 64), (2, 128), (2, 256), (4, 16), (4, 48), (4, 256)]),
        blocks in 1usize..4,
        count in 1usize..12,
        columns in 1usize..140,
        seed: u64,
    ) {
        let case = Case::new(Blocks { count: blocks, lines, parts }, count, columns, seed);
        for gemm in members(case.blocks) {
            let c = case.results(gemm);
            for (r, row) in c.chunks_exact(columns + 4).enumerate() {
                for (j, y) in row[..columns].iter().enumerate() {
                    prop_assert_eq!(y.to_bits(), plain(&case, r, j).to_bits(), "{} {} {}", gemm.name, r, j);
                }
                prop_assert_eq!(&row[columns..], &[-9.0; 4][..], "{}", gemm.name);
            }
        }
    }
}

#[test]
fn the_longest_block_does_not_overflow() {
    for parts in [2, 4] {
        let blocks = Blocks { count: 1, lines: LONGEST, parts };
        let mut case = Case::new(blocks, 1, 3, 1);
        case.a.fill(255);
        case.weights.fill(lowest(blocks));
        case.rows[0].zero_point = 0;
        for gemm in members(blocks) {
            assert_eq!(case.results(gemm)[0].to_bits(), plain(&case, 0, 0).to_bits(), "{}", gemm.name);
        }
        assert!(!Blocks { lines: LONGEST + 16, ..blocks }.are_supported());
        assert!(!Blocks { count: 2, lines: 36, parts }.are_supported());
    }
    assert!(Blocks { count: 2, lines: 8, parts: 2 }.are_supported());
    assert!(!Blocks { count: 2, lines: 8, parts: 4 }.are_supported());
    assert!(!Blocks { count: 2, lines: 32, parts: 8 }.are_supported());
}
