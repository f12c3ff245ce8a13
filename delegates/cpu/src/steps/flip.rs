//! Converts signed bytes to unsigned bytes, and back.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::u8_map::ByteMap;
use crate::memory::InPlace;
use crate::step::{Run, Step};

/// Bytes that one thread does at a time.
const CHUNK: usize = 1 << 13;

/// Adds 128 to each byte.
pub(crate) struct Flip {
    /// The kernels.
    pub map: &'static ByteMap,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for Flip {
    fn name(&self) -> &'static str {
        "flip signs"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let x = cx.input::<u8>(self.input);
        cx.parallel_parts(cx.output::<u8>(self.output), CHUNK, 8, |chunks, mut y| {
            self.map.flipped(x.part(chunks.start * CHUNK, y.len()), &mut y);
        })
    }

    fn in_place(&self, id: Id) -> InPlace {
        // SAFETY: a byte is read by the thread that writes it, before it does.
        unsafe { InPlace::only_if(id == self.input) }
    }
}
