//! Softmax of rows of `f32`, and its logarithm.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::ops::softmax::Kind;

use crate::kernels::f32_softmax::{NARROW, Softmax};
use crate::memory::Shared;
use crate::program::{Run, Step};

/// Multiply-adds that an exponential is worth.
const EXPONENTIAL: usize = 16;

/// Softmax of all rows.
pub struct SoftmaxF32 {
    /// The kernels.
    pub kernels: &'static Softmax,
    /// What is computed.
    pub kind: Kind,
    /// Rows.
    pub rows: usize,
    /// Elements of each, not none.
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
        let x = Shared::new(cx.place::<f32>(self.input));
        let y = Shared::new(cx.place::<f32>(self.output));
        let n = self.depth;
        let (row, narrow, beta) = match self.kind {
            Kind::Softmax { beta } => (self.kernels.row, self.kernels.narrow, beta),
            Kind::Logarithm => (self.kernels.log_row, self.kernels.log_narrow, 1.0),
        };
        cx.parallel_for(self.rows, super::grain(EXPONENTIAL * n), |range| {
            // SAFETY: the host's tensors have the shapes that the step was built for; each row is one thread's.
            unsafe {
                if n <= NARROW {
                    let at = range.start * n;
                    return narrow(range.len(), n, x.get().add(at), beta, y.get().add(at));
                }
                for i in range {
                    row(n, x.get().add(i * n), beta, y.get().add(i * n));
                }
            }
        })
    }

    fn in_place(&self, id: Id) -> bool {
        id == self.input && self.kind != Kind::Logarithm
    }
}
