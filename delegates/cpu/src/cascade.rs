//! Joins layers whose results are larger than the caches, and are read once, to cascades.
//!
//! ```text
//! CONV_2D ─► 3 MB ─► DEPTHWISE ─► 1 MB ─► CONV_2D ─► 0.3 MB     =>     [CONV_2D, DEPTHWISE, CONV_2D] ─► 0.3 MB
//! ```

use arenite_abi::prelude::*;

use crate::net::{Id, Net, Node};
use crate::ops::{Build, Layer};
use crate::steps::cascade::{self, Cascade, LAYERS, MOST_KEPT, Rows};
use crate::steps::post::Post;
use crate::window::Window;

/// Bytes of a tensor that is worth the trouble: what does not stay in the second-level cache beside weights and other tensors.
const LARGE: usize = 3 << 18;
/// Most bytes of a layer's weights, which are read again for some rows at a time.
const WEIGHTS: usize = 1 << 18;
/// Fewest columns: with less, products would be cut into tiles of other sizes for other numbers of rows, and round otherwise.
const COLUMNS: usize = 8;

/// Rewrites the net.
pub fn cascade(net: &mut Net<'_>, build: &Build) {
    let (mut first, most) = (0, most(net));
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
    if !fits(&net.nodes[first], build) {
        return chain;
    }
    let (uses, producers) = (net.uses(), net.producers());
    let mut windows: Vec<_> = window(&net.nodes[first]).into_iter().collect();
    while let Some(&last) = chain.last().filter(|_| chain.len() < LAYERS) {
        let node = &net.nodes[last];
        let plain = !posts(node).iter().any(|post| post.operand().is_some());
        let value = node.outputs[0];
        if !plain || uses[value] != 1 || net.outputs.contains(&value) {
            break;
        }
        let reads = |node: &Node<'_>| node.inputs.first() == Some(&value) && fits(node, build);
        let Some(next) = net.nodes.iter().position(reads) else { break };
        // What else the next one reads has to be there before the chain begins.
        let others = &net.nodes[next].inputs[1..];
        if others.iter().any(|&id| producers[id].is_some_and(|p| p >= first)) {
            break;
        }
        let before = windows.clone();
        windows.extend(window(&net.nodes[next]));
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
    }
    chain
}

/// Whether a chain of bytes with one more layer needs less memory than that layer alone, where a network needs much. `bytes` are those
/// of the chain's input, of its output, and of the one more layer's, `windows` the layers' without it and with it.
fn saves(
    [input, value, output]: [usize; 3],
    windows: [&[(Window, usize)]; 2],
    threads: usize,
    most: usize,
) -> bool {
    let [before, joined] = windows.map(|windows| cascade::memory(windows, threads));
    let apart = (input + value + before).max(value + output);
    value + output > most / 2 && input + output + joined < apart
}

/// The most bytes that a node reads and writes.
fn most(net: &Net<'_>) -> usize {
    let bytes = |node: &Node<'_>| -> usize {
        node.inputs.iter().chain(&node.outputs).map(|&id| net.values[id].bytes()).sum()
    };
    net.nodes.iter().map(bytes).max().unwrap_or(0)
}

fn posts<'n>(node: &'n Node<'_>) -> &'n [Post] {
    node.layer.posts().map_or(&[], |posts| posts)
}

/// The window of a layer that works by rows, and the bytes of a pixel of its output.
fn window(node: &Node<'_>) -> Option<(Window, usize)> {
    let wide = |channels| channels * size_of::<f32>();
    match &node.layer {
        Layer::Conv2d(layer) => Some((layer.window, wide(layer.filters))),
        Layer::DepthwiseConv2d(layer) => Some((layer.window, wide(layer.window.channels))),
        Layer::Pool2d(layer) => Some((layer.window, wide(layer.window.channels))),
        Layer::Quantized(layer) => layer.by_rows(),
        _ => None,
    }
}

/// Whether a node may be a part of a cascade.
fn fits(node: &Node<'_>, build: &Build) -> bool {
    let wide = window(node).is_some_and(|(window, _)| window.columns.output >= COLUMNS);
    wide && match &node.layer {
        Layer::Conv2d(layer) => {
            layer.weights.len() * size_of::<f32>() <= WEIGHTS && layer.winograd(build).is_none()
        }
        Layer::DepthwiseConv2d(layer) => layer.multiplier == 1,
        Layer::Quantized(layer) => layer.weights() <= WEIGHTS,
        _ => true,
    }
}

/// Puts one node in the place of a chain's first.
fn join(net: &mut Net<'_>, chain: &[usize]) {
    let mut nodes = Vec::new();
    for &i in chain {
        let nothing = Node::new(Layer::Nothing, Vec::new(), Vec::new());
        nodes.push(std::mem::replace(&mut net.nodes[i], nothing));
    }
    let mut inputs: Vec<Id> = vec![nodes[0].inputs[0]];
    inputs.extend(nodes.iter().flat_map(|node| &node.inputs[1..]));
    let outputs = nodes.last().map_or(Vec::new(), |node| node.outputs.clone());
    let packed = nodes.iter().flat_map(|node| node.packed.clone()).collect();
    net.nodes[chain[0]] = Node { packed, ..Node::new(Layer::Cascade(nodes), inputs, outputs) };
    net.nodes.retain(|node| !matches!(node.layer, Layer::Nothing));
}

/// The step.
pub fn build(nodes: &[Node<'_>], net: &Net<'_>, build: &Build) -> Result<Cascade> {
    let mut layers: Vec<Box<dyn Rows>> = Vec::new();
    for node in nodes {
        layers.push(match &node.layer {
            Layer::Conv2d(layer) => Box::new(layer.plain(node, build)?),
            Layer::DepthwiseConv2d(layer) => Box::new(layer.build(node, build)?),
            Layer::Pool2d(layer) => Box::new(layer.build(node, build)),
            Layer::Quantized(layer) => layer.build_rows(node, net, build)?,
            _ => return Err(invalid!("a layer of a cascade does not work by rows")),
        });
    }
    let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else {
        return Err(invalid!("a cascade has no layers"));
    };
    Ok(Cascade::new(layers, build.threads, (first.inputs[0], last.outputs[0])))
}
