//! Layer normalization of `f32`.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::f32_norm::Norm;
use crate::memory::{InPlace, pair};
use crate::step::{Grain, Run, Step};

/// Brings rows to mean 0 and variance 1, then scales and shifts them.
pub(crate) struct NormF32 {
    /// The kernels.
    pub kernels: &'static Norm,
    /// Elements of a row, not none.
    pub depth: usize,
    /// Added to variances.
    pub epsilon: f32,
    /// Rows are multiplied by this; may be empty.
    pub gamma: Vec<f32>,
    /// Added to the product with gamma; may be empty.
    pub beta: Vec<f32>,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for NormF32 {
    fn name(&self) -> &'static str {
        "layer norm"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let x = cx.input::<f32>(self.input);
        let grain = Grain::of_cost(8 * self.depth);
        let of = |list: &[f32]| if list.is_empty() { std::ptr::null() } else { list[..self.depth].as_ptr() };
        cx.parallel_parts(cx.output::<f32>(self.output), self.depth, grain, |rows, mut y| {
            for (i, row) in rows.enumerate() {
                let mut y = y.part(i * self.depth, self.depth);
                let (n, x, y) = pair(x.part(row * self.depth, self.depth), &mut y);
                // SAFETY: the member was selected for this machine. Both rows have `n` elements, and `of` took slices
                // of `n` elements of gamma and beta if they are not empty.
                unsafe { (self.kernels.row)(n, x, of(&self.gamma), of(&self.beta), self.epsilon, y) };
            }
        })
    }

    fn in_place(&self, id: Id) -> InPlace {
        // SAFETY: the thread that writes a row also reads it, and reads each element for the last time before it writes
        // the element at the same place.
        unsafe { InPlace::only_if(id == self.input) }
    }
}
