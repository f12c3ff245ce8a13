//! The scratch memory of a node.

use arenite_abi::prelude::*;

use super::options::DetectionOptions;

plain! {
    /// Scratch memory.
    pub(super) struct Buffers {
        pub(super) corners: Scratch<f32>,
        pub(super) scores: Maybe<Scratch<f32>>,
        /// The scores of one class, or the best score of each box.
        pub(super) ranked: Scratch<f32>,
        pub(super) candidates: Scratch<i32>,
        pub(super) selected: Scratch<i32>,
        /// Regular search: the best boxes so far, by position in the table of scores. Fast search: the classes of a
        /// box.
        pub(super) indices: Scratch<i32>,
        pub(super) best: Scratch<f32>,
    }
}

impl Buffers {
    pub(super) fn prepare(
        options: &DetectionOptions,
        [boxes, columns]: [usize; 2],
        scores: ElementType,
        cx: &mut PrepareContext<'_>,
    ) -> Result<Self> {
        let found = options.max_detections.saturating_add(options.detections_per_class).min(boxes * columns);
        let kept = if options.regular { found } else { 0 };
        Ok(Buffers {
            corners: cx.scratch(boxes.saturating_mul(4))?,
            scores: match scores {
                U8 => Maybe::Present(cx.scratch(boxes.saturating_mul(columns))?),
                _ => Maybe::Absent,
            },
            ranked: cx.scratch(boxes)?,
            candidates: cx.scratch(boxes)?,
            selected: cx.scratch(boxes)?,
            indices: cx.scratch(if options.regular { kept } else { options.classes })?,
            best: cx.scratch(kept)?,
        })
    }
}
