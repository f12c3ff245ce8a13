//! The loops, for any instruction set, whose vectors decide the size of the pieces of a row.

use core::hint::select_unpredictable;

use crate::simd::Simd;

/// # Safety
/// The arguments must meet the requirements of [`super::Copies`].
#[inline(always)]
pub(super) unsafe fn rows<S: Simd>(
    _: S,
    bytes: usize,
    count: usize,
    from: (*const u8, isize),
    to: (*mut u8, isize),
) {
    // SAFETY: row `r` is `r` steps from the first one, and there are `count`.
    unsafe {
        each_row::<S>(bytes, count, |r| {
            (from.0.wrapping_offset(r as isize * from.1), to.0.wrapping_offset(r as isize * to.1))
        });
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Copies`].
#[inline(always)]
pub(super) unsafe fn gathered<S: Simd>(
    _: S,
    bytes: usize,
    from: *const u8,
    offsets: *const usize,
    count: usize,
    to: *mut u8,
) {
    // SAFETY: there are `count` offsets, and `count` consecutive rows at `to`.
    unsafe { each_row::<S>(bytes, count, |r| (from.wrapping_add(*offsets.add(r)), to.add(r * bytes))) }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Copies`].
#[inline(always)]
pub(super) unsafe fn selected<S: Simd>(
    _: S,
    bytes: usize,
    conditions: *const u8,
    [a, b]: [*const u8; 2],
    count: usize,
    to: *mut u8,
) {
    // SAFETY: there are `count` conditions, and as many consecutive rows on both sides.
    unsafe {
        each_row::<S>(bytes, count, |r| {
            // Conditions are data: a branch would often be mispredicted.
            let from = select_unpredictable(*conditions.add(r) != 0, a, b);
            (from.add(r * bytes), to.add(r * bytes))
        });
    }
}

/// Copies `count` rows of `bytes` bytes, which `at` finds on both sides. Usual lengths have loops of their own.
///
/// # Safety
/// All rows must be readable in the source and writable in the target, without overlap.
#[inline(always)]
unsafe fn each_row<S: Simd>(bytes: usize, count: usize, at: impl Fn(usize) -> (*const u8, *mut u8)) {
    // SAFETY: rows have `bytes` bytes, as many as each arm copies.
    unsafe {
        match bytes {
            16 => each::<16>(count, at),
            32 => each::<32>(count, at),
            64 => each::<64>(count, at),
            128 => each::<128>(count, at),
            256 if S::LANES >= 8 => each::<256>(count, at),
            512 if S::LANES >= 16 => each::<512>(count, at),
            _ => (0..count).for_each(|r| {
                let (from, to) = at(r);
                any::<S>(bytes, from, to);
            }),
        }
    }
}

/// Copies `count` rows of `N` bytes.
///
/// # Safety
/// As for [`each_row`].
#[inline(always)]
unsafe fn each<const N: usize>(count: usize, at: impl Fn(usize) -> (*const u8, *mut u8)) {
    for r in 0..count {
        let (from, to) = at(r);
        // SAFETY: row `r` has `N` bytes on both sides.
        unsafe { from.copy_to_nonoverlapping(to, N) };
    }
}

/// Copies a row of any length; a short one without a call of `memcpy`.
///
/// # Safety
/// `bytes` bytes must be readable and writable, without overlap.
#[inline(always)]
unsafe fn any<S: Simd>(bytes: usize, from: *const u8, to: *mut u8) {
    // SAFETY: pieces are not longer than the row in which they are; each arm copies all of it.
    unsafe {
        match bytes {
            513..=4096 if S::LANES >= 16 => pieces::<64>(bytes, from, to),
            32..=512 if S::LANES >= 8 => pieces::<32>(bytes, from, to),
            16..=256 => pieces::<16>(bytes, from, to),
            8..16 => pieces::<8>(bytes, from, to),
            4..8 => pieces::<4>(bytes, from, to),
            2..4 => pieces::<2>(bytes, from, to),
            1 => *to = *from,
            _ => from.copy_to_nonoverlapping(to, bytes),
        }
    }
}

/// Copies pieces of `N` bytes. The last piece may overlap the previous one.
///
/// # Safety
/// `bytes` must be at least `N`. That number of bytes must be readable and writable, without overlap.
#[inline(always)]
unsafe fn pieces<const N: usize>(bytes: usize, from: *const u8, to: *mut u8) {
    // SAFETY: a piece begins at most at `bytes − N`.
    let copy = |at: usize| unsafe { from.add(at).copy_to_nonoverlapping(to.add(at), N) };
    (0..bytes / N).for_each(|i| copy(i * N));
    if !bytes.is_multiple_of(N) {
        copy(bytes - N);
    }
}
