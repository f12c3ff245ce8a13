//! The loops, for any instruction set.

use crate::simd::Simd;

/// # Safety
/// `x` must be readable for `n` elements in each of `rows` rows, `stride` apart. `y` must be writable for `n` elements.
#[inline(always)]
pub(super) unsafe fn columns<S: Simd>(
    s: S,
    rows: usize,
    stride: usize,
    n: usize,
    x: *const f32,
    y: *mut f32,
) {
    const WIDE: usize = 4;
    let mut j = 0;
    // SAFETY: only columns `j..n` are read, in rows below `rows`, and written: groups of vectors, then vectors, the
    // last of which may be shorter.
    unsafe {
        while j + WIDE * S::LANES <= n {
            let mut products = [s.splat(1.0); WIDE];
            for i in 0..rows {
                for (v, product) in products.iter_mut().enumerate() {
                    *product = s.mul(*product, s.load(x.add(i * stride + j + v * S::LANES)));
                }
            }
            for (v, product) in products.into_iter().enumerate() {
                s.store(y.add(j + v * S::LANES), product);
            }
            j += WIDE * S::LANES;
        }
        while j < n {
            let lanes = S::LANES.min(n - j);
            let mut product = s.splat(1.0);
            for i in 0..rows {
                product = s.mul(product, s.load_first(x.add(i * stride + j), lanes));
            }
            s.store_first(y.add(j), product, lanes);
            j += lanes;
        }
    }
}
