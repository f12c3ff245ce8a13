//! Products with AMX: tiles of 16 lines of 64 bytes.
//!
//! ```text
//! tmm4, tmm5   rows 0‥15 and 16‥31 of a, 64 bytes of each         directly from memory if rows are evenly spaced, otherwise
//!                                                                  from a copy with consecutive taps
//! tmm6, tmm7   16 groups of four lines of the panel's two vectors
//! tmm0 ‥ tmm3  sums: (rows 0‥15 | 16‥31) × (vector 0 | 1)
//! ```
//! Weights are packed as for AVX-512 VNNI; a group is a line of a tile. Panels have whole tiles, so that bytes read
//! past a row are multiplied by zero. While tiles are multiplied for one panel, vectors scale the sums of the previous
//! panel.

use std::arch::asm;
use std::arch::x86_64::{
    _mm_mask_storeu_epi8, _mm_maskz_loadu_epi8, _mm256_mask_storeu_epi8, _mm256_maskz_loadu_epi8,
    _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8,
};
use std::mem::MaybeUninit;

use super::product::LINE;
use super::{Extent, Product, ProductSizes, Results, ToBytes, ToReals};
use crate::requantize::{Bytes, Channels};
use crate::rescale::{RealChannels, rescale};
use crate::simd::{Avx512, Ints, Simd};

/// The number of rows of a tile register.
const HEIGHT: usize = 16;

/// The configuration that `ldtilecfg` reads: the palette, then for each of eight tiles the bytes of a line, at 16, and
/// the number of lines, at 48.
#[repr(C, align(64))]
struct Shapes([u8; 64]);

static FULL: Shapes = {
    let mut bytes = [0; 64];
    bytes[0] = 1;
    let mut tile = 0;
    while tile < 8 {
        bytes[16 + 2 * tile] = LINE as u8;
        bytes[48 + tile] = HEIGHT as u8;
        tile += 1;
    }
    Shapes(bytes)
};

/// Configures the shapes of this thread's tiles.
///
/// # Safety
/// The machine must have [`Isa::AMX`](crate::isa::Isa::AMX).
pub(super) unsafe fn enter() {
    // SAFETY: the machine has AMX and Linux permits its use, as `# Safety` requires; `FULL` is a valid configuration of
    // palette 1.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const FULL, options(nostack, readonly)) };
}

/// Releases this thread's tiles.
///
/// # Safety
/// The machine must have [`Isa::AMX`](crate::isa::Isa::AMX).
pub(super) unsafe fn leave() {
    // SAFETY: the machine has AMX, as `# Safety` requires.
    unsafe { asm!("tilerelease", options(nostack, nomem)) };
}

/// The most bytes of a row.
const MOST: usize = 5120;
/// From these numbers of multiply-adds per row and per layer, tiles are faster than vectors: measured on Sapphire
/// Rapids.
const LEAST_OF_ROW: usize = 6_000;
const LEAST_OF_LAYER: usize = 1_200_000;

/// Whether tiles are faster than vectors for a layer of these sizes. Fewer than 16 rows count as 16, so that layers of
/// one model with the same large matrix share its packed weights, whatever their number of rows.
pub(super) fn pays(sizes: &ProductSizes) -> bool {
    let of_row = sizes.taps * sizes.k * sizes.columns;
    let fits = sizes.taps * sizes.k.next_multiple_of(4) <= MOST;
    fits && of_row >= LEAST_OF_ROW && of_row.saturating_mul(sizes.rows.max(HEIGHT)) >= LEAST_OF_LAYER
}

/// The distance between steps of a copy, in lines.
const LINES: usize = 2 * HEIGHT;

/// A copy of rows of a: for each step, one line of each row.
#[repr(align(64))]
struct Copy(MaybeUninit<[u8; LINES * MOST]>);

/// The sums of two by two tiles.
#[repr(align(64))]
struct Sums(MaybeUninit<[i32; LINES * LINES]>);

/// The addresses of the lines of rows.
#[derive(Clone, Copy)]
struct Lines {
    /// The address of the line of row 0 in step 0.
    first: *const u8,
    /// The distance between rows, in bytes.
    row: usize,
    /// The distance between steps, in bytes.
    step: usize,
}

/// The sums of a panel, which must still be scaled.
#[derive(Clone, Copy)]
struct Panel {
    sums: *const i32,
    results: Results,
    c: *mut u8,
    columns: usize,
    /// The number of rows that are already scaled.
    done: usize,
}

macro_rules! load {
    ($tile:literal, $from:expr, $step:expr) => {
        asm!(
            concat!("tileloadd ", $tile, ", [{from} + {step}]"),
            from = in(reg) $from, step = in(reg) $step, options(nostack, readonly),
        )
    };
}

macro_rules! multiply {
    ($sums:literal, $a:literal, $b:literal) => {
        asm!(concat!("tdpbusd ", $sums, ", ", $a, ", ", $b), options(nostack, nomem))
    };
}

macro_rules! store {
    ($tile:literal, $to:expr) => {
        asm!(
            concat!("tilestored [{to} + {step}], ", $tile),
            to = in(reg) $to, step = in(reg) 2 * LINE, options(nostack),
        )
    };
}

/// Copies `n` bytes of each row, from byte `from`, to lines. The width of the vector is the least that has `n` bytes:
/// a wider one would cross into the next cache line.
///
/// # Safety
/// `n` is at least 1, and at most the width of the vector. Each row has `from + n` bytes, and each line room for `n`.
macro_rules! copy {
    ($name:ident, $mask:ty, $load:ident, $store:ident) => {
        #[inline(always)]
        unsafe fn $name(rows: *const *const u8, count: usize, from: usize, n: usize, to: *mut u8) {
            let mask = <$mask>::MAX >> (<$mask>::BITS as usize - n);
            for r in 0..count {
                // SAFETY: the mask selects `n` bytes, which the row has and for which the line has room, as `# Safety`
                // requires.
                unsafe {
                    let bytes = $load(mask, (*rows.add(r)).add(from).cast());
                    $store(to.add(r * LINE).cast(), mask, bytes);
                }
            }
        }
    };
}
copy!(copy_16, u16, _mm_maskz_loadu_epi8, _mm_mask_storeu_epi8);
copy!(copy_32, u32, _mm256_maskz_loadu_epi8, _mm256_mask_storeu_epi8);
copy!(copy_64, u64, _mm512_maskz_loadu_epi8, _mm512_mask_storeu_epi8);

/// Computes a product of at most 32 rows of at most [`MOST`] bytes.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`], and this thread must have called [`enter`].
#[inline(always)]
pub(super) unsafe fn multiply(s: Avx512, p: &Product) {
    let mut copy = Copy(MaybeUninit::uninit());
    // SAFETY: the thread's tiles are configured, and rows are readable, as `# Safety` requires. Rows have at most
    // `MOST` bytes, so the copy has room for them; `lines` come from `even` or `copy_rows`.
    unsafe {
        let lines = even(p).unwrap_or_else(|| copy_rows(p, copy.0.as_mut_ptr().cast()));
        match p.rows > HEIGHT {
            false => panels::<false>(s, p, lines),
            true => panels::<true>(s, p, lines),
        }
    }
}

/// The rows in place, if they are evenly spaced, fill tiles and may be read in whole lines. Not used for rows at
/// multiples of 2 KiB, which share few cache sets.
///
/// # Safety
/// The product must meet the requirements of [`multiply`].
unsafe fn even(p: &Product) -> Option<Lines> {
    if p.taps != 1 || p.reach < Extent::Lines || !(p.rows == HEIGHT || p.rows == LINES) {
        return None;
    }
    // SAFETY: there is a pointer for each row.
    let at = |r: usize| unsafe { *p.a.add(r) };
    let row = (at(1) as usize).wrapping_sub(at(0) as usize);
    let is_even = (2..p.rows).all(|r| at(r) == at(0).wrapping_add(r.wrapping_mul(row)));
    (is_even && row < 1 << 20 && !row.is_multiple_of(2048)).then_some(Lines { first: at(0), row, step: LINE })
}

/// Copies the rows with consecutive taps, each rounded up to a multiple of four bytes. The rest of the lines is not
/// changed.
///
/// # Safety
/// The product must meet the requirements of [`multiply`], and the copy must have room for it.
#[inline(always)]
unsafe fn copy_rows(p: &Product, copy: *mut u8) -> Lines {
    let stride = p.k.next_multiple_of(4);
    for tap in 0..p.taps {
        let (mut at, mut from) = (tap * stride, 0);
        while from < p.k {
            let n = (LINE - at % LINE).min(p.k - from);
            // SAFETY: `from + n` is at most `k`, so `n` bytes of each row are readable, and lines have room for them,
            // as `# Safety` requires.
            unsafe {
                let to = copy.add(at / LINE * LINES * LINE + at % LINE);
                let rows = p.a.add(tap * p.rows);
                match n {
                    1..=16 => copy_16(rows, p.rows, from, n, to),
                    17..=32 => copy_32(rows, p.rows, from, n, to),
                    _ => copy_64(rows, p.rows, from, n, to),
                }
            }
            (at, from) = (at + n, from + n);
        }
    }
    Lines { first: copy, row: LINE, step: LINES * LINE }
}

/// Computes all panels. `BOTH` if there are more than 16 rows.
///
/// # Safety
/// The product must meet the requirements of [`multiply`].
#[inline(always)]
unsafe fn panels<const BOTH: bool>(s: Avx512, p: &Product, lines: Lines) {
    let mut sums = [const { Sums(MaybeUninit::uninit()) }; 2];
    let steps = (p.taps * p.k.div_ceil(4)).div_ceil(HEIGHT);
    let mut before: Option<Panel> = None;
    let (mut column, mut turn) = (0, 0);
    // SAFETY: a panel has `steps` tiles per vector, so the panel of `column` starts at `column · steps · LINE`. The two
    // buffers of sums are used alternately, and the results have all `columns`.
    unsafe {
        while column < p.columns {
            let left = p.columns - column;
            let weights = p.weights.add(column * steps * LINE);
            let sums: *mut i32 = sums[turn].0.as_mut_ptr().cast();
            if left > Avx512::LANES {
                panel::<BOTH, 2>(s, p, lines, (weights, steps), &mut before, sums);
            } else {
                panel::<BOTH, 1>(s, p, lines, (weights, steps), &mut before, sums);
            }
            let columns = left.min(2 * Avx512::LANES);
            let results = p.results.from(column / Avx512::LANES, Avx512::LANES);
            before = Some(Panel { sums, results, c: p.c.add(column * results.size()), columns, done: 0 });
            (column, turn) = (column + columns, 1 - turn);
        }
        if let Some(mut last) = before {
            scale_rows(s, p, &mut last, p.rows);
        }
    }
}

/// Computes the sums of a panel of `V` vectors, and scales the sums of the previous panel.
///
/// # Safety
/// The product must meet the requirements of [`multiply`]. The panel must have `steps` tiles per vector, and `sums`
/// room for its sums.
#[inline(always)]
unsafe fn panel<const BOTH: bool, const V: usize>(
    s: Avx512,
    p: &Product,
    lines: Lines,
    (weights, steps): (*const u8, usize),
    before: &mut Option<Panel>,
    sums: *mut i32,
) {
    let share = p.rows.div_ceil(steps.max(1));
    // SAFETY: `# Safety` requires configured tiles, lines and weights for each step, and 2 by 2 tiles in `sums`.
    unsafe {
        asm!("tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3", options(nostack, nomem));
        for step in 0..steps {
            let a = lines.first.wrapping_add(step * lines.step);
            let w = weights.add(step * HEIGHT * V * LINE);
            load!("tmm6", w, V * LINE);
            load!("tmm4", a, lines.row);
            multiply!("tmm0", "tmm4", "tmm6");
            if V > 1 {
                load!("tmm7", w.add(LINE), V * LINE);
                multiply!("tmm1", "tmm4", "tmm7");
            }
            if BOTH {
                load!("tmm5", a.wrapping_add(HEIGHT * lines.row), lines.row);
                multiply!("tmm2", "tmm5", "tmm6");
                if V > 1 {
                    multiply!("tmm3", "tmm5", "tmm7");
                }
            }
            if let Some(panel) = before {
                scale_rows(s, p, panel, (panel.done + share).min(p.rows));
            }
        }
        if let Some(panel) = before {
            scale_rows(s, p, panel, p.rows);
        }
        let sums = sums.cast::<u8>();
        store!("tmm0", sums);
        if V > 1 {
            store!("tmm1", sums.add(LINE));
        }
        if BOTH {
            store!("tmm2", sums.add(HEIGHT * 2 * LINE));
            if V > 1 {
                store!("tmm3", sums.add(HEIGHT * 2 * LINE + LINE));
            }
        }
    }
}

/// Scales and writes the rows of a panel up to `end`.
///
/// # Safety
/// The panel's sums must be stored, and its results writable.
#[inline(always)]
unsafe fn scale_rows(s: Avx512, p: &Product, panel: &mut Panel, end: usize) {
    for r in panel.done..end {
        // SAFETY: `done..end` are rows of the panel, whose sums are stored. Each has room for `columns` results, and
        // the channels and row terms that its kind of results needs.
        unsafe {
            match &panel.results {
                Results::Bytes(to) if !to.is_far => bytes_of_row::<true>(s, p, panel, to, r),
                Results::Bytes(to) => bytes_of_row::<false>(s, p, panel, to, r),
                Results::Reals(to) => reals_of_row(s, p, panel, to, r),
                Results::Sums => {
                    let (from, to) = (panel.sums.add(r * LINES), panel.c.add(r * p.stride).cast());
                    from.copy_to_nonoverlapping(to, panel.columns);
                }
            }
        }
    }
    panel.done = end;
}

/// # Safety
/// The arguments must meet the requirements of [`scale_rows`].
#[inline(always)]
unsafe fn bytes_of_row<const GENERAL: bool>(s: Avx512, p: &Product, panel: &Panel, to: &ToBytes, r: usize) {
    let lanes = Avx512::LANES;
    let zero_point = s.splat_i32(to.bytes.zero_point);
    let bytes = if GENERAL { Bytes { zero_point: 0, ..to.bytes } } else { to.bytes };
    // SAFETY: there is a block per vector and a term per row, and `columns` bytes per row are writable.
    unsafe {
        let term = s.splat_i32(if to.row_terms.is_null() { 0 } else { *to.row_terms.add(r) });
        let sums = panel.sums.add(r * LINES);
        let start = s.add_i32(s.load_i32(to.channels.cast()), term);
        let mut row = [s.requantize::<GENERAL, GENERAL>(s.add_i32(s.load_i32(sums), start), to.channels); 2];
        if panel.columns > lanes {
            let block = to.channels.add(Channels::stride(lanes));
            let start = s.add_i32(s.load_i32(block.cast()), term);
            row[1] = s.requantize::<GENERAL, GENERAL>(s.add_i32(s.load_i32(sums.add(lanes)), start), block);
        }
        if GENERAL {
            row = [s.add_i32(row[0], zero_point), s.add_i32(row[1], zero_point)];
        }
        s.narrow(&row, &bytes, panel.c.add(r * p.stride), panel.columns);
    }
}

/// # Safety
/// The arguments must meet the requirements of [`scale_rows`].
#[inline(always)]
unsafe fn reals_of_row(s: Avx512, p: &Product, panel: &Panel, to: &ToReals, r: usize) {
    let lanes = Avx512::LANES;
    // SAFETY: there is a block per vector and a quantized row per row, and `columns` reals per row are writable.
    unsafe {
        let (row, c) = (*to.rows.add(r), panel.c.add(r * p.stride).cast::<f32>());
        for column in (0..panel.columns).step_by(lanes) {
            let block = to.channels.add(column / lanes * RealChannels::stride(lanes));
            let sums = s.load_i32(panel.sums.add(r * LINES + column));
            let real = rescale(s, sums, block, row, to.limits);
            s.store_first(c.add(column), real, lanes.min(panel.columns - column));
        }
    }
}
