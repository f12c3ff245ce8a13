//! An SVDF layer of bytes. Its memory, of `i16`, is a variable, which it updates in place.

use arenite_abi::prelude::*;

use crate::fixed_point::Factor;
use crate::kernels::i16_svdf::{NewNumbers, Output, Svdf};
use crate::memory::{LINE, Source};
use crate::reach::dense_u8::DenseU8;
use crate::step::{Run, Step};
use crate::steps::svdf_f32::{SvdfIds, SvdfSizes};
use crate::store::Block;

/// An SVDF layer.
pub(crate) struct SvdfU8 {
    /// Kernels of the memory.
    pub kernels: &'static Svdf,
    /// From a row to a number per filter.
    pub features: DenseU8,
    /// What is added to these numbers, by filter.
    pub biases: Vec<i32>,
    /// From these numbers to the memory.
    pub to_memory: Factor,
    /// The weights of the memory, per filter.
    pub time: Block<i16>,
    /// From the sums of units to the output.
    pub to_output: Factor,
    /// Added to the sums of units; may be empty.
    pub unit_biases: Vec<i32>,
    /// Of the output, as signed bytes.
    pub zero_point: i32,
    /// The sizes.
    pub sizes: SvdfSizes,
    /// The values.
    pub ids: SvdfIds,
}

impl Step for SvdfU8 {
    fn name(&self) -> &'static str {
        "SVDF"
    }

    fn scratch(&self) -> usize {
        let line = |len: usize| (len * size_of::<i32>()).next_multiple_of(LINE);
        line(self.sizes.batches * self.features.pitch()) + line(self.sizes.filters)
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let SvdfSizes { batches, filters, memory, rank, .. } = self.sizes;
        let (x, mut y) = (cx.input::<u8>(self.ids.input), cx.output::<u8>(self.ids.output));
        let mut state = cx.output::<i16>(self.ids.state);
        let pitch = self.features.pitch();
        let (mut new, rest) = cx.scratch().take::<i32>(batches * pitch);
        let mut sums = rest.take::<i32>(filters).0;
        self.features.multiply(x, &mut new);
        for batch in 0..batches {
            let (sums_of_new, biases) =
                (new.written().part(batch * pitch, filters), Source::of(&self.biases));
            let new = NewNumbers { sums: sums_of_new, biases, factor: self.to_memory };
            let mut state = state.part(batch * filters * memory, filters * memory);
            self.kernels.remember(memory, new, Source::of(&self.time), &mut state, &mut sums);
            let biases = Source::of(&self.unit_biases);
            let output = Output { rank, biases, factor: self.to_output, zero_point: self.zero_point };
            let units = filters / rank;
            self.kernels.finish(sums.written(), output, &mut y.part(batch * units, units));
        }
        Ok(())
    }
}
