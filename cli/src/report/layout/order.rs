//! Orders the slots of each layer so that few lines cross.

use super::crossings::crossings;
use super::layers::LayeredGraph;

/// Sweeps over graphs of up to [`SMALL`] slots, and over larger ones.
const SWEEPS: usize = 16;
const SWEEPS_OF_LARGE: usize = 4;
const SMALL: usize = 20_000;

/// Reorders the layers. Keeps the order with the fewest crossings.
pub(super) fn reduce_crossings(graph: &mut LayeredGraph) {
    let mut position = vec![0; graph.slots.len()];
    graph.layers.iter().for_each(|layer| note(layer, &mut position));
    let (mut best, mut fewest) = (graph.layers.clone(), count(graph, &position));
    let sweeps = if graph.slots.len() > SMALL { SWEEPS_OF_LARGE } else { SWEEPS };
    for sweep in 0..sweeps {
        if fewest == 0 {
            break;
        }
        let down = sweep % 2 == 0;
        for step in 0..graph.layers.len() {
            let layer = if down { step } else { graph.layers.len() - 1 - step };
            sort(graph, layer, down, &mut position);
        }
        let found = count(graph, &position);
        if found < fewest {
            (best, fewest) = (graph.layers.clone(), found);
        }
    }
    graph.layers = best;
}

/// Sorts a layer by the mean position of the neighbours above (`down`) or below. Slots without neighbours keep their
/// position.
fn sort(graph: &mut LayeredGraph, layer: usize, down: bool, position: &mut [usize]) {
    let mut order = std::mem::take(&mut graph.layers[layer]);
    let mean = |slot: usize| {
        let (sum, count) = match down {
            true => total(graph.slots[slot].above.iter().copied(), position),
            false => total(graph.slots[slot].below.iter().map(|&(to, _)| to), position),
        };
        if count == 0 { position[slot] as f64 } else { sum as f64 / count as f64 }
    };
    order.sort_by_cached_key(|&slot| (mean(slot) * 1024.0) as u64);
    note(&order, position);
    graph.layers[layer] = order;
}

fn total(neighbours: impl Iterator<Item = usize>, position: &[usize]) -> (usize, usize) {
    neighbours.fold((0, 0), |(sum, count), slot| (sum + position[slot], count + 1))
}

fn note(layer: &[usize], position: &mut [usize]) {
    layer.iter().enumerate().for_each(|(i, &slot)| position[slot] = i);
}

fn count(graph: &LayeredGraph, position: &[usize]) -> u64 {
    let between = |layer: &Vec<usize>| {
        let lines = layer.iter().flat_map(|&slot| {
            graph.slots[slot].below.iter().map(move |&(to, _)| (position[slot], position[to]))
        });
        crossings(lines.collect())
    };
    graph.layers.iter().map(between).sum()
}
