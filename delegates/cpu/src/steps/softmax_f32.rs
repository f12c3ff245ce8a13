//! Softmax of rows of `f32`, and its logarithm.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::layer::softmax::Kind;

use crate::kernels::f32_softmax::{NARROW, Softmax};
use crate::memory::{InPlace, pair};
use crate::step::{Grain, Run, Step};

/// Multiply-adds that an exponential is worth.
const EXPONENTIAL: usize = 16;

/// Softmax of all rows.
pub(crate) struct SoftmaxF32 {
    /// The kernels.
    pub kernels: &'static Softmax,
    /// Which function is computed.
    pub kind: Kind,
    /// Elements of a row, not none.
    pub depth: usize,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for SoftmaxF32 {
    fn name(&self) -> &'static str {
        "SOFTMAX"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (x, n) = (cx.input::<f32>(self.input), self.depth);
        let (row, narrow, beta) = match self.kind {
            Kind::Softmax { beta } => (self.kernels.row, self.kernels.narrow, beta),
            Kind::Logarithm => (self.kernels.log_row, self.kernels.log_narrow, 1.0),
        };
        cx.parallel_parts(cx.output::<f32>(self.output), n, Grain::of_cost(EXPONENTIAL * n), |rows, mut y| {
            let count = y.len() / n;
            let (_, x, y) = pair(x.part(rows.start * n, y.len()), &mut y);
            // SAFETY: the member was selected for this machine; both parts have `count` rows of `n` elements.
            unsafe {
                if n <= NARROW {
                    return narrow(count, n, x, beta, y);
                }
                (0..count).for_each(|i| row(n, x.add(i * n), beta, y.add(i * n)));
            }
        })
    }

    fn in_place(&self, id: Id) -> InPlace {
        // SAFETY: a row is read by the thread that writes it; kernels of SOFTMAX read an element for the last time
        // before they write the one at its place.
        unsafe { InPlace::only_if(id == self.input && self.kind != Kind::Logarithm) }
    }
}
