//! Compares each member of the table with plain code.

use proptest::prelude::*;

use super::division;
use super::*;
use crate::family::available;
use crate::random::Random;
use crate::requantize::{Bytes, Channel, Channels};

fn check(member: &Pools, count: usize, n: usize, seed: u64, signed: bool) {
    let mut random = Random::new(seed);
    let pixels: Vec<Vec<u8>> =
        (0..count).map(|_| (0..n).map(|_| random.next() as u8 | (seed % 2 * 0xF8) as u8).collect()).collect();
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
    let (mut means, mut most) = (vec![7; n + 1], vec![7; n + 1]);
    let window = Window { pixels: pointers.as_ptr(), count, n, low, high, mean, c: means.as_mut_ptr() };
    // SAFETY: the machine can run the member; the lengths match the vectors.
    unsafe {
        (member.mean)(&window);
        (member.largest)(&Window { c: most.as_mut_ptr(), ..window });
    }
    let offset = if signed { 128 } else { 0 };
    for i in 0..n {
        let column = || pixels.iter().map(|pixel| pixel[i]);
        let sum: i32 = column().map(|x| i32::from(x) - offset).sum();
        let half = count as i32 / 2;
        let mean = (sum + if sum > 0 { half } else { -half }) / count as i32 + offset;
        assert_eq!(
            i32::from(means[i]),
            mean.clamp(low.into(), high.into()),
            "{} {count} of {sum}",
            member.name
        );
        assert_eq!(most[i], column().max().unwrap().clamp(low, high), "{}", member.name);
    }
    assert_eq!((means[n], most[n]), (7, 7));
}

proptest! {
    #[test]
    fn every_member_agrees_with_plain_code(count in 1usize..300, n in 1usize..150, seed: u64, signed: bool) {
        for member in available(TABLE) {
            check(member, count, n, seed, signed);
        }
    }
}
