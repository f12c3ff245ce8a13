//! The loop over the cells of a row. It is plain code on arrays of [`LANES`] elements, which the compiler turns into
//! vectors for each instruction set.

// Loops over lanes, which all arrays have.
#![allow(clippy::needless_range_loop)]

use super::{LANES, Row};
use crate::fixed_point::q15::{self, IntegerBits};
use crate::simd::Simd;

/// Gates before their activation, and cells.
type Lanes = [i16; LANES];

#[inline(always)]
fn saturated(x: i32) -> i16 {
    x.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// `a · b / 2^n`, ties away from zero, for `n < 32`; the low 16 bits.
#[inline(always)]
fn product(a: i16, b: i16, n: u32) -> i16 {
    let x = i32::from(a) * i32::from(b);
    let mask = ((1i64 << n) - 1) as i32;
    ((x >> n) + i32::from((x & mask) > (mask >> 1) + i32::from(x < 0))) as i16
}

/// `n ≤ LANES` elements; the others are 0.
///
/// # Safety
/// `n` elements must be readable.
#[inline(always)]
unsafe fn load<T: Copy + Default>(p: *const T, n: usize) -> [T; LANES] {
    // SAFETY: `LANES` elements are readable if `n` is that many, otherwise only `n` are read.
    unsafe {
        if n == LANES {
            return p.cast::<[T; LANES]>().read_unaligned();
        }
        let mut lanes = [T::default(); LANES];
        core::ptr::copy_nonoverlapping(p, lanes.as_mut_ptr(), n);
        lanes
    }
}

/// Writes the first `n ≤ LANES` elements.
///
/// # Safety
/// `n` elements must be writable.
#[inline(always)]
unsafe fn store<T: Copy>(p: *mut T, lanes: [T; LANES], n: usize) {
    // SAFETY: only `n` elements are written.
    unsafe {
        match n {
            LANES => p.cast::<[T; LANES]>().write_unaligned(lanes),
            _ => core::ptr::copy_nonoverlapping(lanes.as_ptr(), p, n),
        }
    }
}

/// Gate `k` of cells `j..j + n`, before its activation.
///
/// # Safety
/// The row must have sums and biases for all gates and cells.
#[inline(always)]
unsafe fn sum(row: &Row<'_>, k: usize, j: usize, n: usize) -> Lanes {
    let factors = &row.form.gates[k];
    // SAFETY: elements `k · row.n + j..` of gate `k`, of which the row has `n`.
    let [[a, of_a], [b, of_b]] = row.sums.map(|pair| pair.map(|p| unsafe { load(p.add(k * row.n + j), n) }));
    let mut to = [0; LANES];
    for l in 0..LANES {
        let seen = saturated(factors.input.apply_lane(a[l].wrapping_add(of_a[l])));
        let sum = factors.output.apply_lane(b[l].wrapping_add(of_b[l]));
        to[l] = saturated(sum.saturating_add(seen.into()));
    }
    to
}

#[inline(always)]
fn logistic(mut x: Lanes) -> Lanes {
    for l in 0..LANES {
        x[l] = q15::logistic(x[l]);
    }
    x
}

#[inline(always)]
fn tanh(mut x: Lanes, of: &IntegerBits) -> Lanes {
    for l in 0..LANES {
        x[l] = q15::tanh(x[l], of);
    }
    x
}

/// # Safety
/// All gates must have sums and biases for `n` cells; `cell` must be readable, and `cell` and `y` writable, for `n`
/// elements.
#[inline(always)]
pub(super) unsafe fn row<S: Simd>(_: S, row: &Row<'_>) {
    const GATE_BITS: IntegerBits = IntegerBits::new(4);
    let form = row.form;
    let forget = form.gates.len() - 3;
    for j in (0..row.n).step_by(LANES) {
        let n = LANES.min(row.n - j);
        let mut gates = [[0; LANES]; 4];
        for (k, gate) in gates.iter_mut().enumerate().take(forget + 3) {
            // SAFETY: cells `j..j + n` are below `row.n`, and the form has gate `k`.
            let sums = unsafe { sum(row, k, j, n) };
            *gate = if k == forget + 1 { tanh(sums, &GATE_BITS) } else { logistic(sums) };
        }
        // SAFETY: as for the sums.
        let mut cell = unsafe { load(row.cell.add(j), n) };
        let (kept, candidate, output) = (gates[forget], gates[forget + 1], gates[forget + 2]);
        let new = if forget == 1 { gates[0] } else { kept.map(|f| i16::MAX.wrapping_sub(f)) };
        for l in 0..LANES {
            let kept = product(kept[l], cell[l], 15);
            cell[l] = kept.saturating_add(product(new[l], candidate[l], form.new_shift));
        }
        if form.clip > 0 {
            cell = cell.map(|c| c.clamp(-form.clip, form.clip));
        }
        let activated = tanh(cell, &form.cell_bits);
        let mut y = [0u8; LANES];
        for l in 0..LANES {
            let scaled = form.result.apply_lane(i32::from(output[l]) * i32::from(activated[l]));
            y[l] = (scaled.wrapping_add(form.zero_point).clamp(-128, 127) + 128) as u8;
        }
        // SAFETY: as for the sums.
        unsafe {
            store(row.cell.add(j), cell, n);
            store(row.y.add(j), y, n);
        }
    }
}
