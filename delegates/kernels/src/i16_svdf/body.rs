//! The loops over filters and units. They are plain code, which the compiler turns into vectors for each instruction
//! set.

use core::slice::{from_raw_parts, from_raw_parts_mut};

use super::{Filters, Units};
use crate::simd::Simd;

/// # Safety
/// There must be `count` sums and biases, and `count` rows of `memory ≥ 1` weights; as many numbers of the state must
/// be readable and writable, and `count` results writable.
#[inline(always)]
pub(super) unsafe fn remember<S: Simd>(_: S, filters: &Filters) {
    let &Filters { count, memory, factor, new, bias, time, state, y } = filters;
    // SAFETY: all lists have the lengths that the caller guarantees, and only this call accesses the state and `y`.
    let (new, bias, time, state, y) = unsafe {
        let all = count * memory;
        let (new, bias) = (from_raw_parts(new, count), from_raw_parts(bias, count));
        let (state, y) = (from_raw_parts_mut(state, all), from_raw_parts_mut(y, count));
        (new, bias, from_raw_parts(time, all), state, y)
    };
    for (y, (new, bias)) in y.iter_mut().zip(new.iter().zip(bias)) {
        *y = factor.apply_lane(new.wrapping_add(*bias)).clamp(i16::MIN.into(), i16::MAX.into());
    }
    // All rows move by one number; the last number of each is written below.
    state.copy_within(state.len().min(1).., 0);
    match memory {
        8 => rows::<8>(time, state, y),
        10 => rows::<10>(time, state, y),
        _ => {
            for ((row, weights), y) in state.chunks_exact_mut(memory).zip(time.chunks_exact(memory)).zip(y) {
                *y = appended(row, weights, *y);
            }
        }
    }
}

/// Rows of `M` numbers, which is a common length.
#[inline(always)]
fn rows<const M: usize>(time: &[i16], state: &mut [i16], y: &mut [i32]) {
    let (rows, weights) = (state.as_chunks_mut::<M>().0, time.as_chunks::<M>().0);
    for ((row, weights), y) in rows.iter_mut().zip(weights).zip(y) {
        *y = appended(row, weights, *y);
    }
}

/// Writes the last number of a row, and returns the weighted sum.
#[inline(always)]
fn appended(row: &mut [i16], weights: &[i16], new: i32) -> i32 {
    if let Some(last) = row.last_mut() {
        *last = new as i16;
    }
    let products = row.iter().zip(weights).map(|(&m, &w)| i32::from(m) * i32::from(w));
    products.fold(0, |sum: i32, product| sum.wrapping_add(product))
}

/// # Safety
/// There must be `rank ≥ 1` sums per unit and a bias, unless `bias` is null; `y` must be writable for `count` bytes.
#[inline(always)]
pub(super) unsafe fn finish<S: Simd>(_: S, units: &Units) {
    let &Units { count, rank, factor, zero_point, sums, bias, y } = units;
    // SAFETY: all lists have the lengths that the caller guarantees, and only this call accesses `y`.
    let (sums, y) = unsafe { (from_raw_parts(sums, count * rank), from_raw_parts_mut(y, count)) };
    // SAFETY: a pointer that is not null has `count` biases, which the caller guarantees.
    let bias = if bias.is_null() { &[][..] } else { unsafe { from_raw_parts(bias, count) } };
    let byte = |sum: i32| {
        let scaled = factor.apply_lane(sum).wrapping_add(zero_point);
        (scaled.clamp(-128, 127) + 128) as u8
    };
    if rank == 1 && bias.len() == count {
        for (y, (sum, bias)) in y.iter_mut().zip(sums.iter().zip(bias)) {
            *y = byte(sum.wrapping_add(*bias));
        }
        return;
    }
    for (unit, (y, sums)) in y.iter_mut().zip(sums.chunks_exact(rank)).enumerate() {
        let bias = bias.get(unit).copied().unwrap_or(0);
        *y = byte(sums.iter().fold(bias, |all, &sum| all.wrapping_add(sum)));
    }
}
