//! Signed bytes to unsigned ones, and back.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::u8_map::ByteMap;
use crate::memory::Shared;
use crate::program::{Run, Step};

/// Bytes that one thread does at a time.
const CHUNK: usize = 1 << 13;

/// Adds 128 to each byte.
pub struct Flip {
    /// The kernels.
    pub map: &'static ByteMap,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
    /// How many.
    pub bytes: usize,
}

impl Step for Flip {
    fn name(&self) -> &'static str {
        "flip signs"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let x = Shared::new(cx.place::<u8>(self.input));
        let y = Shared::new(cx.place::<u8>(self.output));
        cx.parallel_for(self.bytes.div_ceil(CHUNK), 8, |range| {
            let at = range.start * CHUNK;
            let n = (range.len() * CHUNK).min(self.bytes - at);
            // SAFETY: both tensors have that many bytes, and each range is one thread's.
            unsafe { (self.map.flip)(n, x.get().add(at), y.get().add(at)) };
        })
    }

    fn in_place(&self, id: Id) -> bool {
        id == self.input
    }
}
