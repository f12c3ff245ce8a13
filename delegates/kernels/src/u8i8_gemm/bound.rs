//! Copies of rows in which no sum of products saturates; see [`split`](super::split).

use core::arch::x86_64::*;
use core::mem::MaybeUninit;
use core::ops::Range;

use super::Product;

/// The size of a vector in bytes.
pub(super) const BYTES: usize = 32;
/// The largest sum of bytes whose products with any weights do not saturate.
const BOUND: i16 = 256;
/// The most corrections of a product.
pub(super) const CORRECTIONS: usize = 512;
/// The bytes of a row from which the mean is computed.
const SAMPLE: usize = 128;

/// How rows are multiplied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As words.
    Words,
    /// As bytes whose pairs are bounded.
    Pairs,
    /// As bytes whose fours are bounded.
    Fours,
}

/// The difference between a byte of a row and its copy.
#[derive(Clone, Copy)]
pub(super) struct Correction {
    pub(super) group: u32,
    pub(super) row: u8,
    /// Whether the byte is below the offset. Then the difference is subtracted.
    pub(super) is_below: bool,
    /// The difference, at the byte's place in its group.
    pub(super) four: u32,
}

/// Bounded copies of rows, one after the other, and their corrections.
pub(super) struct Copies<'r> {
    pub(super) bytes: &'r mut [MaybeUninit<u8>],
    pub(super) corrections: &'r mut [MaybeUninit<Correction>; CORRECTIONS],
    /// The number of corrections.
    pub(super) count: usize,
    /// The size of a row, rounded up to whole vectors.
    pub(super) pitch: usize,
    /// The number of groups of a row.
    pub(super) groups: usize,
    /// The number that is subtracted.
    pub(super) offset: u8,
}

impl Copies<'_> {
    /// Copies the rows, less the offset, with sums of pairs or fours that are at most [`BOUND`]. Returns false if this
    /// takes too many corrections.
    ///
    /// # Safety
    /// The product must meet the requirements of [`super::Gemm::multiply`]; have the rows, for which the copies must
    /// have room.
    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn bound<const FOURS: bool>(
        &mut self,
        p: &Product,
        rows: Range<usize>,
        offset: u8,
    ) -> bool {
        (self.offset, self.count) = (offset, 0);
        // SAFETY: rows and copies are as `# Safety` requires.
        rows.enumerate().all(|(r, row)| unsafe { self.bound_row::<FOURS>(p, row, r) })
    }

    /// Like [`bound`](Self::bound), for one row, which is copied to row `r`, after the rows before it.
    ///
    /// # Safety
    /// As for `bound`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn bound_row<const FOURS: bool>(&mut self, p: &Product, row: usize, r: usize) -> bool {
        let fill = _mm256_set1_epi8(self.offset as i8);
        let to: *mut u8 = self.bytes[r * self.pitch..][..self.pitch].as_mut_ptr().cast();
        // SAFETY: `k` bytes are readable for each tap and row. The copy has `pitch` bytes, whole vectors. Its last
        // vector is filled before bytes are copied there.
        unsafe {
            let (from, whole) =
                if p.taps == 1 { (row_of(p, 0, row), p.k / BYTES * BYTES) } else { (to.cast_const(), 0) };
            if whole < self.pitch {
                _mm256_storeu_si256(to.add(self.pitch - BYTES).cast(), fill);
            }
            if p.taps == 1 {
                copy_few(from.add(whole), to.add(whole), p.k - whole);
            } else {
                gather(p, row, to, self.offset);
            }
            for i in (0..self.pitch).step_by(BYTES) {
                let source = if i < whole { from.add(i) } else { to.cast_const().add(i) };
                let [kept, over, below] = keep::<FOURS>(_mm256_loadu_si256(source.cast()), fill);
                _mm256_storeu_si256(to.add(i).cast(), kept);
                let bad = _mm256_or_si256(over, below);
                if _mm256_testz_si256(bad, bad) == 0 {
                    let kept = &mut *to.add(i).cast::<[u8; BYTES]>();
                    self.correct::<FOURS>(r, i / 4, kept, [over, below]);
                    let most = 8 + (r * self.pitch + i) / if FOURS { 128 } else { 64 };
                    if self.count > most.min(CORRECTIONS - BYTES) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Makes the bytes of row `r` from `group` on meet the bound, and adds corrections for them and for bytes below the
    /// offset. There must be room for [`BYTES`] corrections.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn correct<const FOURS: bool>(
        &mut self,
        r: usize,
        group: usize,
        kept: &mut [u8; BYTES],
        [over, below]: [__m256i; 2],
    ) {
        let mut add = |i: usize, difference: u8, is_below: bool| {
            let (group, four) = ((group + i / 4) as u32, u32::from(difference) << (8 * (i % 4)));
            self.corrections[self.count].write(Correction { group, row: r as u8, is_below, four });
            self.count += 1;
        };
        let mut over = _mm256_movemask_epi8(over) as u32 & if FOURS { 0x0505_0505 } else { 0x5555_5555 };
        while over != 0 {
            let first = over.trailing_zeros() as usize;
            over &= over - 1;
            let together = [first, first + 1, first + 4, first + 5].map(|i| i % BYTES);
            let together = if FOURS { &together[..] } else { &together[..2] };
            let mut sum: i16 = together.iter().map(|&i| i16::from(kept[i])).sum();
            while sum > BOUND {
                let largest =
                    together.iter().copied().fold(first, |a, b| if kept[b] > kept[a] { b } else { a });
                let value = core::mem::take(&mut kept[largest]);
                add(largest, value, false);
                sum -= i16::from(value);
            }
        }
        let mut missing = [0u8; BYTES];
        // SAFETY: it has room for a vector.
        unsafe { _mm256_storeu_si256(missing.as_mut_ptr().cast(), below) };
        let mut below = !(_mm256_movemask_epi8(_mm256_cmpeq_epi8(below, _mm256_setzero_si256())) as u32);
        while below != 0 {
            let i = below.trailing_zeros() as usize;
            below &= below - 1;
            add(i, missing[i], true);
        }
    }
}

/// The address of a row of a tap.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`], and have the tap and the row.
#[inline(always)]
pub(super) unsafe fn row_of(p: &Product, tap: usize, r: usize) -> *const u8 {
    // SAFETY: there is a pointer per tap if rows are at steps, otherwise one per tap and row.
    unsafe { if p.step == 0 { *p.a.add(tap * p.rows + r) } else { (*p.a.add(tap)).wrapping_add(r * p.step) } }
}

/// The mean of some bytes of row `r`.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`] and have the row.
#[inline(always)]
pub(super) unsafe fn mean(p: &Product, r: usize) -> u8 {
    let n = p.k.min(SAMPLE);
    if n == 0 || p.taps == 0 {
        return 0;
    }
    // SAFETY: the first `n ≤ k` bytes of a row in the middle of the window are readable; the machine has the
    // instructions.
    unsafe {
        let row = row_of(p, p.taps / 2, r);
        if n < BYTES {
            let sum: usize = (0..n).map(|i| usize::from(*row.add(i))).sum();
            return (sum / n) as u8;
        }
        let mut sum = _mm256_setzero_si256();
        let vectors = n / BYTES;
        for i in 0..vectors {
            let bytes = _mm256_loadu_si256(row.add(i * BYTES).cast());
            sum = _mm256_add_epi64(sum, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
        }
        let halves = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let total = (_mm_cvtsi128_si64(halves) + _mm_extract_epi64::<1>(halves)) as usize;
        (total / (vectors * BYTES)) as u8
    }
}

/// Whether rows of a tap overlap or touch, and are looked at together. Two groups that are multiplied together stay
/// side by side.
#[inline(always)]
pub(super) fn touch(p: &Product) -> bool {
    p.step > 0 && p.step <= p.k && p.step.is_multiple_of(8)
}

/// Finds the fastest form whose bound these rows meet. The rows must have whole groups.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`] and have the rows, at least one.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn form_of(p: &Product, rows: Range<usize>) -> Form {
    let bound = _mm256_set1_epi16(BOUND);
    let mut fours = _mm256_setzero_si256();
    let (end, n) = match touch(p) {
        true => (rows.start + 1, (rows.len() - 1) * p.step + p.k),
        false => (rows.end, p.k),
    };
    for tap in 0..p.taps {
        for r in rows.start..end {
            // SAFETY: the row is readable for `k` bytes, as are the rows after it that overlap or touch.
            let largest = unsafe { Largest::of(row_of(p, tap, r), n) };
            let over = _mm256_cmpgt_epi16(largest.pair, bound);
            if _mm256_testz_si256(over, over) == 0 {
                return Form::Words;
            }
            fours = _mm256_max_epi16(fours, largest.four);
        }
    }
    let over = _mm256_cmpgt_epi16(fours, bound);
    if _mm256_testz_si256(over, over) == 0 { Form::Pairs } else { Form::Fours }
}

/// The largest sums of some bytes, by word.
struct Largest {
    /// Of two neighbours.
    pair: __m256i,
    /// Of the same two bytes of two neighbouring groups.
    four: __m256i,
}

impl Largest {
    /// Of `n` bytes, a multiple of four.
    ///
    /// # Safety
    /// The bytes must be readable.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn of(bytes: *const u8, n: usize) -> Largest {
        let mut largest = Largest { pair: _mm256_setzero_si256(), four: _mm256_setzero_si256() };
        // SAFETY: each vector is within the `n` bytes.
        unsafe {
            let mut i = 0;
            while i + 32 <= n {
                largest.add(_mm256_loadu_si256(bytes.add(i).cast()));
                i += 32;
            }
            if n & 16 != 0 {
                largest.add(_mm256_zextsi128_si256(_mm_loadu_si128(bytes.add(i).cast())));
                i += 16;
            }
            if n & 8 != 0 {
                largest.add(_mm256_zextsi128_si256(_mm_loadl_epi64(bytes.add(i).cast())));
                i += 8;
            }
            if n & 4 != 0 {
                let four = bytes.add(i).cast::<i32>().read_unaligned();
                largest.add(_mm256_zextsi128_si256(_mm_cvtsi32_si128(four)));
            }
        }
        largest
    }

    /// Takes more bytes into account, starting at an even group.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn add(&mut self, bytes: __m256i) {
        let pairs = _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
        self.pair = _mm256_max_epi16(self.pair, pairs);
        self.four = _mm256_max_epi16(self.four, _mm256_add_epi16(pairs, _mm256_srli_epi64::<32>(pairs)));
    }
}

/// Copies row `r` with consecutive taps, each filled up to whole groups with `fill`.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`]; there must be room at `to`.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn gather(p: &Product, r: usize, to: *mut u8, fill: u8) {
    let step = p.k.next_multiple_of(4);
    for tap in 0..p.taps {
        // SAFETY: `k` bytes are readable, and there is room for `step` bytes per tap.
        unsafe {
            let (from, to) = (row_of(p, tap, r), to.add(tap * step));
            let whole = p.k / BYTES * BYTES;
            for i in (0..whole).step_by(BYTES) {
                _mm256_storeu_si256(to.add(i).cast(), _mm256_loadu_si256(from.add(i).cast()));
            }
            copy_few(from.add(whole), to.add(whole), p.k - whole);
            for i in p.k..step {
                *to.add(i) = fill;
            }
        }
    }
}

/// Copies fewer than [`BYTES`] bytes.
///
/// # Safety
/// `from` must be readable and `to` writable for `n` bytes.
#[inline(always)]
unsafe fn copy_few(from: *const u8, to: *mut u8, n: usize) {
    /// Copies `n` bytes as the first and the last `T`, which may overlap.
    ///
    /// # Safety
    /// As for [`copy_few`], with room for a `T`.
    #[inline(always)]
    unsafe fn ends<T>(from: *const u8, to: *mut u8, n: usize) {
        let last = n - size_of::<T>();
        // SAFETY: both are within the `n` bytes.
        unsafe {
            let (a, b) = (from.cast::<T>().read_unaligned(), from.add(last).cast::<T>().read_unaligned());
            to.cast::<T>().write_unaligned(a);
            to.add(last).cast::<T>().write_unaligned(b);
        }
    }
    // SAFETY: `n` is at least the size of the type.
    unsafe {
        match n {
            16.. => ends::<u128>(from, to, n),
            8.. => ends::<u64>(from, to, n),
            4.. => ends::<u32>(from, to, n),
            2.. => ends::<u16>(from, to, n),
            1 => *to = *from,
            0 => {}
        }
    }
}

/// The bytes less the offset, at least 0; where a sum of them exceeds the bound; and how far bytes are below the
/// offset.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn keep<const FOURS: bool>(bytes: __m256i, offset: __m256i) -> [__m256i; 3] {
    let kept = _mm256_subs_epu8(bytes, offset);
    let mut sums = _mm256_maddubs_epi16(kept, _mm256_set1_epi8(1));
    if FOURS {
        // Words 0 and 1 of four become the sums of the four; the others get no larger than these.
        sums = _mm256_add_epi16(sums, _mm256_srli_epi64::<32>(sums));
    }
    [kept, _mm256_cmpgt_epi16(sums, _mm256_set1_epi16(BOUND)), _mm256_subs_epu8(offset, bytes)]
}
