//! Compares each member of the table with plain code, for random lengths and factors.

use arenite_base::memory::{Source, Target};
use proptest::prelude::*;

use super::*;
use crate::family::available;
use crate::fixed_point::{Factor, Multiplier, Ties};
use crate::random::Random;
use crate::requantize::{Channel, Channels};

const WAYS: [Way; 3] = [Way::Shift, Way::Plain, Way::General];

fn check(member: &Pairs, f: Combine, n: usize, seed: u64, way: Way) {
    let general = way == Way::General;
    let mut random = Random::new(seed);
    let bytes = Bytes { zero_point: (random.next() % 256) as i32, low: 5, high: 240, flip: random.flip() };
    let flips = [0, 0].map(|_| random.flip());
    // Operands are shifted left by 15, which [`Way::General`] does with general factors.
    let operand = |random: &mut Random| {
        let Channel { factor, .. } = random.channel(3, general);
        let bias = -((random.next() % 256) as i32);
        let factor = Factor { left: 15, ..factor };
        Channel { bias, factor: if general { factor } else { factor.without_left() } }
    };
    let (mut a_way, b_way) = (operand(&mut random), operand(&mut random));
    if way == Way::Shift {
        a_way.factor = Factor { left: 0, value: 1 << 30, rounding: 1 << 15, shift: 16, is_away: false };
        assert_eq!(a_way.factor.power_of_two(), Some(14));
    }
    let mut y_way = random.channel(12, true);
    (y_way.bias, y_way.factor.left) = (0, 0);
    let table = |way| Channels::new(member.lanes, &[way; 16][..member.lanes], bytes);
    let tables = [a_way, b_way, y_way].map(table);
    let pair = Pair::new(tables.each_ref(), way, 14, bytes).flipped(flips);
    let (a, b): (Vec<u8>, Vec<u8>) = (0..=n).map(|_| (random.next() as u8, random.next() as u8)).unzip();
    let (mut y, mut z) = (vec![7; n + 1], vec![7; n + 1]);
    let operands = |b| [Source::of(&a), b];
    member.combined(f, &pair, operands(Source::of(&b)), &mut Target::of(&mut y[..n]));
    member.combined(f, &pair, operands(Source::of(&b[..1])), &mut Target::of(&mut z[..n]));
    let scaled = |way: Channel, x: u8| {
        let x = i32::from(x) + way.bias;
        if f == Combine::Mul { x } else { way.factor.apply(x) }
    };
    for i in 0..n {
        for (got, b) in [(y[i], b[i]), (z[i], b[0])] {
            let (x, z) = (scaled(a_way, a[i] ^ flips[0]), scaled(b_way, b ^ flips[1]));
            let c = y_way.factor.apply(f.apply(x, z));
            let want = c.saturating_add(bytes.zero_point).clamp(5, 240) as u8 ^ bytes.flip;
            assert_eq!(got, want, "{} {f:?} of {} and {b}", member.name, a[i]);
        }
    }
    assert_eq!((y[n], z[n]), (7, 7));
}

/// The factors of a, b and y with these scales, as the CPU delegate computes them.
fn factors(f: Combine, scales: [f32; 3], down: bool) -> Option<[Factor; 3]> {
    let [a, b, y] = scales.map(f64::from);
    if f == Combine::Mul {
        let m = Multiplier::from_real(a * b / y).filter(|m| m.shift <= 0)?;
        return Some([Factor::ZERO, Factor::ZERO, m.factor(Ties::Away)]);
    }
    let twice = 2.0 * a.max(b);
    let operand = |scale: f64| {
        let m = Multiplier::from_real(scale / twice).unwrap();
        let once =
            Factor { left: 20, value: m.value, rounding: 1 << 30, shift: 31 + m.right(), is_away: false };
        if down { once } else { Factor { left: 20, ..m.factor(Ties::Away) } }.without_left()
    };
    let m = Multiplier::from_real(twice / (f64::from(1 << 20) * y)).filter(|m| m.shift <= 0)?;
    Some([operand(a), operand(b), m.factor(Ties::Away)])
}

/// Compares the results of all pairs of bytes with these scales. Returns how many kinds of approximations there are: 2,
/// or fewer.
fn check_near(f: Combine, scales: [f32; 3], zero_points: [i32; 3], down: bool, flips: [u8; 2]) -> usize {
    let Some(factors) = factors(f, scales, down) else { return 0 };
    let biases = [-zero_points[0], -zero_points[1]];
    let bytes = Bytes { zero_point: zero_points[2], low: 0, high: 255, flip: 0 };
    let all: Vec<u8> = (0..=255).collect();
    let way = if factors[..2].iter().any(|f| f.is_away || f.left > 0) { Way::General } else { Way::Plain };
    let mut found = 0;
    for member in available(TABLE) {
        let table = |bias, factor| {
            Channels::new(member.lanes, &[Channel { bias, factor }; 16][..member.lanes], bytes)
        };
        let tables = [table(biases[0], factors[0]), table(biases[1], factors[1]), table(0, factors[2])];
        let pair = Pair::new(tables.each_ref(), way, 0, bytes).flipped(flips);
        let kinds = [
            Approximation::new(f, biases, factors, bytes.zero_point),
            Approximation::proven(member, f, biases, factors, bytes.zero_point, &[pair]),
        ];
        found = kinds.iter().flatten().count();
        let scaled = |i: usize, x: u8| {
            let x = i32::from(x ^ flips[i]) + biases[i];
            if f == Combine::Mul { x } else { factors[i].apply(x) }
        };
        for (b, near) in (0..=255u8).flat_map(|b| kinds.iter().flatten().map(move |near| (b, near))) {
            let pair = pair.near(Some(*near));
            let (mut y, mut z) = ([0; 256], [0; 256]);
            for (b, y) in [(&[b][..], &mut y), (&[b; 256][..], &mut z)] {
                member.combined(f, &pair, [Source::of(&all), Source::of(b)], &mut Target::of(y));
            }
            for a in 0..=255u8 {
                let c = factors[2].apply(f.apply(scaled(0, a), scaled(1, b)));
                let want = c.saturating_add(bytes.zero_point).clamp(0, 255) as u8;
                let got = [y[usize::from(a)], z[usize::from(a)]];
                assert_eq!(got, [want; 2], "{} {f:?} of {a} and {b}, {scales:?} {near:?}", member.name);
            }
        }
    }
    found
}

#[test]
fn reals_give_the_same_bytes() {
    let mut random = Random::new(11);
    let (mut near, mut products) = (0, 0);
    for round in 0..80 {
        let mut scales = [0; 3].map(|_| {
            2f32.powi((random.next() % 4) as i32 - 6) * (1.0 + random.next() as f32 / (1u32 << 31) as f32)
        });
        let zero_points = [0; 3].map(|_| (random.next() % 256) as i32);
        let f = [Combine::Add, Combine::Sub, Combine::SubFrom, Combine::Mul][round % 4];
        let (down, flips) = (random.flip_coin(), [0; 2].map(|_| random.flip()));
        if f == Combine::Mul {
            scales[2] = scales[0] * scales[1] * (40 + random.next() % 400) as f32;
            products += check_near(f, scales, zero_points, down, flips);
        } else {
            near += check_near(f, scales, zero_points, down, flips);
        }
    }
    assert!(near > 105, "only {near} of 120 are computed as reals");
    assert!(products > 15, "only {products} of 20 products are computed as reals");
    // Half of all sums are halves.
    assert_eq!(check_near(Combine::Add, [0.5, 0.5, 1.0], [128, 128, 0], false, [0; 2]), 0);
    assert_eq!(check_near(Combine::Add, [0.5, 0.5, 0.5], [128, 128, 0], false, [0; 2]), 2);
}

proptest! {
    #[test]
    fn every_member_agrees_with_plain_code(n in 0usize..100, seed: u64) {
        for member in available(TABLE) {
            for (f, way) in Combine::ALL.into_iter().flat_map(|f| WAYS.map(|way| (f, way))) {
                check(member, f, n, seed, way);
            }
        }
    }
}
