//! When tensors and scratch buffers live.
//!
//! Lifetimes are TensorFlow Lite Micro's: a tensor lives from the node that writes it (an input from the first node on) to the last one that
//! reads it, an output of the model until the end. A clock counts nodes; while a node runs that calls subgraphs, it counts theirs:
//!
//! ```text
//! main        0      1 ────────────── 4     5          node 1 calls A, then B; so it lives from 1 to 4
//! A                  1   2                             inputs and outputs of A and B live as long as that node:
//! B                          3   4                     it may call either again, and hand values from one to the other
//! ```
//!
//! A subgraph that is called by more than one node is counted once: what it holds lives until it is called last.

use core::ops::Range;

use arenite_model::{List, SubGraph};

use crate::arena::{Arena, Temp};
use crate::error::Result;
use crate::graph::Graph;
use crate::machine::{MOST_NESTED, Machine};

/// First and last time of a life; `first` above `last` while nothing is known of it.
#[derive(Clone, Copy)]
pub(crate) struct Life {
    pub first: u32,
    pub last: u32,
}

impl Life {
    pub const NONE: Life = Life { first: u32::MAX, last: 0 };

    /// So long as this node.
    pub fn at(time: u32) -> Self {
        Life { first: time, last: time }
    }

    /// Whether anything is known of it.
    pub fn is_some(&self) -> bool {
        self.first <= self.last
    }

    fn include(&mut self, other: Life) {
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }

    /// A life that goes on until then.
    fn extend(&mut self, until: u32) {
        if self.is_some() {
            self.last = self.last.max(until);
        }
    }
}

/// Notes the life of each tensor of a subgraph, if node `i` runs at `time(i)`. Inputs live at least while `given`, outputs while `taken`.
pub(crate) fn note_lives(
    subgraph: &SubGraph<'_>,
    lives: &mut [Life],
    time: impl Fn(usize) -> Life,
    [given, taken]: [Life; 2],
) {
    let mut include = |tensors: List<'_, i32>, life| {
        for t in tensors.iter().filter_map(|t| usize::try_from(t).ok()) {
            lives[t].include(life);
        }
    };
    include(subgraph.inputs(), given);
    for (node, operator) in subgraph.operators().iter().enumerate() {
        include(operator.inputs(), time(node));
        include(operator.outputs(), time(node));
    }
    include(subgraph.outputs(), taken);
}

/// The lives of all that is prepared: of each subgraph its tensors, then its nodes.
pub(crate) struct Lives<'t> {
    list: Temp<'t, Life>,
}

impl<'t> Lives<'t> {
    pub fn new(machine: &Machine<'_>, arena: &'t Arena<'_>) -> Result<Self> {
        let total = machine.ready().map(entries).sum();
        let mut lives = Lives { list: arena.temporary(total, |_| Life::NONE)? };
        let end = lives.walk(machine, machine.main(), 0);
        settle(machine);
        for graph in machine.ready() {
            let (tensors, nodes) = lives.ranges(machine, graph);
            let (before, behind) = lives.list.split_at_mut(nodes.start);
            let (tensors, nodes) = (&mut before[tensors], &mut behind[..nodes.len()]);
            let span = graph.span.get();
            let ports = if graph.index == 0 { [Life::at(0), Life::at(end)] } else { [span, span] };
            note_lives(&graph.subgraph, tensors, |node| nodes[node], ports);
            tensors.iter_mut().chain(nodes).for_each(|life| life.extend(graph.until.get()));
        }
        Ok(lives)
    }

    /// The life of tensor `t`.
    pub fn of_tensor(&self, machine: &Machine<'_>, graph: &Graph<'_>, t: usize) -> Life {
        self.list[self.ranges(machine, graph).0.start + t]
    }

    /// When node `node` is at work.
    pub fn of_node(&self, machine: &Machine<'_>, graph: &Graph<'_>, node: usize) -> Life {
        self.list[self.ranges(machine, graph).1.start + node]
    }

    /// Where a subgraph's tensors are, and its nodes.
    fn ranges(&self, machine: &Machine<'_>, graph: &Graph<'_>) -> (Range<usize>, Range<usize>) {
        let first = machine.ready().take_while(|other| other.index < graph.index).map(entries).sum::<usize>();
        let middle = first + graph.slots.get().len();
        (first..middle, middle..first + entries(graph))
    }

    /// Gives the nodes of a subgraph their times from `now` on, and those of the subgraphs that they call; gives the time behind them. As
    /// deep as calls are nested, which is bounded.
    fn walk(&mut self, machine: &Machine<'_>, graph: &Graph<'_>, mut now: u32) -> u32 {
        let first = self.ranges(machine, graph).1.start;
        for node in 0..graph.nodes.get().len() {
            let mut life = Life::at(now);
            for callee in graph.callees(node).filter_map(|callee| machine.graph(callee)) {
                match callee.span.get().is_some() {
                    true => callee.until.set(callee.until.get().max(now)),
                    false => now = self.walk(machine, callee, now),
                }
                life.last = now;
            }
            for callee in graph.callees(node).filter_map(|callee| machine.graph(callee)) {
                let mut span = callee.span.get();
                span.include(life);
                callee.span.set(span);
            }
            self.list[first + node] = life;
            now += 1;
        }
        now
    }
}

fn entries(graph: &Graph<'_>) -> usize {
    graph.slots.get().len() + graph.nodes.get().len()
}

/// What is called again calls again what it calls.
fn settle(machine: &Machine<'_>) {
    for _ in 0..MOST_NESTED {
        for graph in machine.ready() {
            let callees = graph.calls().filter_map(|call| machine.graph(call.callee as usize));
            callees.for_each(|callee| callee.until.set(callee.until.get().max(graph.until.get())));
        }
    }
}
