//! Copies of elements at steps.

use arenite_layers::ops::moves::Dim;

/// Bytes of a row that are copied without a call.
const SHORT: usize = 256;

/// Copies `count` rows of `bytes` bytes, each a step from the last.
///
/// # Safety
/// All of them are readable and writable, and apart.
pub unsafe fn copy_rows(
    bytes: usize,
    count: usize,
    (from, from_step): (*const u8, isize),
    (to, to_step): (*mut u8, isize),
) {
    for r in 0..count as isize {
        let (from, to) = (from.wrapping_offset(r * from_step), to.wrapping_offset(r * to_step));
        // SAFETY: `bytes` from the beginning of row `r` on both sides; each way to copy touches no others.
        unsafe {
            match bytes {
                16..=SHORT => copy_in::<u128>(bytes, from, to),
                8..16 => copy_in::<u64>(bytes, from, to),
                4..8 => copy_in::<u32>(bytes, from, to),
                _ => std::ptr::copy_nonoverlapping(from, to, bytes),
            }
        }
    }
}

/// Copies in pieces of the size of `T`, of which the last one may overlap the one before.
///
/// # Safety
/// `bytes`, at least one piece, are readable and writable, and apart.
#[inline(always)]
unsafe fn copy_in<T: Copy>(bytes: usize, from: *const u8, to: *mut u8) {
    let copy = |at: usize| {
        // SAFETY: `at` is at most `bytes` less a piece, so the piece lies inside of what is readable and writable.
        unsafe { to.add(at).cast::<T>().write_unaligned(from.add(at).cast::<T>().read_unaligned()) }
    };
    (0..bytes / size_of::<T>()).for_each(|i| copy(i * size_of::<T>()));
    if !bytes.is_multiple_of(size_of::<T>()) {
        copy(bytes - size_of::<T>());
    }
}

/// Copies the elements of a run.
///
/// # Safety
/// All of them are readable and writable, and aligned.
pub unsafe fn strided<T: Copy>(dim: Dim, from: *const u8, to: *mut u8) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    for i in 0..dim.size as isize {
        // SAFETY: element `i` of the run, on both sides.
        unsafe { *to.offset(i * dim.to) = *from.offset(i * dim.from) };
    }
}

/// Writes `count` times the same element, at steps.
///
/// # Safety
/// All of them are writable, and aligned.
pub unsafe fn filled<T: Copy>(count: usize, step: isize, element: &[u8; 16], to: *mut u8) {
    let to = to.cast::<T>();
    // SAFETY: `T` is a whole number of at most 16 bytes.
    let element = unsafe { element.as_ptr().cast::<T>().read_unaligned() };
    for i in 0..count as isize {
        // SAFETY: element `i` of the run.
        unsafe { *to.offset(i * step) = element };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_any_length_are_copied_whole() {
        let from: Vec<u8> = (0..3 * 600).map(|i| (i % 251) as u8).collect();
        for bytes in 0..600 {
            let mut to = vec![0; 3 * 601];
            // SAFETY: three rows of at most 600 bytes.
            unsafe { copy_rows(bytes, 3, (from.as_ptr(), 600), (to.as_mut_ptr(), 601)) };
            for r in 0..3 {
                let row = &to[r * 601..(r + 1) * 601];
                assert_eq!(row[..bytes], from[r * 600..][..bytes]);
                assert!(row[bytes..].iter().all(|&x| x == 0), "{bytes}");
            }
        }
    }
}
