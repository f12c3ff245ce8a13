//! Products of bytes with AVX2 and AVX-512. `vpmaddubsw` saturates sums of two products, so rows are bounded first.
//!
//! ```text
//! pairs:  a₀ + a₁ ≤ 256                three instructions for 32 products: vpmaddubsw, vpmaddwd, vpaddd
//! fours:  a₀ + a₁ + b₀ + b₁ ≤ 256      five for 64: two vpmaddubsw are added before they are widened
//!
//! row that meets a bound               in place: sum[j] = Σ row · w[j]
//! other row ─► row − offset, bounded, in a copy     + corrections: (group, byte, value)
//!              sum[j] = offset · Σ w[j] + Σ corrections · w[j] + Σ copy · w[j]
//! ```
//! With these bounds every sum of products is between −256 · 128 = −2¹⁵ and 256 · 127, whatever the weights are. The
//! copy has zero in place of bytes that would exceed the bound and of bytes below the offset; corrections add the
//! difference. The offset follows the mean of the rows. If a row needs too many corrections, the next bound or offset
//! is tried; after the last one, or where copies do not pay, words are multiplied: four instructions for 32 products.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::Product;
use super::bound::{BYTES, CORRECTIONS, Copies, Form, form_of, mean, touch};
use super::strip::{Functions, ROWS, RowsInPlace};

/// The most bytes of a row that is copied.
pub(super) const MOST: usize = 8192;
/// The most bytes of most rows.
const SHORT: usize = 1024;
/// The least number of bytes per tap that are looked at one row at a time.
const LOOKED_AT: usize = 16;
/// Rows that are multiplied as words after copies of the first of them took too many corrections.
const ALIKE: usize = 12;

/// Computes a product.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`].
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn multiply(p: &Product, f: &Functions) {
    // SAFETY: the product is as `# Safety` requires; rows that are multiplied in place meet the bound.
    unsafe {
        let looks = p.k.is_multiple_of(4) && (p.k >= LOOKED_AT || touch(p));
        let form = |rows| if looks { form_of(p, rows) } else { Form::Words };
        let all = form(0..p.rows);
        if p.rows <= ROWS || all == Form::Fours {
            return multiply_rows(p, 0..p.rows, all, f);
        }
        // A few rows that meet no bound slow down only themselves.
        let few = |first: usize| first..(first + ROWS).min(p.rows);
        let (mut first, mut next) = (0, form(few(0)));
        while first < p.rows {
            let (met, mut end) = (next, few(first).end);
            while end < p.rows {
                next = form(few(end));
                if next != met {
                    break;
                }
                end = few(end).end;
            }
            multiply_rows(p, first..end, met, f);
            first = end;
        }
    }
}

/// Computes rows of a product, in the given form or, if that is words, from copies where they pay.
///
/// # Safety
/// As for [`multiply`]; the product must have the rows, which must meet the bound of the form.
#[target_feature(enable = "avx2,fma")]
unsafe fn multiply_rows(p: &Product, rows: Range<usize>, form: Form, f: &Functions) {
    let row = p.taps * p.k.next_multiple_of(4);
    let pays = form == Form::Words && row <= MOST && f.copies.pays(row, p.columns);
    let (mut first, mut end) = (rows.start, rows.end);
    while first < rows.end {
        if pays {
            end = rows.end.min(first + ROWS);
            // SAFETY: the product has the rows, which fit.
            let done = unsafe {
                match row {
                    ..=SHORT => in_room::<{ ROWS * SHORT }>(p, first..end, f),
                    _ => in_room::<{ ROWS * MOST }>(p, first..end, f),
                }
            };
            if done {
                first = end;
                continue;
            }
            end = rows.end.min(first + ALIKE);
        }
        let from = RowsInPlace { first, ..RowsInPlace::of(p) };
        // SAFETY: the product and its rows are as `# Safety` requires.
        unsafe { from.multiply(&part(p, first..end), f.lanes, f.strips[form as usize]) };
        first = end;
    }
}

/// Restricts the results of a product to these rows. Its pointers stay the same: [`RowsInPlace`] selects the rows.
#[inline(always)]
fn part(p: &Product, rows: Range<usize>) -> Product {
    Product {
        rows: rows.len(),
        c: p.c.wrapping_add(rows.start * p.stride),
        results: p.results.after(rows.start),
        ..*p
    }
}

/// Computes rows of a product from copies, or returns false if words are faster.
///
/// # Safety
/// As for [`multiply`], with these rows: at most [`ROWS`], of at most `N / ROWS` bytes.
#[inline(never)] // The stack of long rows is only for these.
#[target_feature(enable = "avx2,fma")]
unsafe fn in_room<const N: usize>(p: &Product, rows: Range<usize>, f: &Functions) -> bool {
    #[repr(align(64))]
    struct Room<const N: usize>([MaybeUninit<u8>; N]);
    let mut bytes = Room([const { MaybeUninit::uninit() }; N]);
    let mut corrections = [const { MaybeUninit::uninit() }; CORRECTIONS];
    let groups = p.taps * p.k.div_ceil(4);
    let mut copies = Copies {
        bytes: &mut bytes.0,
        corrections: &mut corrections,
        count: 0,
        pitch: (4 * groups).next_multiple_of(BYTES),
        groups,
        offset: 0,
    };
    // SAFETY: rows are readable as `# Safety` requires. The copies have room for them: `N / ROWS` is a multiple of a
    // vector. Kernels run after a bound has succeeded.
    unsafe {
        let mean = mean(p, rows.end - 1);
        let (below, half) = (mean.saturating_sub(32), mean.saturating_sub(64));
        let mut fours = |offset| copies.bound::<true>(p, rows.clone(), offset);
        if mean <= 64 && fours(0) || below > 0 && fours(below) {
            copies.multiply(&part(p, rows), f, Form::Fours);
            return true;
        }
        let mut pairs = |offset| copies.bound::<false>(p, rows.clone(), offset);
        if pairs(half) || half > 0 && mean <= 100 && pairs(0) {
            copies.multiply(&part(p, rows), f, Form::Pairs);
            return true;
        }
    }
    false
}

impl Copies<'_> {
    /// Multiplies the copies with all panels.
    ///
    /// # Safety
    /// The product must meet the requirements of [`multiply`], and [`bound`](Self::bound) must have copied its rows.
    unsafe fn multiply(&self, p: &Product, f: &Functions, form: Form) {
        let first = self.bytes.as_ptr().cast::<u8>();
        let pointers: [*const u8; ROWS] = std::array::from_fn(|r| first.wrapping_add(r * self.pitch));
        let rows = RowsInPlace {
            a: pointers.as_ptr(),
            pitch: ROWS,
            first: 0,
            step: 0,
            taps: 1,
            k: 4 * self.groups,
            copies: Some(self),
        };
        // SAFETY: the copies have all groups of a row, which meet the bound; all else is as `# Safety` requires.
        unsafe { rows.multiply(p, f.lanes, f.strips[form as usize]) }
    }
}
