//! Ranges of elements, in arithmetic that does not wrap.

use std::ops::Range;

/// Panics unless elements `first..first + len` are in the range.
#[inline(always)]
pub(super) fn check(range: Range<usize>, first: usize, len: usize) {
    if first < range.start || first > range.end || len > range.end - first {
        refuse(range.start, range.end, first, len);
    }
}

/// The index after `len` elements that start at `first`.
#[inline(always)]
pub(super) fn end_of(first: usize, len: usize) -> usize {
    first.checked_add(len).unwrap_or_else(|| refuse(0, len, first, len))
}

/// How many elements `rows` rows of `columns` span, each `stride` behind the one before. If that is more than can be
/// counted, it is `usize::MAX`, which [`Source::at`](super::Source::at) and [`Target::at`](super::Target::at) refuse:
/// no memory has as many.
#[inline(always)]
pub fn span([rows, stride, columns]: [usize; 3]) -> usize {
    let Some(before) = rows.checked_sub(1) else { return 0 };
    before.checked_mul(stride).and_then(|before| before.checked_add(columns)).unwrap_or(usize::MAX)
}

/// Kept out of line, so that the hot path only has the comparisons.
#[cold]
#[inline(never)]
fn refuse(start: usize, end: usize, first: usize, len: usize) -> ! {
    std::panic::panic_any(format!("{len} elements from {first} on, of {start}..{end}"))
}

/// Converts the range `start..end` of elements `T` to the elements `U` that fit into it. `start` must be at the start
/// of an element `U`.
pub(super) fn recount<T, U>(start: usize, end: usize) -> (usize, usize) {
    let (from, to) = (size_of::<T>(), size_of::<U>());
    let bytes = start.checked_mul(from).zip(end.checked_mul(from)).filter(|(start, _)| start % to == 0);
    let Some((start, end)) = bytes else {
        std::panic::panic_any(format!("elements {start}..{end} of {from} bytes as elements of {to} bytes"))
    };
    (start / to, end / to)
}
