//! How the taps of convolutions of bytes are packed.

use arenite_layers::Window;

/// The layout of packed weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Taps {
    /// Tap by tap, rounded up to whole groups each.
    Single,
    /// All of a filter row, rounded up together.
    Merged,
}

impl Taps {
    /// The layout for a window over images.
    pub(super) fn choose(window: &Window, groups: usize) -> Taps {
        let columns = &window.columns;
        let merges = groups == 1 && columns.dilation == 1 && columns.taps > 1;
        if merges && !window.channels.is_multiple_of(4) && columns.is_inside(0, columns.output - 1) {
            return Taps::Merged;
        }
        Taps::Single
    }

    /// Whether taps of one filter row are contiguous inside of the image, in the weights too.
    pub(super) fn may_merge(self, window: &Window, groups: usize) -> bool {
        let side_by_side = window.columns.dilation == 1 && groups == 1;
        side_by_side && (self == Taps::Merged || window.channels.is_multiple_of(4))
    }

    /// Number of taps of the packed weights, and lines of each.
    pub(super) fn of(self, window: &Window, groups: usize) -> (usize, usize) {
        let depth = window.channels / groups;
        match self {
            Taps::Single => (window.rows.taps * window.columns.taps, depth),
            Taps::Merged => (window.rows.taps, window.columns.taps * depth),
        }
    }
}
