//! Boxes that overlap better ones too much are left out.

use arenite_abi::prelude::*;

use super::number::real;

/// A box: y1, x1, y2, x2, in any order of its corners.
pub type Corners = [f32; 4];

/// The part of the union that the intersection is.
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

/// The overlap that is allowed: the one number of `x`.
pub fn limit(x: &TensorView<'_>) -> Result<f32> {
    let limit = real(x)? as f32;
    ensure!((0.0..=1.0).contains(&limit), "the overlap is {limit}; it must lie in 0..=1");
    Ok(limit)
}

/// The boxes that stay, the best first: at most `most`, all above `lowest`.
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
