//! Functions of bytes that differ from column to column, as straight lines: sums and products with a constant row.

use std::sync::Arc;

use arenite_abi::prelude::*;

use super::quantization::raised;
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::lines_u8::{Columns, LinesU8};

/// Most lines in sequence.
const MOST: usize = 4;

/// Lines that are applied in sequence.
#[derive(Clone)]
pub(crate) struct Lines {
    stages: Vec<Arc<Columns>>,
    columns: usize,
}

impl Lines {
    /// One for each column.
    pub(crate) fn new(stage: Columns, columns: usize) -> Lines {
        Lines { stages: vec![Arc::new(stage)], columns }
    }

    /// The lines of `first`, followed by these. `None` if that is too many lines, or the columns differ.
    pub(crate) fn after(&self, first: &Lines) -> Option<Lines> {
        let stages: Vec<_> = first.stages.iter().chain(&self.stages).cloned().collect();
        let fits = first.columns == self.columns && stages.len() <= MOST;
        fits.then_some(Lines { stages, columns: self.columns })
    }

    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let ((_, flip), (_, unflip)) = (raised(net, input)?, raised(net, output)?);
        Ok(Box::new(LinesU8 {
            lines: build.bytes.lines,
            stages: self.stages.clone(),
            flips: [flip, unflip],
            columns: self.columns,
            input,
            output,
        }))
    }
}
