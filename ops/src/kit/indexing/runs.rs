//! Loops over a nest that can stop early, or that visit each position.

use arenite_abi::Result;

use super::{Nest, Walk, step};

impl<const N: usize> Nest<N> {
    /// Like [`for_each_run`](Self::for_each_run), but stops when `f` fails.
    ///
    /// # Errors
    /// The error of `f`.
    pub fn try_each_run(&self, f: &mut dyn FnMut(usize, [usize; N], usize) -> Result<()>) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let inner = self.rank - 1;
        let length = self.sizes[inner];
        let mut walk = Walk::new(*self, inner);
        for out in (0..self.len()).step_by(length) {
            f(out, walk.at.map(|i| i as usize), length)?;
            walk.advance();
        }
        Ok(())
    }

    /// Calls `f(out, indices)` for every position, in row-major order.
    pub fn for_each(&self, mut f: impl FnMut(usize, [usize; N])) {
        let steps = self.run_steps();
        self.for_each_run(&mut |out, mut at, length| {
            for k in 0..length {
                f(out + k, at);
                step(&mut at, &steps);
            }
        });
    }
}
