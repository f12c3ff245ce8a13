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
        let from = cx.input::<u8>(self.input).part(0, self.bytes);
        cx.output::<u8>(self.output).part(0, self.bytes).copy_from(from);
        Ok(())
    }
}
