//! A copy of a value.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::step::{Run, Step};

/// Bytes between two questions whether to go on.
const PIECE: usize = 1 << 24;

/// Copies a value.
pub(crate) struct Copy {
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
        let mut to = cx.output::<u8>(self.output);
        for at in (0..self.bytes).step_by(PIECE) {
            if at > 0 && cx.is_cancelled() {
                return Err(Error::new(Status::Cancelled, format_args!("")));
            }
            let some = (self.bytes - at).min(PIECE);
            to.part(at, some).copy_from(from.part(at, some));
        }
        Ok(())
    }
}
