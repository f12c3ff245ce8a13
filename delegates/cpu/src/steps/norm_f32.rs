//! Layer normalization of `f32`.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::f32_norm::Norm;
use crate::memory::Shared;
use crate::program::{Run, Step};

/// Brings rows to mean 0 and variance 1, then scales and shifts them.
pub struct NormF32 {
    /// The kernels.
    pub kernels: &'static Norm,
    /// Rows.
    pub rows: usize,
    /// Elements of each, not none.
    pub depth: usize,
    /// What is added to variances.
    pub epsilon: f32,
    /// What rows are multiplied by, or nothing.
    pub gamma: Vec<f32>,
    /// What is added then, or nothing.
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
        let x = Shared::new(cx.place::<f32>(self.input));
        let y = Shared::new(cx.place::<f32>(self.output));
        let of = |list: &[f32]| if list.is_empty() { std::ptr::null() } else { list.as_ptr() };
        cx.parallel_for(self.rows, super::grain(8 * self.depth), |range| {
            for row in range {
                let at = row * self.depth;
                // SAFETY: the host's tensors have the shapes that the step was built for; each row is one thread's.
                unsafe {
                    let (x, y) = (x.get().add(at), y.get().add(at));
                    (self.kernels.row)(self.depth, x, of(&self.gamma), of(&self.beta), self.epsilon, y);
                }
            }
        })
    }

    fn in_place(&self, id: Id) -> bool {
        id == self.input
    }
}
