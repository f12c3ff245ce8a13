//! Compares each member of the table with plain code.

use proptest::prelude::*;

use super::division;
use super::*;
use crate::family::available;
use crate::random::Random;
use crate::requantize::{Bytes, Channel, Channels};

/// Positions of the window, and bytes between them.
const POSITIONS: usize = 3;
const STEP: usize = 5;

fn check(member: &Pools, count: usize, n: usize, seed: u64, signed: bool) {
    let mut random = Random::new(seed);
    let mut byte = || random.next() as u8 | (seed % 2 * 0xF8) as u8;
    let len = n + (POSITIONS - 1) * STEP;
    let pixels: Vec<Vec<u8>> = (0..count).map(|_| (0..len).map(|_| byte()).collect()).collect();
    let pointers: Vec<*const u8> = pixels.iter().map(|pixel| pixel.as_ptr()).collect();
    let (low, high) = ((random.next() % 50) as u8, 255 - (random.next() % 50) as u8);
    let channel: Channel = division(count);
    let table = Channels::new(
        member.lanes,
        &vec![channel; member.lanes],
        Bytes { zero_point: 0, low, high, flip: 0 },
    );
    let middle = if signed && count.is_multiple_of(2) { 128 * count as i32 } else { 0 };
    let mean = Mean { table: table.block(0), middle };
    let flips = if signed { [0x80, 0x80] } else { [0, 0] };
    let (mut means, mut most) = (vec![7; POSITIONS * n + 1], vec![7; POSITIONS * n + 1]);
    let (positions, step, c) = (POSITIONS, STEP, means.as_mut_ptr());
    let window = Window { pixels: pointers.as_ptr(), count, positions, step, n, low, high, mean, flips, c };
    // SAFETY: the machine can run the member; the lengths match the vectors.
    unsafe {
        (member.mean)(&window);
        (member.largest)(&Window { c: most.as_mut_ptr(), ..window });
    }
    let offset = if signed { 128 } else { 0 };
    for (i, (at, c)) in (0..POSITIONS).flat_map(|p| (0..n).map(move |c| (p * STEP, c))).enumerate() {
        let column = || pixels.iter().map(|pixel| pixel[at + c]);
        let sum: i32 = column().map(|x| i32::from(x) - offset).sum();
        let half = count as i32 / 2;
        let mean = (sum + if sum > 0 { half } else { -half }) / count as i32 + offset;
        let mean = mean.clamp(low.into(), high.into());
        assert_eq!(i32::from(means[i]), mean, "{} {count} of {sum}", member.name);
        let largest = column().map(|x| x ^ flips[0]).max().unwrap().clamp(low, high) ^ flips[1];
        assert_eq!(most[i], largest, "{}", member.name);
    }
    assert_eq!((means[POSITIONS * n], most[POSITIONS * n]), (7, 7));
}

proptest! {
    #[test]
    fn every_member_agrees_with_plain_code(count in 1usize..300, n in 1usize..150, seed: u64, signed: bool) {
        for member in available(TABLE) {
            check(member, count, n, seed, signed);
        }
    }
}
