//! Epilogues that microkernels apply while results are in registers.
//!
//! ```text
//! CONV_2D [add z, clamp]    CONV_2D [add z, leak by row]    CONV_2D [leak by row]
//! ```

use arenite_base::{Binary, Clamp};
use arenite_layers::{EpilogueOp, Id};

use super::parts::ConvF32Parameters;
use crate::kernels::f32_gemm::{After, Gemm};
use crate::memory::{Source, span};
use crate::reach::epilogue::Epilogue;

/// An epilogue that microkernels apply.
pub(super) struct Fused {
    /// Added to results.
    added: Option<Id>,
    /// Slopes of the columns.
    slopes: Option<Id>,
    /// The range of sums with added values.
    pub clamp: Clamp,
}

/// The operands of a fused epilogue. A missing operand is empty.
#[derive(Clone, Copy)]
pub(super) struct Operands<'r> {
    added: Source<'r, f32>,
    slopes: Source<'r, f32>,
}

impl Fused {
    /// The epilogue of a layer. `None` if it has no epilogue, or if microkernels cannot apply all of it.
    pub(super) fn of(gemm: &Gemm, layer: &ConvF32Parameters<'_>) -> Option<Fused> {
        let ConvF32Parameters { groups, filters, clamp, ref epilogue, .. } = *layer;
        let mut fused = Fused { added: None, slopes: None, clamp };
        let mut rest = &epilogue[..];
        if let [EpilogueOp::Binary(Binary::Add, id), after @ ..] = rest
            && clamp == Clamp::FINITE
        {
            (fused.added, rest) = (Some(*id), after);
            if let [EpilogueOp::Clamp(clamp), after @ ..] = rest {
                (fused.clamp, rest) = (*clamp, after);
            }
        }
        if let [EpilogueOp::Row(Binary::Leak, id, len), after @ ..] = rest
            && *len == filters
        {
            (fused.slopes, rest) = (Some(*id), after);
        }
        (rest.is_empty() && !epilogue.is_empty() && groups == 1 && gemm.applies_to(filters)).then_some(fused)
    }
}

impl<'r> Operands<'r> {
    /// The operands of a layer's fused epilogue, if it has one.
    pub(super) fn new(fused: Option<&Fused>, epilogue: &Epilogue<'r>) -> Operands<'r> {
        let get = |id: Option<Id>| id.map_or(Source::NONE, |id| epilogue.operand(id));
        match fused {
            Some(fused) => Operands { added: get(fused.added), slopes: get(fused.slopes) },
            None => Operands { added: Source::NONE, slopes: Source::NONE },
        }
    }

    /// The operands of the results from element `start` on, which is in `column` of a row; `sizes` are rows, the
    /// distance between them, and columns. Panics if an operand ends before.
    #[inline]
    pub(super) fn of(&self, start: usize, column: usize, sizes: [usize; 3]) -> After {
        let mut after = After::NOTHING;
        if !self.added.is_empty() {
            after.added = self.added.at(start, span(sizes));
        }
        if !self.slopes.is_empty() {
            after.slopes = self.slopes.at(column, sizes[2]);
        }
        after
    }
}
