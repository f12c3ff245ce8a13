//! Which form of copies of rows takes least time; see [`split`](super::split).

use core::ops::Range;

use super::Product;
use super::bound::{Form, row_of, touch};
use super::neighbours::Neighbours;

/// The most bytes of rows that are looked at.
const SAMPLE: usize = 512;
/// The most rows among them, unless rows touch.
const ROWS: usize = 4;

/// The time of the products of eight bytes with a panel, for words.
const WORDS: u32 = 12;
/// For pairs.
const PAIRS: u32 = 8;
/// For fours.
const FOURS: u32 = 6;

/// A form, and its offset.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub(super) form: Form,
    pub(super) offset: u8,
}

/// The form of copies that takes least time for these rows and this number of panels, by a sample of their bytes:
/// words, if the rows are faster in place.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`] and have the rows, at least one, of at least one
/// byte.
#[inline(always)]
pub(super) unsafe fn choose<S: Neighbours>(s: S, p: &Product, rows: Range<usize>, panels: usize) -> Choice {
    let sample = Sample::of(p, rows);
    // SAFETY: as `# Safety` requires.
    let (offset, over) = unsafe {
        let offset = sample.mean(s, p).max(1);
        (offset, sample.over(s, p, offset))
    };
    let eights = (sample.rows * sample.bytes.div_ceil(8)) as u32;
    let forms = [Form::Fours, Form::SignedFours, Form::Pairs, Form::SignedPairs];
    let (panels, t) = (panels as u32, S::TIMES);
    let in_place = if over[2] == 0 { PAIRS } else { WORDS };
    let (mut best, mut least) = (Form::Words, eights * in_place * panels);
    for (form, over) in forms.into_iter().zip(over) {
        let products = eights * if form.is_fours() { FOURS } else { PAIRS } + over * t.add;
        let time = products * panels + eights * t.copy + over * t.find;
        if time < least {
            (best, least) = (form, time);
        }
    }
    Choice { form: best, offset: if best.is_signed() { offset } else { 0 } }
}

/// Bytes of some rows.
struct Sample {
    /// The first row.
    first: usize,
    rows: usize,
    /// The distance between rows.
    step: usize,
    /// The number of bytes of each row.
    bytes: usize,
}

impl Sample {
    /// Of these rows. Rows that touch are like one row.
    #[inline(always)]
    fn of(p: &Product, rows: Range<usize>) -> Sample {
        let (first, count) = (rows.start, rows.len());
        if touch(p) {
            let bytes = ((count - 1) * p.step + p.k).min(SAMPLE);
            return Sample { first, rows: 1, step: 1, bytes };
        }
        let rows = count.min(ROWS);
        Sample { first, rows, step: count / rows, bytes: p.k.min(SAMPLE / ROWS) }
    }

    /// The mean of the bytes.
    ///
    /// # Safety
    /// The product must meet the requirements of [`super::Gemm::multiply`] and have the rows.
    #[inline(always)]
    unsafe fn mean<S: Neighbours>(&self, s: S, p: &Product) -> u8 {
        let mut total = s.splat_byte(0);
        for r in 0..self.rows {
            for i in (0..self.bytes).step_by(S::BYTES) {
                // SAFETY: as `# Safety` requires.
                total = s.total(total, unsafe { self.vector(s, p, r, i, 0) });
            }
        }
        (s.sum_of_total(total) as usize / (self.rows * self.bytes)) as u8
    }

    /// The numbers of corrections for fours, signed fours, pairs and signed pairs.
    ///
    /// # Safety
    /// The product must meet the requirements of [`super::Gemm::multiply`] and have the rows.
    #[inline(always)]
    unsafe fn over<S: Neighbours>(&self, s: S, p: &Product, offset: u8) -> [u32; 4] {
        let mut over = [0; 4];
        for r in 0..self.rows {
            for i in (0..self.bytes).step_by(S::BYTES) {
                // SAFETY: as `# Safety` requires.
                let bytes = unsafe { self.vector(s, p, r, i, offset) };
                let signed = s.signed(bytes, offset);
                over[0] += S::eights(s.over::<false, true>(bytes)).count_ones();
                over[1] += S::eights(s.over::<true, true>(signed)).count_ones();
                over[2] += s.over::<false, false>(bytes).count_ones();
                over[3] += s.over::<true, false>(signed).count_ones();
            }
        }
        over
    }

    /// A vector of row `r` from byte `i` on. Past the end it has `fill`.
    ///
    /// # Safety
    /// The product must meet the requirements of [`super::Gemm::multiply`] and have the rows.
    #[inline(always)]
    unsafe fn vector<S: Neighbours>(&self, s: S, p: &Product, r: usize, i: usize, fill: u8) -> S::B {
        // SAFETY: the bytes of a row, or of rows that touch, are readable.
        unsafe {
            let row = row_of(p, p.taps / 2, self.first + r * self.step);
            match self.bytes - i {
                left if left >= S::BYTES => s.load_bytes(row.add(i)),
                left => s.load_first_bytes(row.add(i), left, fill),
            }
        }
    }
}
