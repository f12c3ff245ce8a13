//! Weighted means of four pixels of bytes, for a row of results of a resized image.
//!
//! ```text
//!            low   high
//! row 0:      a ──── b       reals:  a·(1−v)(1−u) + b·(1−v)u + c·v(1−u) + d·vu, from left to right, + ½, rounded down
//! row 1:      c ──── d       fixed:  the same sum with 20 binary digits, half away from 128
//! ```
//! Both round like the reference op: `reals` for unsigned bytes, `fixed` for signed bytes, which are stored with 128
//! added.

mod body;

use arenite_base::memory::{Source, Target};

use crate::blend::{Columns, Row, RowPair};
use crate::isa::Isa;
use crate::simd::*;

/// Binary digits of a distance in fixed point.
pub const DIGITS: u32 = 10;

impl Blend {
    /// A row of means, computed with `f32`. Pixels have `n` bytes.
    #[inline]
    pub fn real_row(
        &self,
        input: Source<'_, u8>,
        between: RowPair<f32>,
        columns: &Columns<f32>,
        n: usize,
        y: &mut Target<'_, u8>,
    ) {
        // SAFETY: the machine can run a selected member; `row` checked that all pixels and results exist.
        unsafe { (self.reals)(&columns.row(input, between, n, y)) }
    }

    /// A row of means, computed in fixed point. Pixels have `n` bytes.
    #[inline]
    pub fn fixed_row(
        &self,
        input: Source<'_, u8>,
        between: RowPair<i32>,
        columns: &Columns<i32>,
        n: usize,
        y: &mut Target<'_, u8>,
    ) {
        let has_few_pixels = columns.reach() + n <= 2 * columns.count() * n;
        let kernel = if has_few_pixels { self.fixed_by_rows } else { self.fixed };
        // SAFETY: the machine can run a selected member; `row` checked that all pixels and results exist.
        unsafe { kernel(&columns.row(input, between, n, y)) }
    }
}

/// The family for one instruction set. Its functions are unsafe to call: the machine must have the instructions, pixels
/// must be readable for `n` bytes and before `end`, and `count · n` results writable.
#[non_exhaustive]
pub struct Blend {
    /// The name, such as `u8_blend__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Computes with `f32`.
    pub reals: unsafe fn(&Row<f32>),
    /// Computes in fixed point, with distances of [`DIGITS`] binary digits.
    pub fixed: unsafe fn(&Row<i32>),
    /// The same, faster unless most pixels are skipped.
    pub fixed_by_rows: unsafe fn(&Row<i32>),
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Blend { name: $name, isa: $isa, reals, fixed, fixed_by_rows }
    };
}

family! {
    Blend: "u8_blend" {
        fn reals(row: &Row<f32>);
        fn fixed(row: &Row<i32>);
        fn fixed_by_rows(row: &Row<i32>);
    }
    vectors
}
member_of_table!(Blend);

#[cfg(test)]
mod tests;
