//! Techniques for sharing memory between tensors, each with a switch.

/// The techniques in use. Results are the same with any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    /// An output with the same bytes as an input shares its memory: RESHAPE, SQUEEZE.
    pub views: bool,
    /// An output overwrites an input that is not used later: elementwise ops.
    pub in_place: bool,
    /// Contiguous parts of an input are read in place: SPLIT, SLICE.
    pub split: bool,
    /// Parts of an output are computed in their final place: CONCATENATION, PACK.
    pub concat: bool,
    /// An output overwrites an input, which is not used later, while it is being read: convolutions, pooling.
    pub overlap: bool,
    /// Nodes run in the order that needs the least memory.
    pub reorder: bool,
    /// The memory of inputs is reused after they are read, so the caller must fill them before each run.
    pub overwrite_inputs: bool,
}

impl Default for Techniques {
    /// All techniques that callers cannot notice.
    fn default() -> Self {
        Techniques { overwrite_inputs: false, ..Techniques::ALL }
    }
}

impl Techniques {
    /// All techniques, including `overwrite_inputs`.
    pub const ALL: Techniques = Techniques {
        views: true,
        in_place: true,
        split: true,
        concat: true,
        overlap: true,
        reorder: true,
        overwrite_inputs: true,
    };

    /// No technique: each tensor has separate memory for its whole lifetime.
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

    /// The switch of the technique with this name.
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
}
