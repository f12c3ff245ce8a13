//! Rows of bytes with one straight line, or several in sequence, for each column.

use std::sync::Arc;

use arenite_abi::prelude::*;
use arenite_base::Aligned;
use arenite_layers::Id;

use crate::kernels::u8_lines::{Line, Lines, PADDING};
use crate::line::{ByteLimits, LineFit};
use crate::memory::{InPlace, pair};
use crate::step::{Run, Step};

/// Bytes that are worth a thread's while.
const CHUNK: usize = 1 << 13;

/// The lines of all columns.
pub(crate) struct Columns {
    zero: u8,
    shift: u32,
    limits: ByteLimits,
    slopes: Aligned<i32>,
    offsets: Aligned<i32>,
    /// If a column has one.
    drops: Option<Aligned<i32>>,
}

impl Columns {
    /// One fit per column, all of the same zero, shift and limits.
    pub(crate) fn new(zero: u8, shift: u32, limits: ByteLimits, fits: &[LineFit]) -> Columns {
        let table = |of: fn(&LineFit) -> i32| {
            let mut table = Aligned::<i32>::zeros(fits.len().next_multiple_of(PADDING));
            table.iter_mut().zip(fits).for_each(|(to, fit)| *to = of(fit));
            table
        };
        let drops = fits.iter().any(|fit| fit.drop != 0).then(|| table(|fit| fit.drop));
        Columns {
            zero,
            shift,
            limits,
            slopes: table(|fit| fit.slope),
            offsets: table(|fit| fit.offset),
            drops,
        }
    }

    fn line(&self) -> Line {
        Line {
            zero: self.zero.into(),
            shift: self.shift,
            slopes: self.slopes.as_ptr(),
            offsets: self.offsets.as_ptr(),
            drops: self.drops.as_ref().map_or(std::ptr::null(), |drops| drops.as_ptr()),
            low: self.limits.low,
            high: self.limits.high,
        }
    }
}

/// Lines for rows.
pub(crate) struct LinesU8 {
    /// Kernels.
    pub lines: &'static Lines,
    /// Applied in sequence.
    pub stages: Vec<Arc<Columns>>,
    /// The bits that make bytes unsigned before, and results signed after, by exclusive or.
    pub flips: [u8; 2],
    /// Bytes of a row.
    pub columns: usize,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for LinesU8 {
    fn name(&self) -> &'static str {
        "byte lines"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let x = cx.input::<u8>(self.input);
        let grain = (CHUNK / self.columns).max(1);
        cx.parallel_parts(cx.output::<u8>(self.output), self.columns, grain, |rows, mut y| {
            let lines: Vec<Line> = self.stages.iter().map(|columns| columns.line()).collect();
            let x = x.part(rows.start * self.columns, rows.len() * self.columns);
            let (_, x, y) = pair(x, &mut y);
            // SAFETY: the member was selected for this machine; both have the bytes of these rows, and tables a number
            // for each column.
            unsafe { (self.lines.rows)(&lines, self.flips, rows.len(), self.columns, x, y) };
        })
    }

    fn in_place(&self, id: Id) -> InPlace {
        // SAFETY: a row is read by the thread that writes it, a vector before its results.
        unsafe { InPlace::only_if(id == self.input) }
    }
}
