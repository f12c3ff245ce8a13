//! The loops, for any instruction set.

use crate::simd::Simd;

/// Rows that are multiplied side by side, which hides the latency of each product.
const TOGETHER: usize = 8;

/// # Safety
/// `x` must be readable for `n` elements in each of `count` rows, and `y` writable for `count` elements.
#[inline(always)]
pub(super) unsafe fn rows<S: Simd>(_: S, count: usize, n: usize, x: *const f32, y: *mut f32) {
    let whole = count - count % TOGETHER;
    // SAFETY: rows `i` to `i + TOGETHER` are among the `count` rows, and so are the rest.
    unsafe {
        for i in (0..whole).step_by(TOGETHER) {
            let mut products = [1.0f32; TOGETHER];
            for k in 0..n {
                for (r, product) in products.iter_mut().enumerate() {
                    *product *= *x.add((i + r) * n + k);
                }
            }
            y.add(i).cast::<[f32; TOGETHER]>().write_unaligned(products);
        }
        for i in whole..count {
            *y.add(i) = (0..n).fold(1.0, |product, k| product * *x.add(i * n + k));
        }
    }
}

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
    // SAFETY: only columns `j..n` are read, in rows below `rows`, and written: groups of vectors, then vectors, the last
    // of which may be shorter.
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
