//! Copies pieces of values to one value, on one thread.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::u8_map::ByteMap;
use crate::step::{Run, Step};

/// Consecutive bytes that are copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// The first byte in the input.
    pub from: usize,
    /// The first byte in the output.
    pub to: usize,
    /// How many.
    pub len: usize,
    /// Whether signs are flipped.
    pub is_flipped: bool,
}

/// Copies pieces.
pub(crate) struct Join {
    /// The kernels that flip signs.
    pub map: &'static ByteMap,
    /// The value of each piece.
    pub pieces: Vec<(Id, Piece)>,
    /// Written.
    pub output: Id,
}

impl Step for Join {
    fn name(&self) -> &'static str {
        "concatenation"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (inputs, mut y) = (cx.inputs(), cx.output::<u8>(self.output));
        for &(id, Piece { from, to, len, is_flipped }) in &self.pieces {
            let (x, mut y) = (inputs.get::<u8>(id).part(from, len), y.part(to, len));
            match is_flipped {
                true => self.map.flipped(x, &mut y),
                false => y.copy_from(x),
            }
        }
        Ok(())
    }
}
