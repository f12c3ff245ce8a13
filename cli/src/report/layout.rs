//! A layered drawing of a graph: each vertex is below everything that it depends on.
//!
//! 1. Longest paths give each vertex a layer; a vertex without predecessors is moved down to its first reader.
//! 2. A tensor that crosses layers gets one bend in each, which all its later readers share.
//! 3. Sweeps order each layer by the mean position of its neighbours; the order with the fewest crossings is kept
//!    (Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical system structures, 1981).
//! 4. Further sweeps move vertices below or above their neighbours without changing the order (`spread`).

mod crossings;
mod layers;
mod order;
mod spread;

use serde::Serialize;

pub(super) use layers::Edge;
use layers::Slot;

/// Height of a vertex.
const HEIGHT: i32 = 42;
/// Distance between the tops of two layers.
const PITCH: i32 = 82;

/// Positions in units of a pixel at scale 1.
#[derive(Debug, Default, Serialize)]
pub(super) struct Layout {
    /// Left, top and width of each vertex.
    pub vertices: Vec<[i32; 3]>,
    /// Height of every vertex.
    pub vertex_height: i32,
    /// Tensor, start, end, and whether the line ends in an arrow (1 or 0).
    pub lines: Vec<[i32; 6]>,
    pub width: i32,
    pub height: i32,
}

/// Lays out vertices of these widths. Edges that close a cycle are drawn as straight lines.
pub(super) fn layout(widths: &[i32], edges: &[Edge]) -> Layout {
    let mut graph = layers::assign(widths, edges);
    order::reduce_crossings(&mut graph);
    let centers = spread::centers(&graph);
    let left = |slot: usize| centers[slot] - f64::from(graph.slots[slot].width) / 2.0;
    let least = (0..graph.slots.len()).map(left).fold(f64::INFINITY, f64::min);
    let x = |slot: usize| (centers[slot] - least).round() as i32;
    let top = |slot: usize| graph.slots[slot].layer as i32 * PITCH;
    let vertices: Vec<[i32; 3]> =
        widths.iter().enumerate().map(|(i, &width)| [x(i) - width / 2, top(i), width]).collect();
    let bend = |slot: usize| slot >= widths.len();
    let mut lines = Vec::new();
    for (slot, Slot { below, tensor, .. }) in graph.slots.iter().enumerate() {
        if bend(slot) {
            lines.push([*tensor, x(slot), top(slot), x(slot), top(slot) + HEIGHT, 0]);
        }
        let line = |&(to, tensor): &(usize, i32)| {
            [tensor, x(slot), top(slot) + HEIGHT, x(to), top(to), i32::from(!bend(to))]
        };
        lines.extend(below.iter().map(line));
    }
    let direct = |edge: &Edge| {
        let (from, to) = (edge.from, edge.to);
        [edge.tensor, x(from), top(from) + HEIGHT, x(to), top(to), 1]
    };
    lines.extend(graph.direct.iter().map(direct));
    let width = vertices.iter().map(|[x, _, width]| x + width).max().unwrap_or(0);
    let height = graph.layers.len() as i32 * PITCH - (PITCH - HEIGHT);
    Layout { vertices, vertex_height: HEIGHT, lines, width, height: height.max(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: usize, to: usize) -> Edge {
        Edge { from, tensor: from as i32, to }
    }

    /// Every vertex is below its predecessors, and no two vertices overlap.
    fn check(widths: &[i32], edges: &[Edge]) -> Layout {
        let found = layout(widths, edges);
        for edge in edges.iter().filter(|edge| edge.from < edge.to) {
            assert!(found.vertices[edge.from][1] < found.vertices[edge.to][1], "{edge:?}");
        }
        for (i, [x, y, width]) in found.vertices.iter().enumerate() {
            assert!(*x >= 0 && x + width <= found.width && y + HEIGHT <= found.height);
            let same = found.vertices[i + 1..].iter().filter(|other| other[1] == *y);
            for other in same {
                assert!(x + width <= other[0] || other[0] + other[2] <= *x, "{i}: {found:?}");
            }
        }
        found
    }

    #[test]
    fn a_chain_is_a_straight_line() {
        let edges: Vec<Edge> = (0..999).map(|i| edge(i, i + 1)).collect();
        let found = check(&[100; 1000], &edges);
        assert!(found.vertices.iter().all(|vertex| vertex[0] == found.vertices[0][0]));
        assert_eq!(found.lines.len(), 999);
    }

    #[test]
    fn a_skip_passes_beside_the_vertices_it_skips() {
        let edges = [edge(0, 1), edge(1, 2), edge(2, 3), edge(0, 3)];
        let found = check(&[80; 4], &edges);
        // Three links of the chain; the skip has three links and two bends.
        assert_eq!(found.lines.len(), 3 + 5);
        let [x, _, width] = found.vertices[1];
        let bends = found.lines.iter().filter(|line| line[1] == line[3] && line[4] - line[2] == HEIGHT);
        assert!(
            bends.clone().count() == 2 && bends.into_iter().all(|line| line[1] < x || line[1] > x + width)
        );
    }

    #[test]
    fn branches_do_not_cross() {
        // Two chains whose second half is declared in the opposite order.
        let edges = [edge(0, 3), edge(1, 2), edge(2, 4), edge(3, 5)];
        let found = check(&[60, 90, 120, 60, 60, 60], &edges);
        let order = |a: usize, b: usize| found.vertices[a][0] < found.vertices[b][0];
        assert!(order(0, 1) == order(3, 2) && order(3, 2) == order(5, 4));
    }

    #[test]
    fn cycles_and_loops_are_drawn() {
        let found = check(&[50, 50], &[edge(0, 1), edge(1, 0), edge(1, 1)]);
        assert_eq!(found.lines.len(), 3);
        assert_eq!(check(&[], &[]).height, 0);
    }

    #[test]
    fn a_tensor_that_all_layers_read_does_not_multiply_bends() {
        let chain = (0..4999).map(|i| edge(i, i + 1));
        let edges: Vec<Edge> = chain.chain((2..5000).map(|i| edge(0, i))).collect();
        let found = check(&[100; 5000], &edges);
        assert!(found.lines.len() < 25_000, "{}", found.lines.len());
    }
}
