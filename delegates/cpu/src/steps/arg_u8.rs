//! The index of the first largest byte along an axis.

use arenite_abi::prelude::*;
use bytemuck::Pod;

use super::mean_u8::Shape;
use crate::kernels::u8_arg::Places;
use crate::memory::{Source, Target};
use crate::step::{Grain, Run, Step, StepValues};

/// Results that are computed together.
const PART: usize = 256;

/// Places along the folded axis.
pub(crate) struct ArgU8 {
    /// The kernels.
    pub places: &'static Places,
    /// The axes around the folded one.
    pub shape: Shape,
    /// Bytes are XORed with this before they are compared.
    pub flip: u8,
    /// Whether results have 64 bits.
    pub is_long: bool,
    /// The input and the output.
    pub ends: StepValues,
}

impl ArgU8 {
    /// The places for results `first..`.
    fn part(&self, x: Source<'_, u8>, first: usize, places: &mut [i32]) {
        let Shape { folded, inner, .. } = self.shape;
        if inner == 1 {
            let rows = x.part(first * folded, places.len() * folded);
            return self.places.of_rows(rows, folded, self.flip, places);
        }
        let (mut done, mut at) = (0, first);
        while done < places.len() {
            let column = at % inner;
            let n = (inner - column).min(places.len() - done);
            let from = at / inner * folded * inner + column;
            let columns = x.part(from, (folded - 1) * inner + n);
            self.places.of_columns(columns, [folded, inner], self.flip, &mut places[done..][..n]);
            (done, at) = (done + n, at + n);
        }
    }

    fn write<T: Pod + Send + From<i32>>(&self, cx: &Run<'_>) -> Result<()> {
        let (x, y) = (cx.input::<u8>(self.ends.input), cx.output::<T>(self.ends.output));
        let Shape { outer, folded, inner } = self.shape;
        ensure!(y.len() == outer * inner, "the output has {} elements", y.len());
        cx.parallel_parts(y, PART, Grain::of_cost(PART * folded), |parts, mut y: Target<'_, T>| {
            let (first, all) = (parts.start * PART, y.len());
            for at in (0..all).step_by(PART) {
                let mut places = [0; PART];
                let places = &mut places[..PART.min(all - at)];
                self.part(x, first + at, places);
                places.iter().enumerate().for_each(|(i, &place)| y.set(at + i, place.into()));
            }
        })
    }
}

impl Step for ArgU8 {
    fn name(&self) -> &'static str {
        if self.flip == 0 { "ARG_MAX" } else { "ARG_MIN" }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        if self.is_long { self.write::<i64>(cx) } else { self.write::<i32>(cx) }
    }
}
