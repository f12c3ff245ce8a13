//! One score per class.

use arenite::Tensor;
use arenite_common::values::{element_count, reals};
use serde::Serialize;

/// A class, its name, and its score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedClass {
    /// Number of the class.
    pub index: usize,
    /// Its name, or `class N` without labels.
    pub label: String,
    /// The score's real value.
    pub confidence: f64,
}

/// The best classes of an output.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    /// Number of classes.
    pub count: usize,
    /// The best ones, best first.
    pub top: Vec<RankedClass>,
    /// Whether the scores are probabilities: none negative, about 1 together.
    pub probabilities: bool,
}

/// Quantized probabilities of many classes do not add up to 1 exactly.
const SUM_TOLERANCE: f64 = 0.2;

/// Whether a tensor can have one score per class: all its elements are along the last dimension, and there are two or
/// more.
pub fn is_scores(tensor: &Tensor<'_>) -> bool {
    let classes = tensor.shape.last().and_then(|&d| usize::try_from(d).ok());
    classes.is_some_and(|classes| classes > 1 && classes == element_count(tensor.shape))
}

/// Ranks the classes of a tensor with one score per class; equal scores keep the order of their numbers.
pub(crate) fn rank(tensor: &Tensor<'_>, bytes: &[u8], labels: &[String], count: usize) -> Classes {
    let scores = reals(tensor, bytes);
    let sum: f64 = scores.iter().sum();
    let probabilities = (sum - 1.0).abs() <= SUM_TOLERANCE && scores.iter().all(|&p| p >= 0.0);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    let by_rank = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
    if count < order.len() {
        // Only the best are sorted.
        order.select_nth_unstable_by(count, by_rank);
        order.truncate(count);
    }
    order.sort_unstable_by(by_rank);
    let ranked = |index: usize| RankedClass { index, label: label(labels, index), confidence: scores[index] };
    Classes { top: order.into_iter().map(ranked).collect(), count: scores.len(), probabilities }
}

/// The name of a class, or `class N`.
pub(crate) fn label(labels: &[String], index: usize) -> String {
    labels.get(index).filter(|name| !name.is_empty()).cloned().unwrap_or_else(|| format!("class {index}"))
}
