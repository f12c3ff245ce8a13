//! Bytes as they are, to another place.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::program::{Run, Step};

/// Copies a value.
pub struct Copy {
    /// From.
    pub input: Id,
    /// To.
    pub output: Id,
    /// How much.
    pub bytes: usize,
}

impl Step for Copy {
    fn name(&self) -> &'static str {
        "COPY"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        // SAFETY: both places have that many bytes and do not overlap.
        unsafe {
            std::ptr::copy_nonoverlapping(cx.place::<u8>(self.input), cx.place(self.output), self.bytes);
        }
        Ok(())
    }
}
