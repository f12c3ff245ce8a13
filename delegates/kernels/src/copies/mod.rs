//! Copies of elements at fixed distances, and of rows.

mod body;

use arenite_base::Dim;
use arenite_base::memory::{Source, Target};

use crate::isa::Isa;
use crate::simd::*;

/// `(bytes, count, (from, step), (to, step))`: copies `count` rows of `bytes` bytes, which are `step` bytes apart on
/// each side. All rows must be readable in the source and writable in the target, and must not overlap.
pub type RowsFn = unsafe fn(usize, usize, (*const u8, isize), (*mut u8, isize));

/// The family for one instruction set. Its functions are unsafe to call: the machine must have the instructions.
#[non_exhaustive]
pub struct Copies {
    /// The name, such as `copies__avx2`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Copies rows at equal distances.
    pub rows: RowsFn,
    /// `(bytes, from, offsets, count, to)`: copies `count` rows of `bytes` bytes, which begin at these offsets from
    /// `from`, to consecutive rows. As for [`RowsFn`].
    gathered: unsafe fn(usize, *const u8, *const usize, usize, *mut u8),
    /// `(bytes, conditions, [a, b], count, to)`: copies `count` consecutive rows of `bytes` bytes, each from `a` if its
    /// condition is not zero, else from `b`. As for [`RowsFn`].
    selected: unsafe fn(usize, *const u8, [*const u8; 2], usize, *mut u8),
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Copies { name: $name, isa: $isa, rows, gathered, selected }
    };
}

family! {
    Copies: "copies" {
        fn rows(bytes: usize, count: usize, from: (*const u8, isize), to: (*mut u8, isize));
        fn gathered(bytes: usize, from: *const u8, offsets: *const usize, count: usize, to: *mut u8);
        fn selected(bytes: usize, conditions: *const u8, from: [*const u8; 2], count: usize, to: *mut u8);
    }
    vectors
}
member_of_table!(Copies);

impl Copies {
    /// Copies rows of `bytes` bytes that begin at these offsets to consecutive rows of `y`.
    ///
    /// # Panics
    /// If a row is not inside of `x`, or `y` is shorter than all rows.
    #[inline]
    pub fn gathered(&self, bytes: usize, x: Source<'_, u8>, offsets: &[usize], y: &mut Target<'_, u8>) {
        let Some(last) = offsets.iter().copied().reduce(usize::max) else { return };
        let first = offsets.iter().copied().fold(last, usize::min);
        let from = x.at(first, last - first + bytes).wrapping_sub(first);
        let to = y.at(0, offsets.len() * bytes);
        // SAFETY: the machine can run it; `at` checked the memory from the first row to the last, and all results.
        unsafe { (self.gathered)(bytes, from, offsets.as_ptr(), offsets.len(), to) }
    }

    /// Copies consecutive rows of `bytes` bytes to `y`, each from the first operand if its condition is not zero, else
    /// from the second one.
    ///
    /// # Panics
    /// If an operand or `y` is shorter than all rows.
    #[inline]
    pub fn selected(
        &self,
        bytes: usize,
        conditions: Source<'_, u8>,
        operands: [Source<'_, u8>; 2],
        y: &mut Target<'_, u8>,
    ) {
        let count = conditions.len();
        let (from, to) = (operands.map(|x| x.at(0, count * bytes)), y.at(0, count * bytes));
        // SAFETY: the machine can run it; `at` checked that all rows exist on both sides, and there are `count`
        // conditions.
        unsafe { (self.selected)(bytes, conditions.at(0, count), from, count, to) }
    }
}

/// Copies the elements of a run.
///
/// # Safety
/// All elements of the run must be aligned, and readable in the source and writable in the target.
pub unsafe fn strided<T: Copy>(dim: Dim, from: *const u8, to: *mut u8) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    for i in 0..dim.size as isize {
        // SAFETY: element `i` of the run, which is readable and writable, as `# Safety` requires.
        unsafe { *to.offset(i * dim.to) = *from.offset(i * dim.from) };
    }
}

/// Writes the same element `count` times, with a stride of `step` elements.
///
/// # Safety
/// All elements of the run must be aligned and writable.
pub unsafe fn filled<T: Copy>(count: usize, step: isize, element: &[u8; 16], to: *mut u8) {
    let to = to.cast::<T>();
    // SAFETY: `T` is an integer of at most 16 bytes, so `element` has enough bytes and any bits are valid.
    let element = unsafe { element.as_ptr().cast::<T>().read_unaligned() };
    for i in 0..count as isize {
        // SAFETY: element `i` of the run, which is writable, as `# Safety` requires.
        unsafe { *to.offset(i * step) = element };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::available;

    #[test]
    fn rows_of_any_length_are_copied_whole() {
        let from: Vec<u8> = (0..3 * 1100).map(|i| (i % 251) as u8).collect();
        for (bytes, copies) in (0..1100).flat_map(|bytes| available(TABLE).map(move |copies| (bytes, copies)))
        {
            let mut to = vec![0; 3 * 1101];
            // SAFETY: the machine can run the member; `from` and `to` have three rows of at least `bytes` bytes, with
            // strides of 1100 and 1101 bytes.
            unsafe { (copies.rows)(bytes, 3, (from.as_ptr(), 1100), (to.as_mut_ptr(), 1101)) };
            for r in 0..3 {
                let row = &to[r * 1101..(r + 1) * 1101];
                assert!(row[..bytes] == from[r * 1100..][..bytes], "{} {bytes}", copies.name);
                assert!(row[bytes..].iter().all(|&x| x == 0), "{} {bytes}", copies.name);
            }
            let offsets = [1100, 7, 7, 2000];
            let mut gathered = vec![0; 4 * bytes + 1];
            copies.gathered(bytes, Source::of(&from), &offsets, &mut Target::of(&mut gathered));
            for (r, offset) in offsets.into_iter().enumerate() {
                assert!(gathered[r * bytes..][..bytes] == from[offset..][..bytes], "{} {bytes}", copies.name);
            }
            assert_eq!(gathered[4 * bytes], 0, "{} {bytes}", copies.name);
            let operands = [Source::of(&from), Source::of(&from).part(1100, 2200)];
            let mut selected = vec![0; 2 * bytes + 1];
            copies.selected(bytes, Source::of(&[2, 0]), operands, &mut Target::of(&mut selected));
            assert!(selected[..bytes] == from[..bytes], "{} {bytes}", copies.name);
            assert!(selected[bytes..][..bytes] == from[1100 + bytes..][..bytes], "{} {bytes}", copies.name);
            assert_eq!(selected[2 * bytes], 0, "{} {bytes}", copies.name);
        }
    }

    #[test]
    #[should_panic(expected = "10 elements from 0 on, of 0..9")]
    fn listed_rows_are_checked() {
        let (from, mut to) = ([0; 9], [0; 6]);
        Copies::select(Isa::ALL).gathered(3, Source::of(&from), &[0, 7], &mut Target::of(&mut to));
    }
}
