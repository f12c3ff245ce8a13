//! Compares the tensors of two sides, and narrows a difference down to nodes.

use arenite::model_file::SubGraph;
use serde::Serialize;

use super::narrow::{self, InsideSearch};
use super::recording::Recording;
use super::verdict::{self, ComparedTensor};
use crate::answer::{Failure, Result};

/// The tensors of two sides, compared.
#[derive(Serialize)]
pub struct Comparison {
    /// Tensors that both sides have, in execution order.
    pub tensors: Vec<ComparedTensor>,
    /// Index in `tensors` of the first one that differs beyond the tolerance.
    pub first: Option<usize>,
    /// Nodes that compute the first differing tensor from tensors that agree.
    pub nodes: Vec<usize>,
    /// If they are inside a partition: what another run with its tensors kept shows.
    pub inside: Option<InsideSearch>,
    /// The outputs.
    pub outputs: Vec<ComparedTensor>,
}

/// Runs one side once, and records its tensors; the tensors of this list even inside a partition.
pub type Record<'a> = &'a mut dyn FnMut(&[usize]) -> Result<Recording>;

/// The side that is right.
pub enum Expected<'a> {
    /// Values from elsewhere.
    Values(Recording),
    /// A run, which can be repeated.
    Run(Record<'a>),
}

impl Comparison {
    /// Compares two sides of a subgraph.
    ///
    /// # Errors
    /// A side fails to run, or both have no tensor in common.
    pub fn of(graph: &SubGraph<'_>, expected: Expected<'_>, got: Record<'_>, tolerance: f64) -> Result<Self> {
        let (values, mut again) = match expected {
            Expected::Values(values) => (values, None),
            Expected::Run(record) => (record(&[])?, Some(record)),
        };
        let tensors = verdict::compare(&values, &got(&[])?, tolerance);
        if tensors.is_empty() {
            return Err(Failure::new("both sides have no tensor in common, so nothing was compared"));
        }
        let first = tensors.iter().position(|compared| compared.differs);
        let nodes = first.map_or_else(Vec::new, |i| verdict::suspects(graph, &tensors, i));
        let mut comparison =
            Comparison { outputs: verdict::outputs(graph, &tensors), tensors, first, nodes, inside: None };
        comparison.look_inside(graph, &values, &mut again, got, tolerance);
        Ok(comparison)
    }

    /// Searches inside a partition, if the difference arose among several nodes.
    fn look_inside(
        &mut self,
        graph: &SubGraph<'_>,
        values: &Recording,
        again: &mut Option<Record<'_>>,
        got: Record<'_>,
        tolerance: f64,
    ) {
        let Some(start) = self.first.and_then(|i| self.tensors.get(i)).filter(|_| self.nodes.len() > 1)
        else {
            return;
        };
        let (start, has_run) = (start.tensor, again.is_some());
        let can_compare = |t: usize| has_run || values.tensors.contains_key(&t);
        let mut run = |kept: &[usize]| {
            let got = got(kept)?;
            match again {
                // Reference ops hide no tensor; another delegate does.
                Some(again) if kept.iter().any(|t| !values.tensors.contains_key(t)) => {
                    Ok(verdict::compare(&again(kept)?, &got, tolerance))
                }
                _ => Ok(verdict::compare(values, &got, tolerance)),
            }
        };
        self.inside = narrow::search(graph, &self.nodes, start, &can_compare, &mut run);
    }

    /// The first tensor that differs, inside a partition if it was found there.
    pub fn first_difference(&self) -> Option<&ComparedTensor> {
        let outside = self.first.and_then(|i| self.tensors.get(i))?;
        Some(self.inside.as_ref().and_then(|inside| inside.first.as_ref()).unwrap_or(outside))
    }
}
