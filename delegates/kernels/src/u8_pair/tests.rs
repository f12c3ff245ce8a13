//! Compares each member of the table with plain code, for random lengths and factors.

use proptest::prelude::*;

use super::*;
use crate::family::available;
use crate::fixed_point::Factor;
use crate::random::Random;
use crate::requantize::{Channel, Channels};

const WAYS: [Way; 3] = [Way::Shift, Way::Plain, Way::General];

fn check(member: &Pairs, f: Combine, n: usize, seed: u64, way: Way) {
    let general = way == Way::General;
    let mut random = Random::new(seed);
    let bytes = Bytes { zero_point: (random.next() % 256) as i32, low: 5, high: 240 };
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
    let pair = Pair::new(tables.each_ref(), way, 14, bytes);
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
            let c = y_way.factor.apply(f.apply(scaled(a_way, a[i]), scaled(b_way, b)));
            let want = c.saturating_add(bytes.zero_point).clamp(5, 240) as u8;
            assert_eq!(got, want, "{} {f:?} of {} and {b}", member.name, a[i]);
        }
    }
    assert_eq!((y[n], z[n]), (7, 7));
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
