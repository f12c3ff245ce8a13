//! Copies of rows in which no sum of products saturates; see [`split`](super::split).

use core::mem::MaybeUninit;
use core::ops::Range;

use super::Product;
use super::bound::row_of;
use super::neighbours::Neighbours;

/// The most corrections of copies.
pub(super) const CORRECTIONS: usize = 1024;
/// The most rows of copies.
pub(super) const ROWS: usize = 32;

/// A byte or a group that a copy lacks.
#[derive(Clone, Copy)]
pub(super) struct Correction {
    pub(super) group: u16,
    pub(super) row: u8,
    /// Bytes at their places in the group; the others are zero.
    pub(super) four: u32,
}

/// Bounded copies of rows, in order, and their corrections.
pub(super) struct Copies<'r> {
    pub(super) bytes: &'r mut [MaybeUninit<u8>],
    pub(super) corrections: &'r mut [MaybeUninit<Correction>; CORRECTIONS],
    /// The number of corrections before each row.
    pub(super) before: [u16; ROWS + 1],
    /// The number that is added to the sums of each row.
    pub(super) terms: [i32; ROWS],
    /// The size of a row, rounded up to whole vectors.
    pub(super) pitch: usize,
    /// The number of groups of a row.
    pub(super) groups: usize,
    /// The number that is subtracted from bytes, which makes them signed; 0 if they stay unsigned.
    pub(super) offset: u8,
}

impl Copies<'_> {
    /// The corrections of `n` rows.
    #[inline(always)]
    pub(super) fn of_rows(&self, first: usize, n: usize) -> &[Correction] {
        let (from, to) = (self.before[first], self.before[first + n]);
        let corrections = &self.corrections[from.into()..to.into()];
        // SAFETY: the corrections before row `first + n` are written.
        unsafe { &*(core::ptr::from_ref(corrections) as *const [Correction]) }
    }

    /// Adds a correction of row `r`. There must be room.
    #[inline(always)]
    fn add(&mut self, r: usize, group: usize, four: u32) {
        let count = &mut self.before[r + 1];
        self.corrections[usize::from(*count)].write(Correction { group: group as u16, row: r as u8, four });
        *count += 1;
    }

    /// Takes bytes out of a vector of row `r`, starting at `group`, so that its sums meet the bound. There must be room
    /// for two corrections per byte.
    #[inline(always)]
    fn correct<S: Neighbours>(&mut self, r: usize, group: usize, vectors: Vectors<'_>, over: Over) {
        let Vectors { kept, source } = vectors;
        let Over { mut pairs, mut eights } = over;
        let four = |i: usize, byte: u8| u32::from(byte) << (8 * (i % 4));
        // A byte alone meets the bound, so it suffices to take one.
        while pairs != 0 {
            let first = (pairs.trailing_zeros() / S::BITS * 2) as usize % S::BYTES;
            pairs &= pairs - 1;
            if self.offset != 0 {
                for i in [first, first + 1] {
                    let saturated = i16::from(source[i]) - i16::from(self.offset) - i16::from(kept[i] as i8);
                    if saturated != 0 {
                        self.add(r, group + i / 4, four(i, saturated as u8));
                    }
                }
            }
            self.add(r, group + first / 4, four(first, core::mem::take(&mut kept[first])));
        }
        // The pairs of a group meet the bound, so it suffices to take a group.
        while eights != 0 {
            let second = (eights.trailing_zeros() / S::BITS * 2) as usize / 8 * 8 % S::BYTES + 4;
            eights &= eights - 1;
            let four: [u8; 4] = core::array::from_fn(|i| core::mem::take(&mut kept[second + i]));
            self.add(r, group + second / 4, u32::from_le_bytes(four));
        }
    }
}

/// The bytes of a vector.
struct Vectors<'v> {
    /// In the copy.
    kept: &'v mut [u8],
    /// In the row.
    source: &'v [u8],
}

/// Where sums of the bytes of a vector exceed the bound.
struct Over {
    /// As from [`Neighbours::over`] for pairs.
    pairs: u32,
    /// As from [`Neighbours::eights`].
    eights: u32,
}

/// Copies rows, so that sums of two bytes, or of four if `FOURS`, meet the bound. If `SIGNED`, the offset of the
/// copies, which must not be 0, is subtracted. Returns the number of rows before the first that takes too many
/// corrections.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`]; it must have the rows, at most [`ROWS`], for
/// which the copies must have room, in whole vectors.
#[inline(always)]
pub(super) unsafe fn bound<S: Neighbours, const SIGNED: bool, const FOURS: bool>(
    s: S,
    copies: &mut Copies<'_>,
    p: &Product,
    rows: Range<usize>,
) -> usize {
    for (r, row) in rows.clone().enumerate() {
        // SAFETY: as `# Safety` requires.
        if !unsafe { bound_row::<S, SIGNED, FOURS>(s, copies, p, row, r) } {
            return r;
        }
    }
    rows.len()
}

/// Like [`bound`], for one row, which is copied to row `r`.
///
/// # Safety
/// As for `bound`.
#[inline(always)]
unsafe fn bound_row<S: Neighbours, const SIGNED: bool, const FOURS: bool>(
    s: S,
    copies: &mut Copies<'_>,
    p: &Product,
    row: usize,
    r: usize,
) -> bool {
    let (offset, pitch) = (if SIGNED { copies.offset } else { 0 }, copies.pitch);
    let to: *mut u8 = copies.bytes[r * pitch..][..pitch].as_mut_ptr().cast();
    copies.before[r + 1] = copies.before[r];
    let mut total = s.splat_byte(0);
    // SAFETY: `k` bytes are readable for each tap and row, of which at most those are read. The copy has `pitch` bytes,
    // whole vectors.
    unsafe {
        let (from, n) = match p.taps {
            1 => (row_of(p, 0, row), p.k),
            _ => (gather(s, p, row, (to, pitch), offset).cast_const(), pitch),
        };
        for i in (0..pitch).step_by(S::BYTES) {
            let bytes = match n - i {
                left if left >= S::BYTES => s.load_bytes(from.add(i)),
                left => s.load_first_bytes(from.add(i), left, offset),
            };
            if SIGNED {
                total = s.total(total, bytes);
            }
            if !bound_vector::<S, SIGNED, FOURS>(s, copies, bytes, (to, i), r) {
                return false;
            }
        }
    }
    copies.terms[r] = match SIGNED {
        true => -128 * (s.sum_of_total(total) - i32::from(offset) * pitch as i32),
        false => 0,
    };
    true
}

/// Stores a vector of row `r` at byte `i` of its copy. Returns false if the copies have too many corrections.
///
/// # Safety
/// There must be room for a vector at that byte.
#[inline(always)]
unsafe fn bound_vector<S: Neighbours, const SIGNED: bool, const FOURS: bool>(
    s: S,
    copies: &mut Copies<'_>,
    bytes: S::B,
    (to, i): (*mut u8, usize),
    r: usize,
) -> bool {
    let kept = if SIGNED { s.signed(bytes, copies.offset) } else { bytes };
    // SAFETY: as `# Safety` requires.
    unsafe { s.store_bytes(to.add(i), kept) };
    let over = s.over::<SIGNED, FOURS>(kept);
    if over == 0 {
        return true;
    }
    let over = match FOURS {
        true => Over { pairs: s.over::<SIGNED, false>(kept), eights: S::eights(over) },
        false => Over { pairs: over, eights: 0 },
    };
    let mut source = MaybeUninit::<[u8; 64]>::uninit();
    // SAFETY: a vector has at most 64 bytes, which are written here and, of the copy, above.
    unsafe {
        s.store_bytes(source.as_mut_ptr().cast(), bytes);
        let source = core::slice::from_raw_parts(source.as_ptr().cast(), S::BYTES);
        let kept = core::slice::from_raw_parts_mut(to.add(i), S::BYTES);
        copies.correct::<S>(r, i / 4, Vectors { kept, source }, over);
    }
    let most = 16 + (r * copies.pitch + i) / if FOURS { 40 } else { 16 };
    usize::from(copies.before[r + 1]) <= most.min(CORRECTIONS - 2 * S::BYTES)
}

/// Copies a row with consecutive taps, each filled up to whole groups with `fill`, and the last one up to `pitch`
/// bytes. Returns the copy.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`]; there must be room for `pitch` bytes, whole
/// vectors.
#[inline(always)]
unsafe fn gather<S: Neighbours>(
    s: S,
    p: &Product,
    r: usize,
    (to, pitch): (*mut u8, usize),
    fill: u8,
) -> *mut u8 {
    let step = p.k.next_multiple_of(4);
    // SAFETY: the last vector is in the room.
    unsafe { s.store_bytes(to.add(pitch - S::BYTES), s.splat_byte(fill)) };
    for tap in 0..p.taps {
        // SAFETY: `k` bytes are readable, of which at most those are read. There is room for `step` bytes per tap; each
        // vector is before the end of the room, and the next tap replaces bytes past a tap.
        unsafe {
            let (from, at) = (row_of(p, tap, r), tap * step);
            for i in (0..p.k).step_by(S::BYTES) {
                let bytes = match p.k - i {
                    left if left >= S::BYTES => s.load_bytes(from.add(i)),
                    left => s.load_first_bytes(from.add(i), left, fill),
                };
                s.store_bytes_within(to.add(at + i), bytes, pitch - at - i);
            }
        }
    }
    to
}
