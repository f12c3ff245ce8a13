//! Compares each member of the table with plain code, for random lengths and factors.

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
    // SAFETY: the machine can run the member; the lengths match the vectors.
    unsafe {
        member.with_many(f)(&pair, n, a.as_ptr(), b.as_ptr(), y.as_mut_ptr());
        member.with_one(f)(&pair, n, a.as_ptr(), b.as_ptr(), z.as_mut_ptr());
    }
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

/// Sums and differences of all pairs of bytes with these scales, as the CPU delegate computes them. Returns whether the
/// results are computed as reals.
fn check_near(f: Combine, scales: [f32; 3], zero_points: [i32; 3], down: bool) -> bool {
    let [a, b, y] = scales.map(f64::from);
    let twice = 2.0 * a.max(b);
    let operand = |scale: f64| {
        let m = Multiplier::from_real(scale / twice).unwrap();
        let once =
            Factor { left: 20, value: m.value, rounding: 1 << 30, shift: 31 + m.right(), is_away: false };
        if down { once } else { Factor { left: 20, ..m.factor(Ties::Away) } }.without_left()
    };
    let Some(m) = Multiplier::from_real(twice / (f64::from(1 << 20) * y)).filter(|m| m.shift <= 0) else {
        return false;
    };
    let (factors, biases) =
        ([operand(a), operand(b), m.factor(Ties::Away)], [-zero_points[0], -zero_points[1]]);
    let bytes = Bytes { zero_point: zero_points[2], low: 0, high: 255, flip: 0 };
    let near = Approximation::new(f, biases, factors, bytes.zero_point);
    let all: Vec<u8> = (0..=255).collect();
    let way = if factors[..2].iter().any(|f| f.is_away || f.left > 0) { Way::General } else { Way::Plain };
    for member in available(TABLE) {
        let table = |bias, factor| {
            Channels::new(member.lanes, &[Channel { bias, factor }; 16][..member.lanes], bytes)
        };
        let tables = [table(biases[0], factors[0]), table(biases[1], factors[1]), table(0, factors[2])];
        let pair = Pair::new(tables.each_ref(), way, 0, bytes).near(near);
        for b in 0..=255u8 {
            let (mut y, mut z) = ([0; 256], [0; 256]);
            // SAFETY: the machine can run the member; all have 256 bytes.
            unsafe {
                member.with_one(f)(&pair, 256, all.as_ptr(), &b, y.as_mut_ptr());
                member.with_many(f)(&pair, 256, all.as_ptr(), [b; 256].as_ptr(), z.as_mut_ptr());
            }
            let scaled = |i: usize, x: u8| factors[i].apply(i32::from(x) + biases[i]);
            for a in 0..=255u8 {
                let c = factors[2].apply(f.apply(scaled(0, a), scaled(1, b)));
                let want = c.saturating_add(bytes.zero_point).clamp(0, 255) as u8;
                let got = [y[usize::from(a)], z[usize::from(a)]];
                assert_eq!(got, [want; 2], "{} {f:?} of {a} and {b}, {scales:?} {near:?}", member.name);
            }
        }
    }
    near.is_some()
}

#[test]
fn reals_give_the_same_bytes() {
    let mut random = Random::new(11);
    let mut near = 0;
    for round in 0..60 {
        let scales = [0; 3].map(|_| {
            2f32.powi((random.next() % 5) as i32 - 6) * (1.0 + (random.next() % 1000) as f32 / 1000.0)
        });
        let zero_points = [0; 3].map(|_| (random.next() % 256) as i32);
        let f = [Combine::Add, Combine::Sub, Combine::SubFrom][round % 3];
        near += usize::from(check_near(f, scales, zero_points, random.flip_coin()));
    }
    assert!(near > 40, "only {near} of 60 are computed as reals");
    // Half of all sums are halves.
    assert!(!check_near(Combine::Add, [0.5, 0.5, 1.0], [128, 128, 0], false));
    assert!(check_near(Combine::Add, [0.5, 0.5, 0.5], [128, 128, 0], false));
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
