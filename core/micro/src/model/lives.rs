//! When tensors and scratch buffers are in use.
//!
//! Lifetimes follow TensorFlow Lite Micro: a tensor is in use from the node that writes it (an input: from the first
//! node) to the last node that reads it; an output of the model stays until the end. The clock counts nodes. A node
//! that calls subgraphs lasts as long as their nodes:
//!
//! ```text
//! main        0      1 ────────────── 4     5          node 1 calls A, then B, so it takes the times 1 to 4
//! A                  1   2                             inputs and outputs of A and B stay in use for all of that time:
//! B                          3   4                     node 1 may call A and B again, and pass values between them
//! ```
//!
//! A subgraph with several callers gets its times once; its tensors stay in use until the last call.

use core::ops::Range;

use super::graph::Graph;
use super::life::{Life, note_lives};
use super::machine::{MAX_NESTING, Machine};
use crate::arena::{Arena, Temp};
use crate::error::Result;

/// The lives of all prepared subgraphs: for each subgraph, tensors first, then nodes.
pub(crate) struct Lives<'t> {
    list: Temp<'t, Life>,
}

impl<'t> Lives<'t> {
    pub(crate) fn new(machine: &Machine<'_>, arena: &'t Arena<'_>) -> Result<Self> {
        let total = machine.ready().map(entries).sum();
        let mut lives = Lives { list: arena.temporary(total, |_| Life::NONE)? };
        let end = lives.assign_times(machine, machine.main(), 0);
        if cfg!(feature = "subgraphs") {
            extend_repeated(machine);
        }
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
    pub(crate) fn of_tensor(&self, machine: &Machine<'_>, graph: &Graph<'_>, t: usize) -> Life {
        self.list[self.ranges(machine, graph).0.start + t]
    }

    /// When `node` runs.
    pub(crate) fn of_node(&self, machine: &Machine<'_>, graph: &Graph<'_>, node: usize) -> Life {
        self.list[self.ranges(machine, graph).1.start + node]
    }

    /// The index ranges of a subgraph's tensors and nodes.
    fn ranges(&self, machine: &Machine<'_>, graph: &Graph<'_>) -> (Range<usize>, Range<usize>) {
        let first = machine.ready().take_while(|other| other.index < graph.index).map(entries).sum::<usize>();
        let middle = first + graph.slots.get().len();
        (first..middle, middle..first + entries(graph))
    }

    /// Assigns times to the nodes of a subgraph, starting at `now`, and to the subgraphs that they call. Returns the
    /// next free time. Recurses once per nested call; `prepare` bounds the depth.
    fn assign_times<'a>(&mut self, machine: &Machine<'a>, graph: &Graph<'a>, mut now: u32) -> u32 {
        let first = self.ranges(machine, graph).1.start;
        for node in 0..graph.nodes.get().len() {
            let mut life = Life::at(now);
            for callee in callees(machine, graph, node) {
                match callee.span.get().is_some() {
                    true => callee.until.set(callee.until.get().max(now)),
                    false => now = self.assign_times(machine, callee, now),
                }
                life.last = now;
            }
            for callee in callees(machine, graph, node) {
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

/// The subgraphs that a node calls.
#[cfg(feature = "subgraphs")]
fn callees<'m, 'a>(
    machine: &'m Machine<'a>,
    graph: &'m Graph<'a>,
    node: usize,
) -> impl Iterator<Item = &'m Graph<'a>> {
    graph.callees(node).filter_map(|callee| machine.graph(callee))
}

#[cfg(not(feature = "subgraphs"))]
fn callees<'m, 'a>(_: &'m Machine<'a>, _: &'m Graph<'a>, _: usize) -> [&'m Graph<'a>; 0] {
    []
}

fn entries(graph: &Graph<'_>) -> usize {
    graph.slots.get().len() + graph.nodes.get().len()
}

/// A repeated call repeats the calls that it makes: passes `until` on to callees.
fn extend_repeated(machine: &Machine<'_>) {
    for _ in 0..MAX_NESTING {
        for graph in machine.ready() {
            let callees = graph.calls().filter_map(|call| machine.graph(call.callee as usize));
            callees.for_each(|callee| callee.until.set(callee.until.get().max(graph.until.get())));
        }
    }
}
