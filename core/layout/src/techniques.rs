//! Ways to lay tensors over one another, each with a switch.

use crate::layout::TieKind;

/// Which of them are used; each gives the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    /// Results whose bytes are those of an input lie where it does: RESHAPE, SQUEEZE.
    pub views: bool,
    /// Results take over the memory of an input that dies: elementwise ops.
    pub in_place: bool,
    /// Contiguous parts of an input are read where they lie: SPLIT, SLICE.
    pub split: bool,
    /// Parts of a result are computed where they will lie: CONCATENATION, PACK.
    pub concat: bool,
    /// Results follow an input that dies as it is read: convolutions, pooling.
    pub overlap: bool,
    /// Nodes run in the order that needs the least memory.
    pub reorder: bool,
    /// The memory of inputs is used again after they were read; they must be filled before each run.
    pub overwrite_inputs: bool,
}

impl Default for Techniques {
    /// All that callers cannot notice.
    fn default() -> Self {
        Techniques { overwrite_inputs: false, ..Techniques::ALL }
    }
}

impl Techniques {
    /// Every one, `overwrite_inputs` too.
    pub const ALL: Techniques = Techniques {
        views: true,
        in_place: true,
        split: true,
        concat: true,
        overlap: true,
        reorder: true,
        overwrite_inputs: true,
    };

    /// None: each tensor has memory of its own while it lives.
    pub const NONE: Techniques = Techniques {
        views: false,
        in_place: false,
        split: false,
        concat: false,
        overlap: false,
        reorder: false,
        overwrite_inputs: false,
    };

    /// The names of the fields, in their order.
    pub const NAMES: [&str; 7] =
        ["views", "in_place", "split", "concat", "overlap", "reorder", "overwrite_inputs"];

    /// The technique of this name.
    pub fn named(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "views" => &mut self.views,
            "in_place" => &mut self.in_place,
            "split" => &mut self.split,
            "concat" => &mut self.concat,
            "overlap" => &mut self.overlap,
            "reorder" => &mut self.reorder,
            "overwrite_inputs" => &mut self.overwrite_inputs,
            _ => return None,
        })
    }

    pub(crate) fn allow(&self, kind: TieKind) -> bool {
        match kind {
            TieKind::View => self.views,
            TieKind::PartOfInput(_) => self.split,
            TieKind::PartOfOutput(_) => self.concat,
            TieKind::InPlace => self.in_place,
            TieKind::Behind(_) => self.overlap,
        }
    }
}
