//! Functions of elements of any type, of up to three tensors that broadcast: for what stands between the layers of a model, such as
//! masks and positions. Plain loops.

use arenite_abi::prelude::*;
use arenite_layers::{Id, Loops};

use crate::memory::Shared;
use crate::program::{Run, Step};

/// Most inputs.
pub const INPUTS: usize = 3;
/// Elements that are worth a thread's while.
const MANY: usize = 1 << 14;

/// `n` results at `y` of elements at `x`; whether each input moves on along the run.
///
/// # Safety
/// Called with elements of the types that it is for, readable and writable.
pub type RunFn = unsafe fn(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8);

/// A function of up to three tensors.
pub struct TypedMap {
    /// What it is.
    pub name: &'static str,
    /// The function.
    pub f: RunFn,
    /// Bytes of an element of each input.
    pub widths: [usize; INPUTS],
    /// Bytes of an element of the output.
    pub width: usize,
    /// The loops.
    pub loops: Loops<INPUTS>,
    /// Read.
    pub inputs: Vec<Id>,
    /// Written.
    pub output: Id,
}

impl Step for TypedMap {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let mut x = [Shared::new(std::ptr::null_mut::<u8>()); INPUTS];
        x.iter_mut().zip(&self.inputs).for_each(|(x, &id)| *x = Shared::new(cx.place(id)));
        let y = Shared::new(cx.place::<u8>(self.output));
        cx.parallel_for(self.loops.runs(), (MANY / self.loops.run).max(1), |range| {
            for run in range {
                let at = self.loops.starts(run);
                let from =
                    std::array::from_fn(|i| x[i].get().wrapping_add(at[i] * self.widths[i]).cast_const());
                let to = y.get().wrapping_add(run * self.loops.run * self.width);
                // SAFETY: inside the tensors, by the loops' construction; the function is for their types.
                unsafe { (self.f)(self.loops.run, from, self.loops.moves, to) };
            }
        })
    }
}
