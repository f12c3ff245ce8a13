//! The index of the first largest or smallest element along an axis.

use arenite_abi::prelude::*;
use bytemuck::Pod;

use super::fold_int::Shape;
use crate::kernels::StridedRows;
use crate::kernels::u8_arg;
use crate::kernels::x32_arg::{Places, Search};
use crate::memory::{Source, Target};
use crate::step::{Grain, Run, Step, StepValues};

/// Results that are computed together.
const PART: usize = 256;

/// The elements that are compared.
#[derive(Clone, Copy)]
pub(crate) enum Elements {
    /// Bytes, XORed with this number.
    Bytes(&'static u8_arg::Places, u8),
    /// Floats.
    Reals(&'static Places),
    /// Integers.
    Wholes(&'static Places),
}

/// Places along the folded axis.
pub(crate) struct Arg {
    /// The type of the elements.
    pub elements: Elements,
    /// Whether the smallest element is searched for. Bytes are flipped for that.
    pub is_smallest: bool,
    /// The axes around the folded one.
    pub shape: Shape,
    /// Whether results have 64 bits.
    pub is_long: bool,
    /// The input and the output.
    pub ends: StepValues,
}

impl Arg {
    /// The places for results `first..`; −1 for a row of floats with NaN.
    fn part<T: Pod>(
        &self,
        x: Source<'_, T>,
        first: usize,
        places: &mut [i32],
        in_rows: impl Fn(Source<'_, T>, usize, &mut [i32]),
        in_columns: impl Fn(Source<'_, T>, StridedRows, &mut [i32]),
    ) {
        let Shape { folded, inner, .. } = self.shape;
        if inner == 1 {
            return in_rows(x.part(first * folded, places.len() * folded), folded, places);
        }
        let (mut done, mut at) = (0, first);
        while done < places.len() {
            let column = at % inner;
            let n = (inner - column).min(places.len() - done);
            let columns = x.part(at / inner * folded * inner + column, (folded - 1) * inner + n);
            in_columns(columns, StridedRows { count: folded, stride: inner }, &mut places[done..][..n]);
            (done, at) = (done + n, at + n);
        }
    }

    /// The places of 32-bit elements for results `first..`.
    fn words<T: Pod>(&self, search: &Search<T>, x: Source<'_, T>, first: usize, places: &mut [i32]) {
        let flip = if self.is_smallest { -1 } else { 0 };
        self.part(
            x,
            first,
            places,
            |x, n, places| search.of_rows(x, n, flip, places),
            |x, rows, places| search.of_columns(x, rows, flip, places),
        );
    }

    /// The places for results `first..`.
    fn places(&self, x: Source<'_, u8>, first: usize, places: &mut [i32]) {
        match self.elements {
            Elements::Bytes(bytes, flip) => self.part(
                x,
                first,
                places,
                |x, n, places| bytes.of_rows(x, n, flip, places),
                |x, rows, places| bytes.of_columns(x, [rows.count, rows.stride], flip, places),
            ),
            Elements::Wholes(kernels) => self.words(&kernels.wholes, x.cast(), first, places),
            Elements::Reals(kernels) => {
                let x = x.cast::<f32>();
                self.words(&kernels.reals, x, first, places);
                for (i, place) in places.iter_mut().enumerate().filter(|(_, place)| **place < 0) {
                    let row = x.part((first + i) * self.shape.folded, self.shape.folded);
                    *place = self.in_four_lanes(&kernels.reals, row);
                }
            }
        }
    }

    /// The place in a row with NaN, where TensorFlow Lite compares four lanes: of whole fours, each lane has a best
    /// element, and the best of these wins, except that a lane of NaN alone hides the lane before it. The remaining
    /// elements are compared one by one.
    fn in_four_lanes(&self, search: &Search<f32>, row: Source<'_, f32>) -> i32 {
        let is_better = |a: f32, b: f32| if self.is_smallest { a < b } else { a > b };
        let fours = row.len() / 4;
        let (mut place, mut value) = (0, row.get(0));
        if fours > 0 {
            let (mut rows, rows_of_four) = ([0; 4], StridedRows { count: fours, stride: 4 });
            let flip = if self.is_smallest { -1 } else { 0 };
            search.of_columns(row.part(0, 4 * fours), rows_of_four, flip, &mut rows);
            let at = |lane: usize| 4 * rows[lane] + lane as i32;
            let values = [0, 1, 2, 3].map(|lane| row.get(at(lane) as usize));
            let best = |a, b| if is_better(b, a) { b } else { a };
            value = best(best(values[0], values[1]), best(values[2], values[3]));
            place = (0..4).filter(|&lane| values[lane] == value).map(at).min().unwrap_or(0);
        }
        for i in (4 * fours).max(1)..row.len() {
            let x = row.get(i);
            if !x.is_nan() && (value.is_nan() || is_better(x, value)) {
                (value, place) = (x, i as i32);
            }
        }
        if value.is_nan() { 0 } else { place }
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
                self.places(x, first + at, places);
                places.iter().enumerate().for_each(|(i, &place)| y.set(at + i, place.into()));
            }
        })
    }
}

impl Step for Arg {
    fn name(&self) -> &'static str {
        if self.is_smallest { "ARG_MIN" } else { "ARG_MAX" }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        if self.is_long { self.write::<i64>(cx) } else { self.write::<i32>(cx) }
    }
}
