//! Compares each microkernel of the table with plain sums, for random shapes and edges.

use proptest::prelude::*;

use super::*;
use crate::family::available;
use crate::fixed_point::{Multiplier, Ties};
use crate::random::Random;
use crate::requantize::{Bytes, Channel, Channels};
use crate::rescale::{QuantizedRow, RealChannel, RealChannels, rescaled};
use arenite_base::Clamp;

/// The most rows of any member.
const ROWS: usize = 32;

struct Case {
    taps: usize,
    k: usize,
    columns: usize,
    a: Vec<u8>,
    weights: Vec<i8>,
    channels: Vec<Channel>,
    bytes: Bytes,
    terms: Option<Vec<i32>>,
}

/// A channel that shifts to the right by 32 or more and rounds away from zero.
fn divided(channel: Channel) -> Channel {
    let multiplier = Multiplier { value: channel.factor.value, shift: -1 - channel.bias.rem_euclid(10) };
    Channel { factor: multiplier.factor(Ties::Away), ..channel }
}

fn case((taps, k): (usize, usize), columns: usize, seed: u64, general: bool) -> Case {
    let mut random = Random::new(seed);
    let divides = random.flip_coin();
    let channels = (0..columns).map(|_| match random.channel(12, general) {
        channel if general && divides => divided(channel),
        channel => channel,
    });
    let channels = channels.collect();
    let low = (random.next() % 256) as u8;
    Case {
        taps,
        k,
        columns,
        a: (0..taps * ROWS * k).map(|_| random.next() as u8).collect(),
        weights: (0..taps * k * columns).map(|_| random.next() as i8).collect(),
        channels,
        bytes: Bytes {
            zero_point: (random.next() % 256) as i32,
            low: low / 2,
            high: 255 - (random.next() % 100) as u8,
            flip: random.flip(),
        },
        terms: random.flip_coin().then(|| (0..ROWS).map(|_| random.next() as i32 % 9999).collect()),
    }
}

impl Case {
    fn row(&self, tap: usize, r: usize) -> &[u8] {
        &self.a[(tap * ROWS + r) * self.k..][..self.k]
    }

    /// The sum for row `r` and column `j`, starting from `start`.
    fn sum(&self, r: usize, j: usize, start: i32) -> i32 {
        let mut sum = start;
        for tap in 0..self.taps {
            for (i, &a) in self.row(tap, r).iter().enumerate() {
                let w = self.weights[(tap * self.k + i) * self.columns + j];
                sum = sum.wrapping_add(i32::from(a) * i32::from(w));
            }
        }
        sum
    }

    fn want(&self, r: usize, j: usize) -> u8 {
        let term = self.terms.as_ref().map_or(0, |terms| terms[r]);
        let sum = self.sum(r, j, term.wrapping_add(self.channels[j].bias));
        let scaled = self.channels[j].factor.apply(sum);
        let Bytes { zero_point, low, high, flip } = self.bytes;
        scaled.wrapping_add(zero_point).max(low.into()).min(high.into()) as u8 ^ flip
    }

    fn check(&self, gemm: &Gemm, rows: usize, reach: Extent) {
        let Case { taps, k, columns, .. } = *self;
        let mut packed = vec![0x55; gemm.packed_len(taps, k, columns)];
        gemm.pack(taps, k, columns, &mut packed, |j, tap, i| self.weights[(tap * k + i) * columns + j]);
        let channels = Channels::new(gemm.lanes, &self.channels, self.bytes);
        // Each row has its own allocation, so that reading past it is detected where it is not permitted.
        let len = match reach {
            Extent::Exact => k,
            Extent::Groups => k.next_multiple_of(4),
            Extent::Lines => k.next_multiple_of(64),
        };
        let row = |i: usize| self.row(i / rows, i % rows).to_vec();
        let copies: Vec<Box<[u8]>> = (0..taps * rows)
            .map(|i| {
                let mut row = row(i);
                row.resize(len, 77);
                row.into_boxed_slice()
            })
            .collect();
        let apart: Vec<*const u8> = copies.iter().map(|row| row.as_ptr()).collect();
        self.check_rows(gemm, rows, reach, &packed, &channels, &apart);
        let mut together: Vec<u8> = (0..taps * rows).flat_map(row).collect();
        together.resize(taps * rows * k + len - k, 77);
        let evenly: Vec<*const u8> = (0..taps * rows).map(|i| together[i * k..].as_ptr()).collect();
        self.check_rows(gemm, rows, reach, &packed, &channels, &evenly);
        if gemm.takes_strips() && k > 0 {
            let firsts: Vec<*const u8> = evenly.iter().copied().step_by(rows).collect();
            self.check_strip(gemm, (rows, k), reach, &packed, &channels, &firsts);
        }
    }

    fn check_rows(
        &self,
        gemm: &Gemm,
        rows: usize,
        reach: Extent,
        packed: &[u8],
        channels: &Channels,
        pointers: &[*const u8],
    ) {
        self.check_strip(gemm, (rows, 0), reach, packed, channels, pointers);
    }

    fn check_strip(
        &self,
        gemm: &Gemm,
        (rows, step): (usize, usize),
        reach: Extent,
        packed: &[u8],
        channels: &Channels,
        pointers: &[*const u8],
    ) {
        let Case { taps, k, columns, .. } = *self;
        let stride = columns + 3;
        let mut c = vec![0xAA; rows * stride];
        let product = Product {
            a: pointers.as_ptr(),
            step,
            rows,
            taps,
            k,
            reach,
            weights: packed.as_ptr(),
            cached: Cached::Yes,
            column_bytes: gemm.column_bytes(taps, k),
            results: Results::Bytes(ToBytes::new(
                channels,
                channels.block(0),
                self.terms.as_ref().map_or(std::ptr::null(), |terms| terms.as_ptr()),
            )),
            c: c.as_mut_ptr(),
            stride,
            columns,
        };
        // SAFETY: the machine can run the member; all lengths match the vectors above.
        unsafe {
            let _session = gemm.begin();
            gemm.multiply(&product);
        }
        for r in 0..rows {
            for j in 0..columns {
                let (got, want) = (c[r * stride + j], self.want(r, j));
                assert_eq!(got, want, "{} row {r} column {j} of {rows} × {columns}, k {k}", gemm.name);
            }
            let untouched = &c[r * stride + columns..(r + 1) * stride];
            assert!(untouched.iter().all(|&x| x == 0xAA), "{} wrote past the end of row {r}", gemm.name);
        }
    }

    /// Computes reals from rows with zero points and scales.
    fn check_reals(&self, gemm: &Gemm, rows: usize, reals: &[RealChannel], quantized: &[QuantizedRow]) {
        let Case { taps, k, columns, .. } = *self;
        let mut packed = vec![0x55; gemm.packed_len(taps, k, columns)];
        gemm.pack(taps, k, columns, &mut packed, |j, tap, i| self.weights[(tap * k + i) * columns + j]);
        let channels = RealChannels::new(gemm.lanes, reals);
        let pointers: Vec<*const u8> =
            (0..taps * rows).map(|i| self.row(i / rows, i % rows).as_ptr()).collect();
        let (stride, limits) = (columns + 3, Clamp { low: -9e3, high: 9e3 });
        let mut c = vec![f32::NAN; rows * stride];
        let product = Product {
            a: pointers.as_ptr(),
            step: 0,
            rows,
            taps,
            k,
            reach: Extent::Exact,
            weights: packed.as_ptr(),
            cached: Cached::No,
            column_bytes: gemm.column_bytes(taps, k),
            results: Results::Reals(ToReals {
                channels: channels.block(0),
                rows: quantized.as_ptr(),
                limits,
            }),
            c: c.as_mut_ptr().cast(),
            stride: stride * size_of::<f32>(),
            columns,
        };
        // SAFETY: the machine can run the member; all lengths match the vectors above.
        unsafe {
            let _session = gemm.begin();
            gemm.multiply(&product);
        }
        for r in 0..rows {
            for j in 0..columns {
                let want = rescaled(self.sum(r, j, 0), reals[j], quantized[r], limits);
                assert_eq!(
                    c[r * stride + j],
                    want,
                    "{} row {r} column {j} of {rows} × {columns}, k {k}",
                    gemm.name
                );
            }
            let untouched = &c[r * stride + columns..(r + 1) * stride];
            assert!(untouched.iter().all(|x| x.is_nan()), "{} wrote past the end of row {r}", gemm.name);
        }
    }
}

proptest! {
    #[test]
    fn every_microkernel_gives_reals(
        taps in 1usize..4, k in prop_oneof![0usize..40, 40usize..200], columns in 1usize..100, seed: u64,
    ) {
        let case = case((taps, k), columns, seed, false);
        let mut random = Random::new(seed ^ 0x5555);
        let reals: Vec<RealChannel> = (0..columns).map(|_| random.real_channel()).collect();
        let rows: Vec<QuantizedRow> = (0..ROWS).map(|_| random.quantized_row()).collect();
        for gemm in available(TABLE) {
            for count in 1..=gemm.mr {
                case.check_reals(gemm, count, &reals, &rows);
            }
        }
    }

    #[test]
    fn every_microkernel_agrees_with_plain_sums(
        taps in 1usize..4, k in prop_oneof![0usize..40, 40usize..200], columns in 1usize..100, seed: u64,
        general: bool, reach in prop_oneof![Just(Extent::Exact), Just(Extent::Groups), Just(Extent::Lines)],
    ) {
        let case = case((taps, k), columns, seed, general);
        for gemm in available(TABLE) {
            for rows in 1..=gemm.mr {
                case.check(gemm, rows, reach);
            }
        }
    }
}

/// Bytes that are mostly near `near`, some of them with any value.
fn near(random: &mut Random, near: u8, width: u8, share: u32) -> u8 {
    if random.next() % 1000 < share {
        return random.next() as u8;
    }
    near.saturating_add((random.next() % (u32::from(width) + 1)) as u8)
}

proptest! {
    #[test]
    fn rows_of_bytes_that_rarely_exceed_a_bound(
        taps in 1usize..4, k in prop_oneof![0usize..40, 40usize..300], columns in 1usize..80, seed: u64,
        from in prop_oneof![Just(0u8), 0u8..=255], width in prop_oneof![0u8..70, 0u8..130],
        share in prop_oneof![Just(0u32), 0u32..10, 0u32..60],
        reach in prop_oneof![Just(Extent::Exact), Just(Extent::Groups), Just(Extent::Lines)],
    ) {
        let mut case = case((taps, k), columns, seed, false);
        let mut random = Random::new(seed ^ 0x1234);
        case.a.fill_with(|| near(&mut random, from, width, share));
        if random.flip_coin() {
            case.weights.fill_with(|| if random.flip_coin() { -128 } else { 127 });
        }
        for gemm in available(TABLE) {
            for rows in 1..=gemm.mr {
                case.check(gemm, rows, reach);
            }
        }
    }
}

/// Rows whose bytes are at both ends, with weights at either end: every sum of products that a form bounds is as large
/// as it can be.
#[test]
fn rows_and_weights_at_their_ends() {
    let patterns: [&[u8]; 8] = [
        &[255, 0],
        &[0, 0, 255, 255],
        &[128, 128, 0, 255],
        &[64, 192],
        &[128, 255, 128, 128, 128, 128, 128, 128],
        &[100, 100, 100, 100, 0, 228, 100, 227, 100, 100, 100, 100],
        &[1, 1, 1, 1, 1, 1, 1, 1, 1, 255],
        &[255, 255, 255, 255, 255, 255, 254, 0],
    ];
    for (k, columns) in [(64, 130), (200, 49), (27, 100)] {
        let mut case = case((2, k), columns, 7, false);
        for (i, pattern) in patterns.into_iter().enumerate() {
            case.a.iter_mut().zip(pattern.iter().cycle()).for_each(|(a, &byte)| *a = byte);
            for weights in [&[-128i8, -128, -128, -128][..], &[127, 127], &[-128, 127, 127], &[0, -128]] {
                case.weights.iter_mut().zip(weights.iter().cycle()).for_each(|(w, &weight)| *w = weight);
                for gemm in available(TABLE) {
                    case.check(gemm, 1 + (i * 5) % gemm.mr, Extent::Exact);
                    case.check(gemm, gemm.mr, Extent::Groups);
                }
            }
        }
    }
}

#[test]
fn sums_do_not_saturate() {
    let mut case = case((1, 64), 40, 1, false);
    case.a.fill(255);
    case.terms = None;
    for w in [-128, 127] {
        case.weights.fill(w);
        for gemm in available(TABLE) {
            case.check(gemm, gemm.mr, Extent::Groups);
        }
    }
}

proptest! {
    #[test]
    fn columns_known_at_run_time_are_packed_alike(
        depth in 1usize..50, columns in 1usize..70, more in 0usize..5, transposed: bool, seed: u64,
    ) {
        let mut random = Random::new(seed);
        let (line, column) = if transposed { (1, depth + more) } else { (columns + more, 1) };
        let b: Vec<u8> = (0..depth * line + columns * column).map(|_| random.next() as u8).collect();
        let weight = |j: usize, i: usize| (b[i * line + j * column] ^ 0x80) as i8;
        for gemm in available(TABLE) {
            let mut want = vec![0x55; gemm.packed_len(1, depth, columns)];
            gemm.pack(1, depth, columns, &mut want, |j, _, i| weight(j, i));
            let mut got = vec![0x55; want.len()];
            let mut from = 0;
            while from < columns {
                let width = gemm.panel_width(from, columns);
                let used = width.min(columns - from);
                let matrix = Matrix { first: b[from * column..].as_ptr(), line, column, depth, columns: used };
                let to = got[from * gemm.column_bytes(1, depth)..].as_mut_ptr();
                // SAFETY: the machine can run the member; all lengths match the vectors above.
                let sums = unsafe { (gemm.pack_columns)(&matrix, width, to) };
                for (j, sum) in sums[..used].iter().enumerate() {
                    prop_assert_eq!(*sum, (0..depth).map(|i| i32::from(weight(from + j, i))).sum::<i32>());
                }
                from += width;
            }
            prop_assert_eq!(&got, &want, "{}", gemm.name);
        }
    }
}

proptest! {
    #[test]
    fn rows_are_packed_as_weights_one_by_one(taps in 1..4usize, k in 1..70usize, columns in 1..70usize, flip: u8) {
        let rows: Vec<u8> = (0..columns * taps * k).map(|i| (i * 37 + i / 11) as u8).collect();
        for gemm in TABLE {
            let len = gemm.packed_len(taps, k, columns);
            let (mut want, mut got) = (vec![0x55; len], vec![0xAA; len]);
            gemm.pack(taps, k, columns, &mut want, |j, tap, i| (rows[(j * taps + tap) * k + i] ^ flip) as i8);
            gemm.pack_rows(taps, k, columns, &mut got, (&rows, flip));
            assert_eq!(got, want, "{}", gemm.name);
        }
    }
}

/// A matrix that has many multiply-adds per row is packed the same way for one row and for many; a small layer uses
/// vectors.
#[test]
fn tiles_are_for_large_layers() {
    let select = |rows, k, columns| Gemm::select_for(Isa::ALL, ProductSizes { rows, taps: 1, k, columns });
    let large = select(1, 576, 576);
    for rows in [2, 16, 128, 4096] {
        assert!(std::ptr::eq(select(rows, 576, 576), large), "{rows} rows");
    }
    for (rows, k, columns) in [(36, 128, 128), (12544, 16, 96), (9, 256, 256)] {
        let small = select(rows, k, columns);
        assert!(!small.isa.has(Isa::AMX), "{} for {rows} × {k} × {columns}", small.name);
    }
    assert_eq!(large.isa.has(Isa::AMX), Isa::machine().has(Isa::AMX), "{}", large.name);
}
