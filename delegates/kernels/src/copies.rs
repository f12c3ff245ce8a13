//! Copies of elements at fixed distances.

use arenite_base::Dim;

/// The length in bytes up to which a row is copied without calling `memcpy`.
const SHORT: usize = 256;

/// Copies `count` rows of `bytes` bytes. The distance between rows is `from_step` bytes in the source and `to_step` in
/// the target.
///
/// # Safety
/// All rows must be readable in the source and writable in the target, and must not overlap.
pub unsafe fn copy_rows(
    bytes: usize,
    count: usize,
    (from, from_step): (*const u8, isize),
    (to, to_step): (*mut u8, isize),
) {
    for r in 0..count as isize {
        let (from, to) = (from.wrapping_offset(r * from_step), to.wrapping_offset(r * to_step));
        // SAFETY: row `r` has `bytes` bytes on both sides; each way to copy accesses only these.
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

/// Copies pieces of the size of `T`. The last piece may overlap the previous one.
///
/// # Safety
/// `bytes` must be at least `size_of::<T>()`. That number of bytes must be readable and writable, without overlap.
#[inline(always)]
unsafe fn copy_in<T: Copy>(bytes: usize, from: *const u8, to: *mut u8) {
    let copy = |at: usize| {
        // SAFETY: `at` is at most `bytes − size_of::<T>()`, so the piece is within the bytes that are readable and
        // writable.
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

    #[test]
    fn rows_of_any_length_are_copied_whole() {
        let from: Vec<u8> = (0..3 * 600).map(|i| (i % 251) as u8).collect();
        for bytes in 0..600 {
            let mut to = vec![0; 3 * 601];
            // SAFETY: `from` and `to` have three rows of at least `bytes` bytes, with strides of 600 and 601 bytes.
            unsafe { copy_rows(bytes, 3, (from.as_ptr(), 600), (to.as_mut_ptr(), 601)) };
            for r in 0..3 {
                let row = &to[r * 601..(r + 1) * 601];
                assert_eq!(row[..bytes], from[r * 600..][..bytes]);
                assert!(row[bytes..].iter().all(|&x| x == 0), "{bytes}");
            }
        }
    }
}
