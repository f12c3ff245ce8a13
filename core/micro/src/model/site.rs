//! `Site`: a subgraph while it is prepared or runs, with its model and arena.

use super::graph::Graph;
use super::machine::Machine;
use super::node::Spec;
use crate::arena::Arena;
use crate::error::{Error, Result};
use arenite_model::detail;

/// A subgraph while it is prepared or runs.
#[derive(Clone, Copy)]
pub(crate) struct Site<'h, 'a> {
    pub machine: &'h Machine<'a>,
    pub arena: &'h Arena<'a>,
    pub graph: &'h Graph<'a>,
    /// Number of callers around it.
    pub depth: u8,
}

impl<'h, 'a> Site<'h, 'a> {
    /// The main subgraph.
    pub(crate) fn main(machine: &'h Machine<'a>, arena: &'h Arena<'a>) -> Self {
        Site { machine, arena, graph: machine.main(), depth: 0 }
    }

    /// `graph` as a callee of this subgraph.
    pub(crate) fn within(self, graph: &'h Graph<'a>) -> Self {
        Site { graph, depth: self.depth + 1, ..self }
    }

    /// Reads a node from the model.
    pub(crate) fn spec(self, node: usize) -> Result<Spec<'a>> {
        let operator = self.graph.operator(node)?;
        let code = self.machine.model.operator_code(&operator);
        Ok(Spec::new(&operator, &code.ok_or(Error::Index { index: detail(node), count: detail(0) })?))
    }
}
