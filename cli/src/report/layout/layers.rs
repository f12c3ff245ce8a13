//! Assigns layers, and inserts a bend wherever a tensor crosses a layer.

use std::collections::BTreeMap;

/// The most bends of a drawing. Tensors beyond it are drawn as straight lines.
const MOST_BENDS: usize = 200_000;

/// A tensor from the vertex that writes it to one that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub from: usize,
    pub tensor: i32,
    pub to: usize,
}

/// A vertex or a bend.
#[derive(Debug)]
pub(super) struct Slot {
    pub width: i32,
    pub layer: usize,
    /// The tensor that bends here; −1 for a vertex.
    pub tensor: i32,
    /// Neighbours in the layer above.
    pub above: Vec<usize>,
    /// Neighbours in the layer below, and the tensors that lead to them.
    pub below: Vec<(usize, i32)>,
}

impl Slot {
    pub(super) fn is_bend(&self) -> bool {
        self.tensor >= 0
    }
}

/// A graph in which each line leads to the next layer.
pub(super) struct LayeredGraph {
    /// Vertices in the caller's order, then bends.
    pub slots: Vec<Slot>,
    /// The slots of each layer from left to right.
    pub layers: Vec<Vec<usize>>,
    /// Edges that are drawn as straight lines.
    pub direct: Vec<Edge>,
}

/// Assigns each vertex to a layer, counted from the top.
pub(super) fn assign(widths: &[i32], edges: &[Edge]) -> LayeredGraph {
    let layer = levels(widths.len(), edges);
    let slot = |(&width, &layer)| Slot { width, layer, tensor: -1, above: Vec::new(), below: Vec::new() };
    let slots: Vec<Slot> = widths.iter().zip(&layer).map(slot).collect();
    let mut graph = LayeredGraph { slots, layers: Vec::new(), direct: Vec::new() };
    let mut readers: BTreeMap<(usize, i32), Vec<usize>> = BTreeMap::new();
    for edge in edges {
        match layer[edge.from] < layer[edge.to] {
            true => readers.entry((edge.from, edge.tensor)).or_default().push(edge.to),
            false => graph.direct.push(*edge),
        }
    }
    for ((from, tensor), to) in readers {
        graph.link(from, tensor, to, widths.len());
    }
    let count = layer.iter().max().map_or(0, |last| last + 1);
    graph.layers = vec![Vec::new(); count];
    for (i, slot) in graph.slots.iter().enumerate() {
        graph.layers[slot.layer].push(i);
    }
    graph
}

impl LayeredGraph {
    /// Adds the lines and bends of one tensor. `to` are its readers.
    fn link(&mut self, from: usize, tensor: i32, mut to: Vec<usize>, vertices: usize) {
        to.sort_unstable_by_key(|&reader| (self.slots[reader].layer, reader));
        to.dedup();
        let first = self.slots[from].layer;
        let last = to.last().map_or(first, |&reader| self.slots[reader].layer);
        if self.slots.len() - vertices + (last - first) > MOST_BENDS {
            self.direct.extend(to.into_iter().map(|to| Edge { from, tensor, to }));
            return;
        }
        let mut end = from;
        for reader in to {
            while self.slots[end].layer + 1 < self.slots[reader].layer {
                let layer = self.slots[end].layer + 1;
                self.slots.push(Slot { width: 4, layer, tensor, above: Vec::new(), below: Vec::new() });
                let bend = self.slots.len() - 1;
                self.connect(end, bend, tensor);
                end = bend;
            }
            self.connect(end, reader, tensor);
        }
    }

    fn connect(&mut self, upper: usize, lower: usize, tensor: i32) {
        self.slots[upper].below.push((lower, tensor));
        self.slots[lower].above.push(upper);
    }
}

/// The layer of each vertex: one more than its lowest predecessor. Vertices on a cycle are placed in the given order.
fn levels(count: usize, edges: &[Edge]) -> Vec<usize> {
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut open = vec![0usize; count];
    for edge in edges.iter().filter(|edge| edge.from != edge.to) {
        readers[edge.from].push(edge.to);
        open[edge.to] += 1;
    }
    let mut ready: Vec<usize> = (0..count).filter(|&vertex| open[vertex] == 0).collect();
    let (mut layer, mut done) = (vec![0; count], vec![false; count]);
    // Once only cycles are left, the first vertex that is not done is next.
    for forced in 0..=count {
        while let Some(vertex) = ready.pop() {
            if std::mem::replace(&mut done[vertex], true) {
                continue;
            }
            for &reader in readers[vertex].iter().filter(|&&reader| !done[reader]) {
                layer[reader] = layer[reader].max(layer[vertex] + 1);
                open[reader] -= 1;
                if open[reader] == 0 {
                    ready.push(reader);
                }
            }
        }
        if done.get(forced) == Some(&false) {
            ready.push(forced);
        }
    }
    lower_sources(&mut layer, &readers, edges);
    layer
}

/// Moves vertices without predecessors down, next to their first reader.
fn lower_sources(layer: &mut [usize], readers: &[Vec<usize>], edges: &[Edge]) {
    let mut source = vec![true; layer.len()];
    edges.iter().for_each(|edge| source[edge.to] = false);
    for vertex in (0..layer.len()).filter(|&vertex| source[vertex]) {
        if let Some(first) = readers[vertex].iter().map(|&reader| layer[reader]).min() {
            layer[vertex] = first.saturating_sub(1);
        }
    }
}
