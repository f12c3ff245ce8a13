//! Phases of a transposed convolution: results that are computed from the same taps.
//!
//! ```text
//! y[p] = Σ x[i] · w[k]   over  i · stride + k − before = p
//! phase r = (p + before) mod stride:   k = r + stride · j,   i = (p + before) / stride − j
//! ```
//! Results of a phase are `stride` pixels apart. If all phases of a row have the same number of taps at the same
//! positions, they are computed as one, with `stride` times as many columns. Phases without taps consist of the bias.
//! They share one form. If there are many, all pixels between the taps of two periods form one run. So the number of
//! phases is at most the number of taps plus the square root of the columns, for any stride.

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_layers::{Axis, Window};
use bytemuck::Pod;

use crate::memory::Source;

/// Most taps of a phase.
pub(crate) const MAX_TAPS: usize = 64;

/// The common properties of phases with equal weights. None depends on the size of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// Taps, along both axes.
    pub taps: [usize; 2],
    /// The filter's row and column of the first tap.
    pub first: [usize; 2],
    /// Adjacent pixels that are computed as one result.
    pub width: usize,
    /// Where its packed weights begin.
    pub packed: usize,
}

/// Results of a row, of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Phase {
    /// The number of the form.
    pub form: usize,
    /// The first result.
    pub first: usize,
    /// The input's column of its first tap.
    pub lead: usize,
    /// Results.
    pub count: usize,
    /// Pixels from one result to the next.
    pub step: usize,
}

/// All results of a transposed convolution.
pub(crate) struct Layout {
    /// Forms, by number.
    pub forms: Vec<Form>,
    /// By phase of the rows: the phases of the columns. The last entry is for all rows after the taps.
    rows: Vec<Vec<Phase>>,
}

impl Layout {
    /// The layout for the convolution whose gradient is computed, so `window`'s input is the output here. `place(taps,
    /// width)` returns the offset of a form's weights.
    pub(crate) fn new(window: &Window, mut place: impl FnMut(usize, usize) -> usize) -> Layout {
        let Window { rows, columns, .. } = window;
        let mut layout = Layout { forms: Vec::new(), rows: Vec::new() };
        let mut add = |forms: &mut Vec<Form>, taps: [usize; 2], first: [usize; 2], width: usize| {
            forms.push(Form { taps, first, width, packed: place(taps[0] * taps[1], width) });
            forms.len() - 1
        };
        if rows.taps < rows.stride || columns.taps < columns.stride {
            add(&mut layout.forms, [0; 2], [0; 2], 1);
        }
        for r in 0..rows.stride.min(rows.taps) {
            let is_even = [columns.taps, columns.before, columns.input]
                .iter()
                .all(|n| n.is_multiple_of(columns.stride));
            let width = if is_even { columns.stride } else { 1 };
            let phases = (0..columns.stride.min(columns.taps)).step_by(width).map(|c| {
                let taps = [rows.taps_of_phase(r), columns.taps_of_phase(c)];
                phase(columns, c, add(&mut layout.forms, taps, [r, c], width))
            });
            let mut phases: Vec<Phase> = phases.collect();
            phases.extend(blanks(columns));
            layout.rows.push(phases);
        }
        if rows.taps < rows.stride {
            layout.rows.push(vec![Phase { form: 0, first: 0, lead: 0, count: columns.input, step: 1 }]);
        }
        layout
    }

    /// The phases of a row of phase `r`, with their forms.
    pub(crate) fn row(&self, r: usize) -> impl Iterator<Item = (&Phase, &Form)> {
        let phases = self.rows.get(r).or(self.rows.last()).map_or(&[][..], Vec::as_slice);
        phases.iter().map(|phase| (phase, &self.forms[phase.form]))
    }
}

/// Phase `r` of an axis.
fn phase(axis: &Axis, r: usize, form: usize) -> Phase {
    let s = axis.stride;
    let first = (r + s - axis.before % s) % s;
    let count = axis.input.saturating_sub(first).div_ceil(s);
    Phase { form, first, lead: (first + axis.before) / s, count, step: s }
}

/// The results of a row that no tap reaches, which have form 0: by phase, or by period if there are fewer.
fn blanks(axis: &Axis) -> Vec<Phase> {
    let (s, shift) = (axis.stride, axis.before % axis.stride);
    let periods = (axis.input + shift).div_ceil(s);
    let run = |period: usize| {
        let first = (period * s + axis.taps).saturating_sub(shift);
        let end = ((period + 1) * s).saturating_sub(shift).min(axis.input);
        Phase { form: 0, first, lead: 0, count: end.saturating_sub(first), step: 1 }
    };
    let mut blanks: Vec<Phase> = match s.saturating_sub(axis.taps) {
        0 => Vec::new(),
        phases if phases <= periods => (axis.taps..s).map(|r| phase(axis, r, 0)).collect(),
        _ => (0..periods).map(run).collect(),
    };
    blanks.retain(|blank| blank.count > 0);
    blanks
}

/// Results of a phase that are computed together.
pub(crate) struct PhaseTile<'l> {
    /// The phase.
    pub phase: &'l Phase,
    /// Its form.
    pub form: &'l Form,
    /// The image.
    pub image: usize,
    /// The row of the input that the first row of taps reads; the others read the rows above it.
    pub lead: usize,
    /// Which results of the phase.
    pub results: Range<usize>,
}

/// The pixels that the pointers of a [`PhaseTile`] may point to.
pub(crate) struct PhaseInput<'r, T> {
    /// The tensor.
    pub input: Source<'r, T>,
    /// Elements of a pixel.
    pub depth: usize,
    /// A pixel outside of the image.
    pub outside: *const T,
}

/// Fills in `[taps][results]` pointers to the pixels that a tile reads, or to `outside`.
pub(crate) fn point<T: Pod>(
    window: &Window,
    tile: PhaseTile<'_>,
    PhaseInput { input, depth, outside }: PhaseInput<'_, T>,
    pointers: &mut [MaybeUninit<*const T>],
) {
    let PhaseTile { phase, form, image, lead, results } = tile;
    let (rows, columns) = (window.rows.output, window.columns.output);
    let line = columns * depth;
    let taps = (0..form.taps[0]).flat_map(|jy| (0..form.taps[1]).map(move |jx| (jy, jx)));
    for (pointers, (jy, jx)) in pointers.chunks_exact_mut(results.len()).zip(taps) {
        let row = lead.checked_sub(jy).filter(|&row| row < rows);
        let row = row.map(|row| input.at((image * rows + row) * line, line));
        for (pointer, q) in pointers.iter_mut().zip(results.clone()) {
            let column = (phase.lead + q).checked_sub(jx).filter(|&column| column < columns);
            let pixel = row.zip(column).map(|(row, column)| row.wrapping_add(column * depth));
            pointer.write(pixel.unwrap_or(outside));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(small: usize, taps: usize, large: usize, stride: usize, before: usize) -> Axis {
        Axis { input: large, taps, output: small, stride, dilation: 1, before }
    }

    fn layout(columns: Axis) -> Layout {
        Layout::new(&Window { batches: 1, rows: axis(1, 1, 1, 1, 0), columns, channels: 1 }, |_, _| 0)
    }

    /// Each pair of an output and a tap that meet at an input position is in one phase, once; and each result is in
    /// one.
    #[test]
    fn phases_hold_all_taps_and_all_results() {
        for axis in [
            axis(5, 2, 10, 2, 0),
            axis(5, 3, 10, 2, 0),
            axis(5, 4, 10, 2, 1),
            axis(5, 3, 5, 1, 1),
            axis(4, 5, 11, 3, 1),
            axis(4, 1, 7, 2, 0),
            axis(3, 4, 6, 2, 2),
            axis(3, 2, 29, 10, 0),
            axis(3, 2, 29, 10, 1),
            axis(5, 3, 21, 5, 2),
            axis(1, 1, 9, 32767, 0),
        ] {
            let layout = layout(axis);
            let (mut found, mut results) = (Vec::new(), Vec::new());
            for (phase, form) in layout.row(0) {
                for (q, w) in (0..phase.count).flat_map(|q| (0..form.width).map(move |w| (q, w))) {
                    let p = phase.first + q * phase.step + w;
                    results.push(p);
                    for j in 0..form.taps[1] {
                        let i = (phase.lead + q).checked_sub(j).filter(|&i| i < axis.output);
                        found.extend(i.map(|i| (p, i, form.first[1] + w + j * axis.stride)));
                    }
                }
            }
            let mut want = Vec::new();
            for (i, k) in (0..axis.output).flat_map(|i| (0..axis.taps).map(move |k| (i, k))) {
                let p = (i * axis.stride + k).checked_sub(axis.before).filter(|&p| p < axis.input);
                want.extend(p.map(|p| (p, i, k)));
            }
            found.sort_unstable();
            want.sort_unstable();
            results.sort_unstable();
            assert_eq!(found, want, "{axis:?}");
            assert_eq!(results, Vec::from_iter(0..axis.input), "{axis:?}");
        }
    }

    /// The number of phases grows with the square root of the columns at most, and forms depend on the filter alone.
    #[test]
    fn large_strides_make_few_phases() {
        for (columns, stride) in
            [(1 << 20, 32767), (1 << 20, 1024), (1 << 20, 1000), (1 << 20, 7), (10, 32767)]
        {
            let layout = layout(axis(columns / stride + 1, 3, columns, stride, 0));
            assert!(layout.row(0).count() <= 3 + 1025, "{columns} by {stride}: {}", layout.row(0).count());
            assert_eq!(layout.forms, self::layout(axis(2, 3, stride + 2, stride, 0)).forms);
        }
    }
}
