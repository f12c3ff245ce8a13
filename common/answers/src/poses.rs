//! Poses: the 17 key points of COCO, as MoveNet gives them.

use serde::Serialize;

use crate::clues::{Clues, Output};

/// Names of COCO's key points, in the order of the models.
pub const KEYPOINTS: [&str; 17] = [
    "nose",
    "left eye",
    "right eye",
    "left ear",
    "right ear",
    "left shoulder",
    "right shoulder",
    "left elbow",
    "right elbow",
    "left wrist",
    "right wrist",
    "left hip",
    "right hip",
    "left knee",
    "right knee",
    "left ankle",
    "right ankle",
];

/// Pairs of key points that a bone joins.
pub(crate) const BONES: [(usize, usize); 16] = [
    (0, 1),
    (0, 2),
    (1, 3),
    (2, 4),
    (5, 6),
    (5, 7),
    (7, 9),
    (6, 8),
    (8, 10),
    (5, 11),
    (6, 12),
    (11, 12),
    (11, 13),
    (13, 15),
    (12, 14),
    (14, 16),
];

/// A person.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pose {
    /// How sure the model is that this is a person, 0 to 1.
    pub score: f32,
    /// The key points, in the order of [`KEYPOINTS`].
    pub keypoints: Vec<Keypoint>,
}

/// A key point in fractions of the picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keypoint {
    /// Its name, such as `left knee`.
    pub name: &'static str,
    /// Distance from the left.
    pub x: f32,
    /// Distance from the top.
    pub y: f32,
    /// How sure the model is, 0 to 1.
    pub score: f32,
}

/// Numbers per person of a model for several: 17 key points, a box, a score.
const MULTI: usize = 56;

/// Poses in an output of shape `[…,17,3]` (one person) or `[1,N,56]` (several); each key point is y, x, score.
pub(crate) fn read(output: &Output<'_>, clues: &Clues<'_>) -> Option<Vec<Pose>> {
    let values = output.reals();
    let people: Vec<&[f64]> = match *output.tensor.shape {
        [.., 17, 3] if values.len() == 51 => vec![&values],
        [1, n, 56] if n >= 1 => values.chunks_exact(MULTI).collect(),
        _ => return None,
    };
    let is_multi = people.first().is_some_and(|person| person.len() == MULTI);
    let poses = people.into_iter().map(|person| pose(person, is_multi)).collect::<Option<Vec<_>>>()?;
    let is_sure = |pose: &Pose| !is_multi || pose.score >= clues.threshold;
    Some(poses.into_iter().filter(is_sure).collect())
}

/// `None` if the numbers are no key points.
fn pose(person: &[f64], is_multi: bool) -> Option<Pose> {
    let keypoint = |(name, point): (&'static str, &[f64])| {
        let &[y, x, score] = point else { return None };
        let is_plausible = (0.0..=1.0).contains(&score) && [x, y].iter().all(|v| (-0.5..=1.5).contains(v));
        is_plausible.then_some(Keypoint { name, x: x as f32, y: y as f32, score: score as f32 })
    };
    let keypoints: Vec<Keypoint> =
        KEYPOINTS.into_iter().zip(person.chunks_exact(3)).map(keypoint).collect::<Option<_>>()?;
    let mean = keypoints.iter().map(|k| k.score).sum::<f32>() / keypoints.len() as f32;
    let score = if is_multi { *person.last()? as f32 } else { mean };
    Some(Pose { score, keypoints })
}
