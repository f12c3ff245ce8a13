//! Plain loops, which the compiler vectorizes.

use crate::simd::Simd;

/// # Safety
/// The arguments must meet the requirements of [`super::Addition`].
#[inline(always)]
pub(super) unsafe fn add<S: Simd, T: Copy>(
    _: S,
    n: usize,
    (x, step): (*const T, usize),
    (offsets, count): (*const usize, usize),
    y: *mut T,
    plus: impl Fn(T, T) -> T,
) {
    for r in 0..count {
        // SAFETY: there are `count` offsets and as many rows, and a row has `n` elements on both sides. Sources and
        // targets do not overlap.
        let (x, y) = unsafe {
            let to = y.add(*offsets.add(r));
            (core::slice::from_raw_parts(x.add(r * step), n), core::slice::from_raw_parts_mut(to, n))
        };
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = plus(*y, x));
    }
}
