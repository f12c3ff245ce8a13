//! Plain loops over keys, which the compiler vectorizes.

// Loops over chunks of constant length become vectors.
#![allow(clippy::needless_range_loop)]

use super::Matrix;
use crate::simd::Simd;

/// The number of columns that are searched together.
const COLUMNS: usize = 128;

/// An element with 32 bits.
pub(super) trait Keyed: Copy {
    /// Whether elements may be NaN. No number has the key `i32::MAX` or `i32::MIN` then.
    const MAY_BE_NAN: bool;
    /// An integer with the same order as numbers have, reversed if `flip` is −1; `nan` for NaN.
    fn key(self, flip: i32, nan: i32) -> i32;
}

impl Keyed for i32 {
    const MAY_BE_NAN: bool = false;

    #[inline(always)]
    fn key(self, flip: i32, _: i32) -> i32 {
        self ^ flip
    }
}

impl Keyed for f32 {
    const MAY_BE_NAN: bool = true;

    /// Adding 0 turns −0 into 0. The bits of negative numbers have the opposite order, except for the sign.
    #[inline(always)]
    fn key(self, flip: i32, nan: i32) -> i32 {
        let bits = (self + 0.0).to_bits() as i32;
        let key = bits ^ ((bits >> 31) as u32 >> 1) as i32 ^ flip;
        if self.is_nan() { nan } else { key }
    }
}

/// The largest key, and the place of the first element with it.
#[derive(Clone, Copy)]
struct Best {
    key: i32,
    place: u32,
}

/// The best of a row, where NaN wins. Each lane has the best of its elements. The last chunk overlaps the one before
/// it.
#[inline(always)]
fn best<T: Keyed, const WIDE: usize>(row: &[T], flip: i32) -> Best {
    let (chunks, rest) = row.as_chunks::<WIDE>();
    if chunks.is_empty() {
        return row.iter().enumerate().fold(Best { key: i32::MIN, place: 0 }, |best, (i, x)| {
            let key = x.key(flip, i32::MAX);
            if key > best.key { Best { key, place: i as u32 } } else { best }
        });
    }
    let mut lanes = Lanes { keys: [i32::MIN; WIDE], starts: [0; WIDE] };
    for c in 0..chunks.len() {
        lanes = lanes.with(&chunks[c], c * WIDE, flip);
    }
    if let Some(last) = row.last_chunk::<WIDE>().filter(|_| !rest.is_empty()) {
        lanes = lanes.with(last, row.len() - WIDE, flip);
    }
    let key = halved(lanes.keys, i32::max);
    let mut places = lanes.starts;
    for i in 0..WIDE {
        places[i] = if lanes.keys[i] == key { places[i] + i as u32 } else { u32::MAX };
    }
    Best { key, place: halved(places, u32::min) }
}

/// Joins the upper half of the lanes to the lower one until one lane is left.
#[inline(always)]
fn halved<T: Copy, const WIDE: usize>(mut lanes: [T; WIDE], join: impl Fn(T, T) -> T) -> T {
    let mut half = WIDE / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = join(lanes[i], lanes[i + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// In each lane, the largest key and the start of the first chunk with it.
#[derive(Clone, Copy)]
struct Lanes<const WIDE: usize> {
    keys: [i32; WIDE],
    starts: [u32; WIDE],
}

impl<const WIDE: usize> Lanes<WIDE> {
    #[inline(always)]
    fn with<T: Keyed>(mut self, chunk: &[T; WIDE], start: usize, flip: i32) -> Self {
        for i in 0..WIDE {
            let key = chunk[i].key(flip, i32::MAX);
            self.starts[i] = if key > self.keys[i] { start as u32 } else { self.starts[i] };
            self.keys[i] = self.keys[i].max(key);
        }
        self
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Places`].
#[inline(always)]
pub(super) unsafe fn in_rows<S: Simd, T: Keyed>(_: S, m: &Matrix<T>, y: *mut i32) {
    for r in 0..m.rows {
        // SAFETY: there are `rows` rows of `columns` readable elements, `step` apart, as `Places` requires.
        let row = unsafe { core::slice::from_raw_parts(m.from.add(r * m.step), m.columns) };
        let Best { key, place } = match S::LANES {
            ..16 => best::<T, 8>(row, m.flip),
            _ => best::<T, 16>(row, m.flip),
        };
        let is_odd = T::MAY_BE_NAN && key == i32::MAX;
        // SAFETY: there is a result for each row, as `Places` requires.
        unsafe { y.add(r).write(if is_odd { -1 } else { place as i32 }) };
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Places`].
#[inline(always)]
pub(super) unsafe fn in_columns<S, T: Keyed>(_: S, m: &Matrix<T>, y: *mut i32) {
    for from in (0..m.columns).step_by(COLUMNS) {
        let n = COLUMNS.min(m.columns - from);
        let (mut keys, mut places) = ([i32::MIN; COLUMNS], [0i32; COLUMNS]);
        for r in 0..m.rows {
            // SAFETY: `n ≤ columns − from` elements follow element `from` of the row, as `Places` requires.
            let row = unsafe { core::slice::from_raw_parts(m.from.add(r * m.step + from), n) };
            for ((best, place), x) in keys.iter_mut().zip(&mut places).zip(row) {
                let key = x.key(m.flip, i32::MIN);
                let is_better = key > *best;
                *best = if is_better { key } else { *best };
                *place = if is_better { r as i32 } else { *place };
            }
        }
        // SAFETY: `n` results are writable from `from`, as `Places` requires.
        unsafe { core::slice::from_raw_parts_mut(y.add(from), n) }.copy_from_slice(&places[..n]);
    }
}
