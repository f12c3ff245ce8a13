//! Compares each member with [`Factor::apply`], for random factors and lengths.

use proptest::prelude::*;

use super::*;
use crate::family::available;
use crate::fixed_point::{Multiplier, Ties};
use crate::random::Random;

/// A factor of about `2^-most` to 1, of either rounding, shifted left by `left`.
fn factor(random: &mut Random, left: u32, most: u32) -> Factor {
    let value = (1 << 30) + (random.next() >> 2) as i32;
    let ties = if random.next().is_multiple_of(2) { Ties::Up } else { Ties::Away };
    Factor { left, ..Multiplier { value, shift: -((random.next() % most) as i32) }.factor(ties) }
}

/// A function in plain code.
type Plain = fn(i32, i32) -> i32;

proptest! {
    #[test]
    fn pairs_agree_with_plain_code(n in 0usize..70, seed: u64) {
        let mut random = Random::new(seed);
        let factors = [factor(&mut random, 15, 3), factor(&mut random, 15, 3), factor(&mut random, 0, 20)];
        let pair = Pair { factors, low: -30_000, high: 32_767 };
        let mut short = || random.next() as i16;
        let (a, b): (Vec<i16>, Vec<i16>) = (0..=n).map(|_| (short(), short())).unzip();
        let [fa, fb, fy] = factors;
        for member in available(TABLE) {
            let kernels: [(PairKernel, bool, Plain); 7] = [
                (member.add, true, i32::wrapping_add),
                (member.add_one, false, i32::wrapping_add),
                (member.sub, true, i32::wrapping_sub),
                (member.sub_one, false, i32::wrapping_sub),
                (member.sub_from_one, false, |a, b| b.wrapping_sub(a)),
                (member.mul, true, i32::wrapping_mul),
                (member.mul_one, false, i32::wrapping_mul),
            ];
            for (k, (kernel, many, f)) in kernels.into_iter().enumerate() {
                let mut y = vec![7i16; n + 1];
                // SAFETY: the machine can run the member; the lengths match the vectors.
                unsafe { kernel(&pair, n, a.as_ptr(), b.as_ptr(), y.as_mut_ptr()) };
                for i in 0..n {
                    let (x, z) = (i32::from(a[i]), i32::from(b[if many { i } else { 0 }]));
                    let both = if k < 5 { f(fa.apply(x), fb.apply(z)) } else { f(x, z) };
                    let want = fy.apply(both).clamp(-30_000, 32_767) as i16;
                    prop_assert_eq!(y[i], want, "{} kernel {} of {} and {}", member.name, k, x, z);
                }
                prop_assert_eq!(y[n], 7);
            }
        }
    }

    #[test]
    fn conversions_agree_with_plain_code(n in 0usize..70, seed: u64) {
        let mut random = Random::new(seed);
        let r = Rescale { from: 3, factor: factor(&mut random, 0, 20), to: -4, low: 0, high: 255 };
        let x: Vec<i32> = (0..=n).map(|_| random.next() as i32 >> (random.next() % 24)).collect();
        let shorts: Vec<i16> = x.iter().map(|&x| x as i16).collect();
        let bytes: Vec<u8> = x.iter().map(|&x| x as u8).collect();
        let want = |x: i32| r.factor.apply(x.wrapping_sub(3)).wrapping_sub(4).clamp(0, 255);
        for member in available(TABLE) {
            let mut short = [(); 3].map(|()| vec![7i16; n + 1]);
            let mut byte = [(); 2].map(|()| vec![7u8; n + 1]);
            // SAFETY: the machine can run the member; the lengths match the vectors.
            unsafe {
                (member.short_to_short)(&r, n, shorts.as_ptr(), short[0].as_mut_ptr());
                (member.byte_to_short)(&r, n, bytes.as_ptr(), short[1].as_mut_ptr());
                (member.whole_to_short)(&r, n, x.as_ptr(), short[2].as_mut_ptr());
                (member.short_to_byte)(&r, n, shorts.as_ptr(), byte[0].as_mut_ptr());
                (member.whole_to_byte)(&r, n, x.as_ptr(), byte[1].as_mut_ptr());
            }
            for i in 0..n {
                let wanted = [want(shorts[i].into()), want(bytes[i].into()), want(x[i])];
                prop_assert_eq!(short.each_ref().map(|y| i32::from(y[i])), wanted, "{}", member.name);
                let narrow = byte.each_ref().map(|y| i32::from(y[i]));
                prop_assert_eq!(narrow, [wanted[0], wanted[2]], "{}", member.name);
            }
            prop_assert!(short.iter().all(|y| y[n] == 7) && byte.iter().all(|y| y[n] == 7));
        }
    }
}

#[test]
fn reals_round_to_even_and_saturate() {
    let x = [
        0.5f32,
        1.5,
        -0.5,
        -2.5,
        1e9,
        -1e9,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        32766.5,
        -32768.5,
        3.25,
    ];
    let want = [0i16, 2, 0, -2, 32767, -32768, 0, 32767, -32768, 32766, -32768, 3];
    for member in available(TABLE) {
        let (mut y, mut z) = ([7i16; 12], [7f32; 12]);
        // SAFETY: the machine can run the member; the lengths match the arrays.
        unsafe {
            (member.quantize)(12, x.as_ptr(), 1.0, y.as_mut_ptr());
            (member.dequantize)(12, want.as_ptr(), 0.5, z.as_mut_ptr());
        }
        assert_eq!(y, want, "{}", member.name);
        assert_eq!(z, want.map(|x| f32::from(x) * 0.5), "{}", member.name);
    }
}
