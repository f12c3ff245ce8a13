//! Answers that people understand.

use crate::boxes::Detection;
use crate::classes::Classes;
use crate::grids::{Map, Painting, Segmentation};
use crate::poses::Pose;

/// The meaning of some outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The outputs it was read from.
    pub outputs: Vec<usize>,
    /// The answer.
    pub answer: Answer,
}

/// An answer that people understand.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Scores of classes.
    Classes(Classes),
    /// Objects with boxes, best first.
    Detections(Vec<Detection>),
    /// A class per pixel.
    Segmentation(Segmentation),
    /// People.
    Poses(Vec<Pose>),
    /// A number per pixel.
    Map(Map),
    /// A picture.
    Painting(Painting),
}
