//! Places the slots of each layer from left to right.

use std::ops::RangeInclusive;

use super::layers::LayeredGraph;

/// Space between two vertices of a layer.
const GAP: f64 = 26.0;
/// Space between a bend and its neighbour.
const BEND_GAP: f64 = 14.0;
const SWEEPS: usize = 10;
/// How strongly a bend keeps to its place, compared with a vertex.
const BEND_WEIGHT: f64 = 0.01;

/// The horizontal centre of each slot.
pub(super) fn centers(graph: &LayeredGraph) -> Vec<f64> {
    let mut center = vec![0.0; graph.slots.len()];
    for layer in &graph.layers {
        let offsets = offsets(graph, layer);
        let middle = offsets.last().copied().unwrap_or(0.0) / 2.0;
        layer.iter().zip(offsets).for_each(|(&slot, offset)| center[slot] = offset - middle);
    }
    for sweep in 0..SWEEPS {
        for step in 0..graph.layers.len() {
            let (down, last) = (sweep % 2 == 0, graph.layers.len() - 1);
            let layer = &graph.layers[if down { step } else { last - step }];
            settle(graph, layer, down, &mut center);
        }
    }
    straighten(graph, &mut center);
    center
}

/// The smallest distances from the layer's first centre.
fn offsets(graph: &LayeredGraph, layer: &[usize]) -> Vec<f64> {
    let mut offsets = Vec::with_capacity(layer.len());
    let mut at = 0.0;
    for (i, &slot) in layer.iter().enumerate() {
        if i > 0 {
            let (left, right) = (&graph.slots[layer[i - 1]], &graph.slots[slot]);
            let gap = if left.is_bend() || right.is_bend() { BEND_GAP } else { GAP };
            at += f64::from(left.width + right.width) / 2.0 + gap;
        }
        offsets.push(at);
    }
    offsets
}

/// Moves each slot of a layer to the mean of its neighbours above (`down`) or below. Where slots would overlap, the sum
/// of squared distances is minimal: pool adjacent violators.
fn settle(graph: &LayeredGraph, layer: &[usize], down: bool, center: &mut [f64]) {
    struct Pool {
        sum: f64,
        weight: f64,
        slots: usize,
    }
    let offsets = offsets(graph, layer);
    let mut pools: Vec<Pool> = Vec::new();
    for (&slot, &offset) in layer.iter().zip(&offsets) {
        let (wanted, weight) = wish(graph, slot, down, center);
        let mut pool = Pool { sum: (wanted - offset) * weight, weight, slots: 1 };
        while let Some(last) = pools.pop_if(|last| last.sum * pool.weight >= pool.sum * last.weight) {
            pool.sum += last.sum;
            pool.weight += last.weight;
            pool.slots += last.slots;
        }
        pools.push(pool);
    }
    let places = pools.iter().flat_map(|pool| std::iter::repeat_n(pool.sum / pool.weight, pool.slots));
    for ((&slot, offset), place) in layer.iter().zip(offsets).zip(places) {
        center[slot] = place + offset;
    }
}

/// Where a slot should be, and how much that counts. A vertex follows other vertices rather than bends, so that a chain
/// with skips around it is straight.
fn wish(graph: &LayeredGraph, slot: usize, down: bool, center: &[f64]) -> (f64, f64) {
    let LayeredGraph { slots, .. } = graph;
    let (mut vertices, mut bends) = ((0.0, 0), (0.0, 0));
    let mut note = |to: usize| {
        let sum = if slots[to].is_bend() { &mut bends } else { &mut vertices };
        *sum = (sum.0 + center[to], sum.1 + 1);
    };
    match down {
        true => slots[slot].above.iter().for_each(|&to| note(to)),
        false => slots[slot].below.iter().for_each(|&(to, _)| note(to)),
    }
    let (sum, count) = match (slots[slot].is_bend(), vertices.1, bends.1) {
        (true, _, 1..) | (false, 0, _) => bends,
        _ => vertices,
    };
    match count {
        0 => (center[slot], BEND_WEIGHT),
        _ => (sum / count as f64, if slots[slot].is_bend() { BEND_WEIGHT } else { 1.0 }),
    }
}

/// Moves the bends of a line to one position where the slots on both sides leave room.
fn straighten(graph: &LayeredGraph, center: &mut [f64]) {
    let mut place = vec![LayerSlot::default(); center.len()];
    for (layer, slots) in graph.layers.iter().enumerate() {
        slots.iter().enumerate().for_each(|(index, &slot)| place[slot] = LayerSlot { layer, index });
    }
    let first =
        |slot: usize| graph.slots[slot].is_bend() && !graph.slots[graph.slots[slot].above[0]].is_bend();
    for start in (0..center.len()).filter(|&slot| first(slot)) {
        let next = |&slot: &usize| {
            graph.slots[slot].below.iter().map(|&(to, _)| to).find(|&to| graph.slots[to].is_bend())
        };
        let line: Vec<usize> = std::iter::successors(Some(start), next).collect();
        let [low, high] = line.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &slot| {
            [low.min(center[slot]), high.max(center[slot])]
        });
        let has_room = |x: f64| line.iter().all(|&slot| room(graph, place[slot], center).contains(&x));
        if let Some(x) = [high, low].into_iter().find(|&x| has_room(x)) {
            line.iter().for_each(|&slot| center[slot] = x);
        }
    }
}

/// The place of a slot: its layer, and its index in the layer.
#[derive(Clone, Copy, Default)]
struct LayerSlot {
    layer: usize,
    index: usize,
}

/// The positions that a bend can have between its neighbours in the layer.
fn room(graph: &LayeredGraph, place: LayerSlot, center: &[f64]) -> RangeInclusive<f64> {
    let (layer, at) = (&graph.layers[place.layer], place.index);
    let own = f64::from(graph.slots[layer[at]].width) / 2.0 + BEND_GAP;
    let edge =
        |slot: usize, sign: f64| center[slot] + sign * (f64::from(graph.slots[slot].width) / 2.0 + own);
    let left = at.checked_sub(1).map_or(f64::NEG_INFINITY, |i| edge(layer[i], 1.0));
    let right = layer.get(at + 1).map_or(f64::INFINITY, |&slot| edge(slot, -1.0));
    left..=right
}
