//! Functions of one tensor of 16 bits.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::i16_map::{Function, I16Map};
use crate::memory::InPlace;
use crate::step::{Run, Step};

/// Elements that one thread does at a time.
const CHUNK: usize = 1 << 12;

/// A function of one tensor.
pub(crate) struct MapI16 {
    /// The kernels.
    pub map: &'static I16Map,
    /// The function.
    pub function: Function,
    /// Whether numbers below zero are an error.
    pub is_root: bool,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for MapI16 {
    fn name(&self) -> &'static str {
        "16-bit function"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let x = cx.input::<i16>(self.input);
        if self.is_root {
            let least = x.iter().min().unwrap_or(0);
            ensure!(least >= 0, "an input is {least} steps from zero, where the function is not defined");
        }
        cx.parallel_parts(cx.output::<i16>(self.output), CHUNK, 1, |chunks, mut y| {
            self.map.mapped(&self.function, x.part(chunks.start * CHUNK, y.len()), &mut y);
        })
    }

    fn in_place(&self, id: Id) -> InPlace {
        // SAFETY: an element is read by the thread that writes it, a vector before its results, after `run` has read
        // all elements for the smallest.
        unsafe { InPlace::only_if(id == self.input) }
    }
}
