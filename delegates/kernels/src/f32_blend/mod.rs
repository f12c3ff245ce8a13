//! Weighted means of four pixels of `f32`, for a row of results of a resized image. `u8_blend` shows the pixels.

mod body;

use arenite_base::memory::{Source, Target};

use crate::blend::{Columns, Row, RowPair};
use crate::isa::Isa;
use crate::simd::*;

/// The family for one instruction set.
#[non_exhaustive]
pub struct Blend {
    /// The name, such as `f32_blend__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Computes a row. It is unsafe to call: the machine must have the instructions, pixels must be readable for `n`
    /// elements and before `end`, and `count · n` results writable.
    row: unsafe fn(&Row<f32, f32>),
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Blend { name: $name, isa: $isa, row }
    };
}

family! {
    Blend: "f32_blend" {
        fn row(row: &Row<f32, f32>);
    }
    vectors
}
member_of_table!(Blend);

impl Blend {
    /// A row of means. Pixels have `n` elements.
    #[inline]
    pub fn blended(
        &self,
        input: Source<'_, f32>,
        between: RowPair<f32>,
        columns: &Columns<f32>,
        n: usize,
        y: &mut Target<'_, f32>,
    ) {
        // SAFETY: the machine can run a selected member; `row` checked that all pixels and results exist.
        unsafe { (self.row)(&columns.row(input, between, n, y)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blend::Column;
    use crate::family::available;
    use crate::random::Random;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_code(width in 1usize..6, count in 1usize..9, n in 1usize..40, seed: u64) {
            let mut random = Random::new(seed);
            let mut real = || (random.next() % 2001) as f32 / 1000.0 - 1.0;
            let pixels: Vec<f32> = (0..2 * width * n).map(|_| real()).collect();
            let columns: Vec<Column<f32>> = (0..count).map(|x| {
                let low = x % width;
                let high = (low + x % 2).min(width - 1);
                Column { low: low * n, high: high * n, distance: real().abs() }
            }).collect();
            let between = RowPair { rows: [0, width * n], distance: real().abs() };
            let table = Columns::new(columns.clone());
            for blend in available(TABLE) {
                let mut y = vec![7.0; count * n + 1];
                let mut results = Target::of(&mut y[..count * n]);
                blend.blended(Source::of(&pixels), between, &table, n, &mut results);
                for (x, &Column { low, high, distance: u }) in columns.iter().enumerate() {
                    for i in 0..n {
                        let v = f64::from(between.distance);
                        let at = |row: usize, place: usize| f64::from(pixels[row * width * n + place + i]);
                        let across = |row| at(row, low) * (1.0 - f64::from(u)) + at(row, high) * f64::from(u);
                        let want = across(0) * (1.0 - v) + across(1) * v;
                        let got = f64::from(y[x * n + i]);
                        prop_assert!((got - want).abs() < 5e-7, "{}: {got}, not {want}", blend.name);
                    }
                }
                prop_assert_eq!(y[count * n], 7.0);
            }
        }
    }
}
