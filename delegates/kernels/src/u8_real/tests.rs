//! Compares each member of the table with plain code.

use proptest::prelude::*;

use super::*;
use crate::family::available;
use crate::random::Random;
use crate::requantize::{Channel, Channels};

fn members() -> impl Iterator<Item = &'static Reals> {
    available(TABLE)
}

proptest! {
    #[test]
    fn reals_become_bytes(x in prop::collection::vec(-40.0f32..40.0, 0..100), factor in 0.1f32..20.0, zero in 0i32..256, signed: bool) {
        let mut x = x;
        let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30];
        x.iter_mut().zip(special).for_each(|(x, s)| *x = s);
        let bytes = Bytes { zero_point: zero, low: 0, high: 255, flip: if signed { 0x80 } else { 0 } };
        for member in members() {
            let mut y = vec![7; x.len() + 1];
            // SAFETY: the machine can run the member; the lengths match the vectors.
            unsafe { (member.quantize)(x.len(), x.as_ptr(), factor, &bytes, y.as_mut_ptr()) };
            for (&x, &y) in x.iter().zip(&y) {
                let steps = (x * factor).round_ties_even() as i32;
                prop_assert_eq!(i32::from(y ^ bytes.flip), steps.saturating_add(zero).clamp(0, 255), "{} {}", member.name, x);
            }
            prop_assert_eq!(y[x.len()], 7);
        }
    }

    #[test]
    fn positive_reals_become_bytes(x in prop::collection::vec(0.0f32..300.0, 0..60)) {
        let mut x = x;
        x.iter_mut().zip([0.5f32.next_down(), 0.5, 1.5, 254.5, 1e9]).for_each(|(x, s)| *x = s);
        for member in members() {
            for halves in [Halves::Up, Halves::Added] {
                let mut y = vec![7; x.len() + 1];
                // SAFETY: the machine can run the member; the lengths match the vectors.
                unsafe { (member.quantize_positive)(x.len(), x.as_ptr(), 1.0, halves, y.as_mut_ptr()) };
                for (&x, &y) in x.iter().zip(&y) {
                    let want = if halves == Halves::Up { x.round() } else { (x + 0.5).floor() };
                    prop_assert_eq!(f32::from(y), want.min(255.0), "{} {:?} {}", member.name, halves, x);
                }
                prop_assert_eq!(y[x.len()], 7);
            }
        }
    }

    #[test]
    fn ranges_hold_zero_and_skip_nan(x in prop::collection::vec(-40.0f32..40.0, 0..200), shift in -50.0f32..50.0, nan: bool) {
        let mut x: Vec<f32> = x.iter().map(|x| x + shift).collect();
        x.iter_mut().step_by(7).filter(|_| nan).for_each(|x| *x = f32::NAN);
        for member in members() {
            // SAFETY: the machine can run the member; the length matches the vector.
            let [low, high] = unsafe { (member.range)(x.len(), x.as_ptr()) };
            let want = x.iter().fold((0.0f32, 0.0f32), |(low, high), &x| (low.min(x), high.max(x)));
            prop_assert_eq!((low, high), want, "{}", member.name);
        }
    }

    #[test]
    fn halves_go_away_from_zero(x in prop::collection::vec(-300.0f32..300.0, 0..120), factor in 0.1f32..2.0, zero in 0i32..256) {
        let below = 0.5f32.next_down();
        let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, below, -below, 0.5, -0.5, 1.5, -1.5];
        let (mut x, len) = (x.clone(), x.len());
        let factor = if len % 3 == 0 { 1.0 } else { factor };
        x.iter_mut().zip(special).for_each(|(x, s)| *x = s);
        x.iter_mut().rev().zip(&special[5..]).for_each(|(x, s)| *x = *s);
        let bytes = Bytes { zero_point: zero, low: 1, high: 254, flip: 0 };
        for member in members() {
            let mut y = vec![7; len + 1];
            // SAFETY: the machine can run the member; the lengths match the vectors.
            unsafe { (member.quantize_away)(len, x.as_ptr(), factor, bytes, y.as_mut_ptr()) };
            for (i, (&x, &y)) in x.iter().zip(&y).enumerate() {
                let steps = x * factor;
                let half = if steps < 0.0 { -0.5 } else { 0.5 };
                let whole = if i < len & !7 { (steps + half) as i32 } else { steps.round() as i32 };
                prop_assert_eq!(i32::from(y), whole.saturating_add(zero).clamp(1, 254), "{} {}", member.name, x);
            }
            prop_assert_eq!(y[len], 7);
        }
    }

    #[test]
    fn bytes_become_reals(x: Vec<u8>, factor in 0.01f32..2.0, offset in -9.0f32..9.0, zero in 0i32..256, signed: bool) {
        let scale = Scale { flip: if signed { 0x80 } else { 0 }, zero_point: zero, factor, offset };
        for member in members() {
            let mut y = vec![7.0; x.len() + 1];
            // SAFETY: the machine can run the member; the lengths match the vectors.
            unsafe { (member.dequantize)(x.len(), x.as_ptr(), &scale, y.as_mut_ptr()) };
            for (&x, &y) in x.iter().zip(&y) {
                prop_assert_eq!(y, (i32::from(x ^ scale.flip) - zero) as f32 * factor + offset, "{}", member.name);
            }
            prop_assert_eq!(y[x.len()], 7.0);
        }
    }

    #[test]
    fn sums_become_bytes(n in 0usize..70, seed: u64, general: bool, one: bool) {
        let mut random = Random::new(seed);
        let x: Vec<i32> = (0..n).map(|_| random.next() as i32 % 4_000_000 - 2_000_000).collect();
        let bytes = Bytes { zero_point: (random.next() % 256) as i32, low: 3, high: 250, flip: 0 };
        for member in members() {
            let count = if one { member.lanes } else { n };
            let channel = random.channel(15, general);
            let channels: Vec<Channel> =
                (0..count).map(|_| if one { channel } else { random.channel(15, general) }).collect();
            let table = Channels::new(member.lanes, &channels, bytes);
            let step = if one { 0 } else { Channels::stride(member.lanes) };
            let mut y = vec![7; n + 1];
            if n > 0 {
                let table = (table.block(0), table.is_general);
                let sums = Sums { n, x: x.as_ptr(), table: table.0, step, is_general: table.1, bytes };
                // SAFETY: the machine can run the member; the lengths match the vectors.
                unsafe { (member.requantize)(&sums, y.as_mut_ptr()) };
            }
            for i in 0..n {
                let channel = channels[if one { 0 } else { i }];
                let scaled = channel.factor.apply(x[i] + channel.bias);
                prop_assert_eq!(y[i], scaled.saturating_add(bytes.zero_point).clamp(3, 250) as u8, "{}", member.name);
            }
            prop_assert_eq!(y[n], 7);
        }
    }
}
