//! Functions of bytes that differ from column to column, as straight lines: sums and products with a constant row.

use std::sync::Arc;

use arenite_abi::prelude::*;

use arenite_layers::Layer;

use super::{Build, Quantized, unsigned};
use crate::net::{self, Net, Own};
use crate::program::Step;
use crate::steps::lines_u8::{Columns, LinesU8};

/// Most lines one behind the other.
const MOST: usize = 4;

/// Lines, one behind the other.
#[derive(Clone)]
pub struct Lines {
    stages: Vec<Arc<Columns>>,
    columns: usize,
}

impl Lines {
    /// One for each column.
    pub fn new(stage: Columns, columns: usize) -> Lines {
        Lines { stages: vec![Arc::new(stage)], columns }
    }

    /// These after those of `first`; `None` if they are too many or have other columns.
    pub fn after(&self, first: &Lines) -> Option<Lines> {
        let stages: Vec<_> = first.stages.iter().chain(&self.stages).cloned().collect();
        let fits = first.columns == self.columns && stages.len() <= MOST;
        fits.then_some(Lines { stages, columns: self.columns })
    }

    /// A node of the net.
    pub fn of<'a>(node: &'a net::Node<'_>) -> Option<&'a Lines> {
        match &node.layer {
            Layer::Own(Own::Quantized(Quantized::Lines(lines))) => Some(lines),
            _ => None,
        }
    }

    /// The step.
    pub fn build(&self, node: &net::Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        unsigned(net, output)?;
        Ok(Box::new(LinesU8 {
            lines: build.bytes.lines,
            stages: self.stages.clone(),
            columns: self.columns,
            input,
            output,
        }))
    }
}
