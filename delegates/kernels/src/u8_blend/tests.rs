//! Compares each member of the table with plain code, for all instruction sets of the machine.

use proptest::prelude::*;

use super::*;
use crate::blend::Column;
use crate::family::available;
use crate::random::Random;

/// The mean as the reference op computes it for unsigned bytes.
fn real([a, b, c, d]: [u8; 4], v: f32, u: f32) -> u8 {
    let sum = f32::from(a) * ((1.0 - v) * (1.0 - u))
        + f32::from(b) * ((1.0 - v) * u)
        + f32::from(c) * (v * (1.0 - u))
        + f32::from(d) * (v * u);
    (sum + 0.5) as u8
}

/// The mean as the reference op computes it for signed bytes, which are held 128 larger.
fn in_fixed_point(pixels: [u8; 4], v: i32, u: i32) -> u8 {
    let ([v, u], one) = ([v, u].map(i64::from), 1i64 << DIGITS);
    let [a, b, c, d] = pixels.map(|x| i64::from(x) - 128);
    let sum = a * (one - v) * (one - u) + b * (one - v) * u + c * v * (one - u) + d * v * u;
    let half = if sum > 0 { one * one / 2 } else { -(one * one / 2) };
    (((sum + half) / (one * one)).clamp(-128, 127) + 128) as u8
}

proptest! {
    #[test]
    fn every_member_agrees_with_plain_code(width in 1usize..6, count in 1usize..9, n in prop_oneof![1usize..70, 500usize..1100], seed: u64) {
        let mut random = Random::new(seed);
        // Few values, so that means are ties.
        let mask = if seed % 2 == 0 { 0xFF } else { 0xC1 };
        let pixels: Vec<u8> = (0..2 * width * n).map(|_| random.next() as u8 & mask).collect();
        let range = pixels.as_ptr_range();
        let mut columns = Vec::new();
        for _ in 0..count {
            let low = random.next() as usize % width;
            let high = (low + random.next() as usize % 2).min(width - 1);
            columns.push((low, high, random.next() as i32 & 0x3FF));
        }
        // Beyond the last pixel distances exceed one, and before the first they are negative.
        columns[0] = (0, 0, -(random.next() as i32 & 0x1FF));
        columns[count - 1] = (width - 1, width - 1, 1024 + (random.next() as i32 & 0x1FF));
        let v = random.next() as i32 & 0x3FF;
        let places = |(low, high, _): (usize, usize, i32)| (low * n, high * n);
        let fixed: Vec<Column<i32>> = columns.iter().map(|&column| {
            let (low, high) = places(column);
            Column { low, high, distance: column.2 }
        }).collect();
        let reals: Vec<Column<f32>> =
            fixed.iter().map(|c| Column { low: c.low, high: c.high, distance: c.distance as f32 / 1024.0 }).collect();
        for blend in available(TABLE) {
            let rows = [range.start, range.start.wrapping_add(width * n)];
            let [mut by_reals, mut by_fixed, mut by_rows] = [0; 3].map(|_| vec![7; count * n + 1]);
            let row = Row {
                rows, end: range.end, distance: v, columns: fixed.as_ptr(), count, n, c: by_fixed.as_mut_ptr(),
            };
            let real_v = v as f32 / 1024.0;
            let real_row = Row {
                rows, end: range.end, distance: real_v, columns: reals.as_ptr(), count, n, c: by_reals.as_mut_ptr(),
            };
            // SAFETY: the machine can run the member; the lengths match the vectors.
            unsafe {
                (blend.fixed)(&row);
                (blend.fixed_by_rows)(&Row { c: by_rows.as_mut_ptr(), ..row });
                (blend.reals)(&real_row);
            }
            for (x, column) in fixed.iter().enumerate() {
                for i in 0..n {
                    let at = |row: usize, place: usize| pixels[row * width * n + place + i];
                    let four = [at(0, column.low), at(0, column.high), at(1, column.low), at(1, column.high)];
                    prop_assert_eq!(by_fixed[x * n + i], in_fixed_point(four, v, column.distance), "{}", blend.name);
                    let want = real(four, real_v, reals[x].distance);
                    prop_assert_eq!(by_reals[x * n + i], want, "{}", blend.name);
                }
            }
            prop_assert_eq!(&by_rows, &by_fixed, "{}", blend.name);
            prop_assert_eq!((by_reals[count * n], by_fixed[count * n]), (7, 7));
        }
    }
}
