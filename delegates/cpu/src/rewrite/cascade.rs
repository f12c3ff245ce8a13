//! Joins layers into cascades if their results are larger than the caches and are read once.
//!
//! ```text
//! CONV_2D ─► 3 MB ─► DEPTHWISE ─► 1 MB ─► CONV_2D ─► 0.3 MB     =>     [CONV_2D, DEPTHWISE, CONV_2D] ─► 0.3 MB
//! ```

use arenite_abi::prelude::*;
use arenite_layers::{Id, Window};

use crate::net::{CpuLayer, Layer, Net, Node};
use crate::ops::build::{Build, ByRows};
use crate::ops::by_rows;
use crate::steps::cascade::{self, LAYERS, MOST_KEPT};

/// Smallest tensors in bytes that are worth a cascade: they do not stay in the second-level cache with weights and
/// other tensors.
const LARGE: usize = 3 << 18;
/// The same limit for layers of bytes, which are joined to save memory.
const LARGE_BYTES: usize = 1 << 15;
/// Most bytes of a layer's weights, which are read again for some rows at a time.
const WEIGHTS: usize = 1 << 18;
/// Fewest columns: with less, products would be cut into tiles of other sizes for other numbers of rows, and round
/// otherwise.
const COLUMNS: usize = 8;

/// Rewrites the net.
pub(super) fn cascade(net: &mut Net<'_>, build: &Build) {
    let (mut first, most) = (0, net.most_bytes());
    while first < net.nodes.len() {
        let chain = chain(net, build, first, most);
        if chain.len() > 1 {
            join(net, &chain);
        }
        first += 1;
    }
}

/// The nodes that follow one another from node `first` on.
fn chain(net: &Net<'_>, build: &Build, first: usize, most: usize) -> Vec<usize> {
    let mut chain = vec![first];
    let Some(mut last) = part(&net.nodes[first], build) else { return chain };
    let (uses, producers) = (net.uses(), net.producers());
    let window = |part: &dyn ByRows| (*part.window().0, part.window().1);
    let mut windows = vec![window(last)];
    while chain.len() < LAYERS {
        let value = net.nodes[chain[chain.len() - 1]].outputs[0];
        let plain = last.epilogue().iter().all(|op| op.operand().is_none());
        if !plain || uses[value] != 1 || net.outputs.contains(&value) {
            break;
        }
        let reads = |node: &Node<'_>| node.inputs.first() == Some(&value);
        let Some(next) = net.nodes.iter().position(reads) else { break };
        let Some(part) = part(&net.nodes[next], build) else { break };
        // All other inputs of the next layer must be computed before the chain starts.
        let others = &net.nodes[next].inputs[1..];
        if others.iter().any(|&id| producers[id].is_some_and(|p| p >= first)) {
            break;
        }
        let before = windows.clone();
        windows.push(window(part));
        if cascade::kept(&cascade::rooms(&windows, 1)) > MOST_KEPT {
            break;
        }
        let bytes =
            [net.nodes[first].inputs[0], value, net.nodes[next].outputs[0]].map(|id| net.values[id].bytes());
        let pays = match net.values[value].ty {
            U8 => saves(bytes, [&before, &windows], build.threads, most),
            _ => bytes[1] >= LARGE,
        };
        if !pays {
            break;
        }
        chain.push(next);
        last = part;
    }
    chain
}

/// Whether a chain of bytes with one more layer needs less memory than that layer alone, where a network needs much.
/// `bytes` has the sizes of the chain's input, of its output and of the next layer's output; `windows` has the windows
/// without and with that layer.
fn saves(
    [input, value, output]: [usize; 3],
    windows: [&[(Window, usize)]; 2],
    threads: usize,
    most: usize,
) -> bool {
    let [before, joined] = windows.map(|windows| cascade::memory(windows, threads));
    let apart = (input + value + before).max(value + output);
    value >= LARGE_BYTES && value + output > most / 2 && input + output + joined < apart
}

/// The node as a part of a cascade; `None` if it had better not be one.
fn part<'n>(node: &'n Node<'_>, build: &Build) -> Option<&'n dyn ByRows> {
    let fits = |part: &&dyn ByRows| {
        let Window { rows, columns, .. } = part.window().0;
        rows.output > 1
            && columns.output >= COLUMNS
            && part.weights() <= WEIGHTS
            && !part.is_faster_whole(build)
    };
    by_rows(node).filter(fits)
}

/// Puts one node in the place of a chain's first.
fn join(net: &mut Net<'_>, chain: &[usize]) {
    let nodes: Vec<Node<'_>> = chain.iter().map(|&i| net.take(i)).collect();
    let mut inputs: Vec<Id> = vec![nodes[0].inputs[0]];
    inputs.extend(nodes.iter().flat_map(|node| &node.inputs[1..]));
    let outputs = nodes.last().map_or(Vec::new(), |node| node.outputs.clone());
    let packed = nodes.iter().flat_map(|node| node.packed.clone()).collect();
    net.nodes[chain[0]] =
        Node { packed, ..Node::new(Layer::Engine(CpuLayer::Cascade(nodes)), inputs, outputs) };
    net.compact();
}
