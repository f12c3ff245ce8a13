//! Non-maximum suppression: drops boxes that overlap a better one too much.

use arenite_abi::prelude::*;

use super::number::real;

/// A box as y1, x1, y2, x2; its corners may be in any order.
pub type Corners = [f32; 4];

/// The intersection over the union of two boxes.
pub fn overlap(a: &Corners, b: &Corners) -> f32 {
    let ordered = |c: &Corners| [c[0].min(c[2]), c[1].min(c[3]), c[0].max(c[2]), c[1].max(c[3])];
    let (a, b) = (ordered(a), ordered(b));
    let area = |c: &Corners| (c[2] - c[0]) * (c[3] - c[1]);
    if area(&a) <= 0.0 || area(&b) <= 0.0 {
        return 0.0;
    }
    let sides = [0, 1].map(|i| (a[i + 2].min(b[i + 2]) - a[i].max(b[i])).max(0.0));
    let common = sides[0] * sides[1];
    common / (area(&a) + area(&b) - common)
}

/// Reads the overlap threshold, the only element of `x`.
///
/// # Errors
/// It is not in 0..=1.
pub fn limit(x: &TensorView<'_>) -> Result<f32> {
    let limit = real(x)? as f32;
    ensure!((0.0..=1.0).contains(&limit), "the overlap is {limit}; it must be in 0..=1");
    Ok(limit)
}

/// Selects at most `most` boxes with scores above `lowest`, best first, dropping those that overlap a better one by
/// more than `limit`.
pub fn select(boxes: &[Corners], scores: &[f32], most: usize, limit: f32, lowest: f32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..boxes.len().min(scores.len())).filter(|&i| scores[i] > lowest).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut stay: Vec<usize> = Vec::new();
    for i in order {
        if stay.len() >= most {
            break;
        }
        if stay.iter().rev().all(|&other| overlap(&boxes[i], &boxes[other]) <= limit) {
            stay.push(i);
        }
    }
    stay
}
