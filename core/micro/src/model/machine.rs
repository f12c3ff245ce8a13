//! `Machine`: a model with its subgraphs and resources.

use core::cell::Cell;

use arenite_model::{Model, detail};

use super::graph::{Graph, Scales};
use super::observer::NodeObserver;
use super::resources::Resources;
use crate::arena::{Arena, Category};
use crate::error::{Error, Result};
use crate::ops::Ops;

/// Maximum depth of nested calls.
pub(crate) const MAX_NESTING: u8 = 8;

/// Default limit on calls of subgraphs per invocation. It stops endless loops.
pub(crate) const DEFAULT_MAX_CALLS: u32 = 10_000_000;

/// A model with its subgraphs and resources.
pub(crate) struct Machine<'a> {
    pub model: Model<'a>,
    pub ops: Ops<'a>,
    main: Graph<'a>,
    /// All subgraphs but the first.
    others: &'a [Graph<'a>],
    pub resources: Resources<'a>,
    pub scales: Cell<Option<&'a Scales<'a>>>,
    /// How many times nodes used other parts of the model while they were prepared.
    pub asked: Cell<u32>,
    /// Called around each node that runs.
    pub observer: Option<&'a dyn NodeObserver>,
    pub most_calls: u32,
    /// How many more calls the current invocation may make.
    pub calls_left: Cell<u32>,
}

impl<'a> Machine<'a> {
    /// Creates the subgraphs. `build` adds slots to each one when it is first used.
    pub(crate) fn new(model: Model<'a>, ops: Ops<'a>, arena: &Arena<'a>) -> Result<Self> {
        let subgraphs = model.subgraphs();
        let main =
            Graph::new(0, subgraphs.get(0).ok_or(Error::Index { index: detail(0), count: detail(0) })?);
        let mut rest = subgraphs.iter().enumerate().skip(1);
        let first = main.subgraph;
        let others = arena.persistent(subgraphs.len() - 1, Category::Subgraphs, |_| {
            let (index, subgraph) = rest.next().unwrap_or((0, first));
            Graph::new(index, subgraph)
        })?;
        Ok(Machine {
            model,
            ops,
            main,
            others,
            resources: Resources::default(),
            scales: Cell::new(None),
            asked: Cell::new(0),
            observer: None,
            most_calls: DEFAULT_MAX_CALLS,
            calls_left: Cell::new(0),
        })
    }

    pub(crate) fn main(&self) -> &Graph<'a> {
        &self.main
    }

    /// All subgraphs that nodes can use: without the feature `subgraphs` the main one.
    pub(crate) fn graphs(&self) -> impl Iterator<Item = &Graph<'a>> {
        let others = if cfg!(feature = "subgraphs") { self.others } else { &[] };
        core::iter::once(&self.main).chain(others)
    }

    /// The prepared subgraphs.
    pub(crate) fn ready(&self) -> impl Iterator<Item = &Graph<'a>> {
        self.graphs().filter(|graph| graph.is_ready())
    }

    pub(crate) fn graph(&self, index: usize) -> Option<&Graph<'a>> {
        if index == 0 { Some(&self.main) } else { self.others.get(index - 1) }
    }

    pub(crate) fn count(&self) -> usize {
        1 + self.others.len()
    }

    /// The copy of a tensor's scales, if there is one.
    pub(crate) fn copied_scales(&self, subgraph: usize, tensor: usize) -> Option<&'a Scales<'a>> {
        let list = core::iter::successors(self.scales.get(), |scales| scales.next);
        list.into_iter().find(|scales| (scales.subgraph, scales.tensor) == (subgraph, tensor))
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        self.graphs().for_each(Graph::drop_states);
    }
}
