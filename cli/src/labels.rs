//! Class names for a model's scores.

use std::path::Path;

use arenite::Tensor;
use serde::Serialize;

use crate::answer::{Failure, Result};
use crate::text;
use arenite_common::file;
use arenite_common::values::{element_count, reals};

/// Most bytes of a file of labels.
const MAX_BYTES: u64 = 16 << 20;

/// A class, its name, and how sure the model is.
#[derive(Serialize)]
pub struct Ranked {
    pub index: usize,
    pub label: String,
    /// The score's real value.
    pub confidence: f64,
}

/// The best classes of a model's answer.
pub struct Ranking {
    /// How many classes the model tells apart.
    pub classes: usize,
    pub top: Vec<Ranked>,
    /// Whether the scores are probabilities: none negative, about 1 together.
    pub probabilities: bool,
}

/// Reads a file with the name of class n in line n, counted from 0.
pub fn read(path: &Path) -> Result<Vec<String>> {
    let text = file::read_text(path, MAX_BYTES).map_err(|e| Failure::with(path.display(), e))?;
    Ok(text.trim_end().lines().map(|line| line.trim().to_owned()).collect())
}

/// Whether a tensor has one score per class: all its elements along the last dimension.
pub fn is_scores(tensor: &Tensor<'_>) -> bool {
    let classes = tensor.shape.last().and_then(|&d| usize::try_from(d).ok());
    classes.is_some_and(|classes| classes > 1 && classes == element_count(tensor.shape))
}

/// The `count` classes with the highest scores; equal ones in the order of their numbers.
///
/// # Errors
/// A tensor that has no scores.
pub fn rank(tensor: &Tensor<'_>, labels: &[String], count: usize) -> Result<Ranking> {
    let scores = reals(tensor, tensor.bytes()?);
    if !is_scores(tensor) || scores.is_empty() {
        return Err(Failure::new(format!(
            "output '{}' is {} {}: not one score per class, as --labels needs",
            text::Visible(tensor.name),
            tensor.ty,
            text::shape(tensor.shape)
        )));
    }
    let sum: f64 = scores.iter().sum();
    let probabilities = (sum - 1.0).abs() <= SUM_TOLERANCE && scores.iter().all(|&p| p >= 0.0);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let ranked = |index: usize| Ranked {
        index,
        label: labels.get(index).cloned().unwrap_or_else(|| format!("class {index}")),
        confidence: scores[index],
    };
    Ok(Ranking {
        top: order.into_iter().take(count).map(ranked).collect(),
        classes: scores.len(),
        probabilities,
    })
}

/// Quantized probabilities of many classes do not add up to 1 exactly.
const SUM_TOLERANCE: f64 = 0.2;
