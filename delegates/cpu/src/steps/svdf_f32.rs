//! An SVDF layer of `f32`. Its memory is a variable, which it updates in place.
//!
//! ```text
//! x ─► product ─► a new number per filter ─► memory ─► a sum per filter ─► Σ over the filters of a unit, bias ─► y
//! ```

use arenite_abi::prelude::*;
use arenite_base::Clamp;
use arenite_layers::Id;

use crate::kernels::f32_map::Map;
use crate::kernels::f32_svdf::Svdf;
use crate::memory::{LINE, Source, Target};
use crate::reach::dense::Dense;
use crate::step::{Run, Step};
use crate::store::Block;

/// The sizes of an SVDF layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SvdfSizes {
    /// Rows of the input.
    pub batches: usize,
    /// Elements of a row of the input.
    pub depth: usize,
    /// Filters.
    pub filters: usize,
    /// Numbers in the memory of a filter.
    pub memory: usize,
    /// Filters of a unit.
    pub rank: usize,
}

/// The values of an SVDF layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SvdfIds {
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
    /// The variable with the memory.
    pub state: Id,
}

/// An SVDF layer.
pub(crate) struct SvdfF32 {
    /// Kernels of the memory.
    pub kernels: &'static Svdf,
    /// Kernels of the activation.
    pub map: &'static Map,
    /// From a row to a number per filter.
    pub features: Dense,
    /// The weights of the memory, per filter.
    pub time: Block<f32>,
    /// Per unit; may be empty.
    pub bias: Vec<f32>,
    /// The activation.
    pub clamp: Clamp,
    /// The sizes.
    pub sizes: SvdfSizes,
    /// The values.
    pub ids: SvdfIds,
}

impl SvdfF32 {
    /// Adds the sums of each unit's filters.
    fn add(&self, sums: &Target<'_, f32>, y: &mut Target<'_, f32>) {
        let rank = self.sizes.rank;
        for (unit, sums) in sums.as_slice().chunks_exact(rank).enumerate() {
            let bias = self.bias.get(unit).copied().unwrap_or(0.0);
            y.set(unit, sums.iter().fold(bias, |all, sum| all + sum));
        }
    }
}

impl Step for SvdfF32 {
    fn name(&self) -> &'static str {
        "SVDF"
    }

    fn scratch(&self) -> usize {
        let SvdfSizes { batches, filters, .. } = self.sizes;
        let line = |len: usize| (len * size_of::<f32>()).next_multiple_of(LINE);
        line(batches * filters) + line(filters)
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let SvdfSizes { batches, filters, memory, rank, .. } = self.sizes;
        let (x, mut y) = (cx.input::<f32>(self.ids.input), cx.output::<f32>(self.ids.output));
        let mut state = cx.output::<f32>(self.ids.state);
        let (mut new, rest) = cx.scratch().take::<f32>(batches * filters);
        let mut sums = rest.take::<f32>(filters).0;
        self.features.multiply(x, &mut new);
        for batch in 0..batches {
            let new = new.written().part(batch * filters, filters);
            let mut state = state.part(batch * filters * memory, filters * memory);
            self.kernels.remember(memory, new, Source::of(&self.time), &mut state, &mut sums);
            self.add(&sums, &mut y.part(batch * (filters / rank), filters / rank));
        }
        if self.clamp.is_needed() {
            self.map.clamp_over(self.clamp, &mut y);
        }
        Ok(())
    }
}
