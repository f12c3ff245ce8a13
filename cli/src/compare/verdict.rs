//! Compares recorded tensors.

use std::collections::{BTreeMap, BTreeSet};

use arenite::model_file::SubGraph;
use serde::Serialize;

use super::recording::{RecordedTensor, Recording, Values};
use crate::difference::Sums;
use crate::text;

/// A tensor that both sides have.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ComparedTensor {
    pub tensor: usize,
    pub name: String,
    #[serde(rename = "type")]
    pub ty: &'static str,
    pub shape: Vec<i32>,
    /// The op or delegate that computed it on the second side.
    pub by: String,
    /// Whether the difference exceeds the tolerance, or the shapes differ.
    pub differs: bool,
    /// Null if the values cannot be compared.
    pub difference: Option<Distance>,
    /// Why the values cannot be compared.
    pub error: Option<String>,
}

/// The distance between two values of a tensor, as real numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Distance {
    /// The largest absolute difference; null for a difference without size, such as NaN and 1.
    pub largest: Option<f64>,
    /// Position of that element, one index per dimension.
    pub at: Vec<usize>,
    /// Both values there.
    pub values: [Option<f64>; 2],
    /// The mean absolute difference.
    pub mean: f64,
    /// The cosine of the angle between the tensors; null if one of them is zero.
    pub cosine: Option<f64>,
    /// The largest difference that counts as equal.
    pub allowed: f64,
}

/// Compares the tensors that both recordings have, in the order of the second one.
pub(super) fn compare(expected: &Recording, got: &Recording, tolerance: f64) -> Vec<ComparedTensor> {
    let pair = |&index: &usize| Some((index, expected.tensors.get(&index)?, got.tensors.get(&index)?));
    got.order.iter().filter_map(pair).map(|(index, a, b)| compare_one(index, a, b, tolerance)).collect()
}

fn compare_one(index: usize, a: &RecordedTensor, b: &RecordedTensor, tolerance: f64) -> ComparedTensor {
    let (difference, error) = match distance(a, b, tolerance) {
        Ok(distance) => (Some(distance), None),
        Err(error) => (None, Some(error)),
    };
    let is_far = |d: &Distance| d.largest.is_none_or(|largest| largest > d.allowed);
    ComparedTensor {
        tensor: index,
        name: b.name.clone(),
        ty: b.ty.name(),
        shape: b.shape.clone(),
        by: b.by.clone(),
        differs: difference.as_ref().is_some_and(is_far) || a.shape != b.shape,
        difference,
        error,
    }
}

fn distance(a: &RecordedTensor, b: &RecordedTensor, tolerance: f64) -> Result<Distance, String> {
    if a.shape != b.shape {
        return Err(format!("the shapes are {} and {}", text::shape(&a.shape), text::shape(&b.shape)));
    }
    let (expected, got) = match (&a.values, &b.values) {
        (Values::Missing(reason), _) | (_, Values::Missing(reason)) => return Err(reason.clone()),
        (Values::Reals(a), Values::Reals(b)) => (a, b),
    };
    let sums = Sums::of(expected, got);
    let one_step = b.step.unwrap_or(0.0) * 1.001;
    let value = |list: &[f64]| list.get(sums.at).copied().filter(|value| value.is_finite());
    Ok(Distance {
        largest: sums.largest(),
        at: position(sums.at, &b.shape),
        values: [value(expected), value(got)],
        mean: sums.total / (expected.len().max(1) as f64),
        cosine: sums.cosine(),
        allowed: one_step.max(tolerance * sums.magnitude),
    })
}

/// The position of an element in a tensor of this shape.
fn position(mut i: usize, shape: &[i32]) -> Vec<usize> {
    let mut at: Vec<usize> = Vec::new();
    for &dim in shape.iter().rev() {
        let dim = usize::try_from(dim).unwrap_or(1).max(1);
        at.push(i % dim);
        i /= dim;
    }
    at.reverse();
    at
}

/// The nodes that compute tensor `first` of `tensors` from tensors that were compared and agree, from constants and
/// from inputs.
pub(super) fn suspects(graph: &SubGraph<'_>, tensors: &[ComparedTensor], first: usize) -> Vec<usize> {
    let agrees =
        |tensor: usize| tensors.iter().any(|c| c.tensor == tensor && !c.differs && c.error.is_none());
    let Some(start) = tensors.get(first) else { return Vec::new() };
    let mut writers = BTreeMap::new();
    for (node, operator) in graph.operators().iter().enumerate() {
        for tensor in operator.outputs().iter().filter_map(|t| usize::try_from(t).ok()) {
            writers.insert(tensor, (node, operator.inputs()));
        }
    }
    let (mut found, mut open) = (BTreeSet::new(), vec![start.tensor]);
    while let Some(tensor) = open.pop() {
        let Some((node, inputs)) = writers.get(&tensor) else { continue };
        if found.insert(*node) {
            let inputs = inputs.iter().filter_map(|t| usize::try_from(t).ok());
            open.extend(inputs.filter(|&input| !agrees(input)));
        }
    }
    found.into_iter().collect()
}

/// The subgraph's outputs among `tensors`, in the model's order.
pub(super) fn outputs(graph: &SubGraph<'_>, tensors: &[ComparedTensor]) -> Vec<ComparedTensor> {
    let outputs = graph.outputs().iter().filter_map(|t| usize::try_from(t).ok());
    outputs.filter_map(|t| tensors.iter().find(|compared| compared.tensor == t)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farthest_element_is_found_by_dimension() {
        assert_eq!(position(0, &[]), [0usize; 0]);
        assert_eq!(position(17, &[2, 3, 4]), [1, 1, 1]);
    }
}
