//! Products of bytes with AVX2 and AVX-512. `vpmaddubsw` saturates sums of two products, so rows are bounded first.
//!
//! ```text
//! pairs:  a₀ + a₁ ≤ 256                three instructions for 32 products: vpmaddubsw, vpmaddwd, vpaddd
//! fours:  a₀ + a₁ + b₀ + b₁ ≤ 256      five for 64: two vpmaddubsw are added before they are widened
//! signed: s = a − offset; the sums of the positive and of the negative of these are between −128 and 128
//!
//! row that meets a bound      in place: sum[j] = Σ a · w[j]
//! other row ─► bounded copy ┬ unsigned: sum[j] = Σ copy · w[j] + Σ corrections · w[j]
//!                           └ signed:   sum[j] = Σ copy · (w[j] + 128) + Σ corrections · (w[j] + 128)
//!                                                − 128 · Σ s + offset · Σ w[j]
//! ```
//! Unsigned rows are multiplied by signed weights: with these bounds, a sum of products is between −256 · 128 and
//! 256 · 127, whatever the weights are. Signed rows are multiplied by unsigned weights w + 128: a sum is between
//! −128 · 255 and 128 · 255. The copy has zero in place of bytes that would exceed the bound; a correction (group,
//! bytes) adds their products. The offset is the mean of some bytes. Bytes near zero take few corrections if they are
//! unsigned, others if they are signed: `choice` counts these in a sample. If a row needs too many corrections, or
//! copies do not pay, words are multiplied: four instructions for 32 products.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::Product;
use super::bound::{Form, form_of, touch};
use super::choice::Choice;
use super::copies::{CORRECTIONS, Copies, ROWS as MOST_ROWS};
use super::strip::{Functions, ROWS, RowsInPlace};

/// The size of copies in bytes.
const ROOM: usize = 1 << 15;
/// The most bytes of a row that is copied.
pub(super) const MOST: usize = ROOM / ROWS;
/// The least number of bytes per tap that are looked at one row at a time.
const LOOKED_AT: usize = 16;
/// Computes a product.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`].
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn multiply(p: &Product, f: &Functions) {
    let row = p.taps * p.k.next_multiple_of(4);
    let copies = row <= MOST && f.copies.pays(row, p.columns);
    // SAFETY: the product is as `# Safety` requires; rows that are multiplied in place meet the bound.
    unsafe {
        let all = form(p, 0..p.rows);
        // Looking for the best form takes longer than the products of a few rows.
        if all == Form::Fours || all == Form::Pairs && p.rows <= ROWS {
            in_place(p, 0..p.rows, all, f);
        } else if copies {
            copied(p, f);
        } else if p.rows <= ROWS {
            in_place(p, 0..p.rows, all, f);
        } else {
            by_few(p, 0..p.rows, f);
        }
    }
}

/// The form of rows that are multiplied in place.
///
/// # Safety
/// As for [`multiply`]; the product must have the rows, at least one.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn form(p: &Product, rows: Range<usize>) -> Form {
    let looks = p.k.is_multiple_of(4) && (p.k >= LOOKED_AT || touch(p));
    // SAFETY: as `# Safety` requires; the rows have whole groups.
    if looks { unsafe { form_of(p, rows) } } else { Form::Words }
}

/// Computes rows in place. A few rows that meet no bound slow down only themselves.
///
/// # Safety
/// As for [`multiply`]; the product must have the rows, at least one.
#[target_feature(enable = "avx2,fma")]
unsafe fn by_few(p: &Product, rows: Range<usize>, f: &Functions) {
    let few = |first: usize| first..(first + ROWS).min(rows.end);
    // SAFETY: the product is as `# Safety` requires; the rows meet the bound of their form.
    unsafe {
        let (mut first, mut next) = (rows.start, form(p, few(rows.start)));
        while first < rows.end {
            let (met, mut end) = (next, few(first).end);
            while end < rows.end {
                next = form(p, few(end));
                if next != met {
                    break;
                }
                end = few(end).end;
            }
            in_place(p, first..end, met, f);
            first = end;
        }
    }
}

/// Computes rows of a product where they are.
///
/// # Safety
/// As for [`multiply`]; the product must have the rows, which must meet the bound of the form.
#[target_feature(enable = "avx2,fma")]
unsafe fn in_place(p: &Product, rows: Range<usize>, form: Form, f: &Functions) {
    let from = RowsInPlace { first: rows.start, form, ..RowsInPlace::of(p) };
    // SAFETY: the product and its rows are as `# Safety` requires.
    unsafe { from.multiply(&part(p, rows), f.lanes, f.strips) }
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

/// Computes a product from copies, or in place where these take too many corrections.
///
/// # Safety
/// As for [`multiply`], with rows of at most [`MOST`] bytes, at least one.
#[inline(never)] // The stack is only for copies.
#[target_feature(enable = "avx2,fma")]
unsafe fn copied(p: &Product, f: &Functions) {
    #[repr(align(64))]
    struct Room([MaybeUninit<u8>; ROOM]);
    let mut bytes = Room([const { MaybeUninit::uninit() }; ROOM]);
    let mut corrections = [const { MaybeUninit::uninit() }; CORRECTIONS];
    let groups = p.taps * p.k.div_ceil(4);
    let pitch = (4 * groups).next_multiple_of(f.pitch);
    let mut copies = Copies {
        bytes: &mut bytes.0,
        corrections: &mut corrections,
        before: [0; MOST_ROWS + 1],
        terms: [0; MOST_ROWS],
        pitch,
        groups,
        offset: 0,
    };
    let most = (ROOM / pitch / ROWS * ROWS).min(MOST_ROWS);
    let mut first = 0;
    while first < p.rows {
        let end = p.rows.min(first + most);
        // SAFETY: the product has the rows, which are as `# Safety` requires. The copies have room for them: `MOST` is
        // a multiple of a vector.
        unsafe {
            let done = copies.multiply(p, first..end, f);
            first += done;
            if done == 0 {
                by_few(p, first..end, f);
                first = end;
            }
        }
    }
}

impl Copies<'_> {
    /// Multiplies the first of these rows with all panels. Returns their number, 0 if they are faster in place.
    ///
    /// # Safety
    /// The product must meet the requirements of [`multiply`], and the copies must have room for the rows.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn multiply(&mut self, p: &Product, rows: Range<usize>, f: &Functions) -> usize {
        // SAFETY: as `# Safety` requires; the copies have the rows that are done, which meet the bound.
        unsafe {
            let panels = p.columns.div_ceil(f.strips.len() * f.lanes);
            let Choice { form, offset } = (f.choose)(p, rows.clone(), panels);
            if form == Form::Words {
                return 0;
            }
            self.offset = offset;
            let done = f.bound[form as usize - 1](self, p, rows.clone());
            let done = if done == rows.len() { done } else { done / ROWS * ROWS };
            if done > 0 {
                self.multiply_copies(&part(p, rows.start..rows.start + done), f, form);
            }
            done
        }
    }

    /// Multiplies copies with all panels.
    ///
    /// # Safety
    /// The product must meet the requirements of [`multiply`]; its rows must be the first of the copies.
    unsafe fn multiply_copies(&self, p: &Product, f: &Functions, form: Form) {
        let first = self.bytes.as_ptr().cast::<u8>();
        let rows = RowsInPlace {
            a: &raw const first,
            pitch: 1,
            first: 0,
            step: self.pitch,
            taps: 1,
            k: 4 * self.groups,
            form,
            copies: Some(self),
        };
        // SAFETY: the copies have all groups of a row, which meet the bound; all else is as `# Safety` requires.
        unsafe { rows.multiply(p, f.lanes, f.strips) }
    }
}
