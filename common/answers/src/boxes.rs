//! Boxes, and which of them are kept.

use serde::Serialize;

use crate::metadata::{BoxFormat, Corners};

/// A width and a height in pixels.
#[derive(Clone, Copy)]
pub(crate) struct PixelSize {
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl PixelSize {
    pub(crate) const UNIT: Self = PixelSize { width: 1.0, height: 1.0 };
}

/// A box in fractions of the picture, 0 at the left and at the top.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bounds {
    /// Left edge.
    pub left: f32,
    /// Upper edge.
    pub top: f32,
    /// Right edge.
    pub right: f32,
    /// Lower edge.
    pub bottom: f32,
}

impl Bounds {
    /// Reads a row of four numbers; `input` is the size of the input.
    pub(crate) fn read(row: [f32; 4], format: &BoxFormat, input: PixelSize) -> Self {
        let [a, b, c, d] = format.order.map(|i| row[i]);
        let [left, top, right, bottom] = match format.corners {
            Corners::Boundaries => [a, b, c, d],
            Corners::UpperLeft => [a, b, a + c, b + d],
            Corners::Center => [a - c / 2.0, b - d / 2.0, a + c / 2.0, b + d / 2.0],
        };
        let PixelSize { width, height } = if format.pixels { input } else { PixelSize::UNIT };
        Bounds { left: left / width, top: top / height, right: right / width, bottom: bottom / height }
    }

    /// Whether it is a box that touches the picture: edges in order, none further outside than half a picture.
    pub(crate) fn is_plausible(&self) -> bool {
        let within = |edge: f32| (-0.5..=1.5).contains(&edge);
        let edges = [self.left, self.top, self.right, self.bottom];
        edges.into_iter().all(within) && self.left <= self.right && self.top <= self.bottom
    }

    fn area(&self) -> f32 {
        (self.right - self.left).max(0.0) * (self.bottom - self.top).max(0.0)
    }

    /// Intersection over union.
    fn overlap(&self, other: &Bounds) -> f32 {
        let common = Bounds {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        let shared = common.area();
        let union = self.area() + other.area() - shared;
        if union > 0.0 { shared / union } else { 0.0 }
    }
}

/// An object that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Detection {
    /// Number of its class.
    pub class: usize,
    /// Name of its class.
    pub label: String,
    /// How sure the model is, 0 to 1.
    pub score: f32,
    /// Where it is.
    #[serde(flatten)]
    pub bounds: Bounds,
}

/// Boxes of one class that overlap a better one by more than this are dropped.
const MAX_OVERLAP: f32 = 0.45;
/// Most candidates that are compared with one another.
const MAX_CANDIDATES: usize = 3000;

/// Non-maximum suppression per class: keeps the best box of each group that overlaps. The result is sorted by score.
pub(crate) fn suppress(mut candidates: Vec<Detection>) -> Vec<Detection> {
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    candidates.truncate(MAX_CANDIDATES);
    let mut kept: Vec<Detection> = Vec::new();
    for candidate in candidates {
        let covers = |better: &Detection| {
            better.class == candidate.class && better.bounds.overlap(&candidate.bounds) > MAX_OVERLAP
        };
        if !kept.iter().any(covers) {
            kept.push(candidate);
        }
    }
    kept
}
