//! Fuses elementwise functions, so that fewer values go through memory.
//!
//! ```text
//! x ─► LOGISTIC ─► s ─► MUL(x, s)            =>  x ─► [silu]
//! x ─► [f] ─► y ─► [g]                       =>  x ─► [f, g]            y is read once
//! x ─► CONV_2D ─► y ─► [add z, clamp]        =>  x ─► CONV_2D [add z, clamp]
//! x ─► MUL(x, row) ─► y ─► ADD(y, row)       =>  x ─► MUL [add row]
//! ```
//! A fused node runs at the position of the later of its nodes, where all its inputs are available.

use arenite_base::{Binary, Unary};

use crate::layer::Elementwise;
use crate::{Common, EngineLayer, EpilogueOp, Id, Layer, Limits, Net, Node};

/// Applies all rules.
pub(super) fn fuse<'a, X: EngineLayer<'a>>(net: &mut Net<'a, X>, limits: &Limits) {
    silu(net);
    absorb(net, limits.epilogue);
}

/// The functions of a node, if it is a chain.
fn chain<'n, X>(node: &'n Node<Layer<'_, X>>) -> Option<&'n [EpilogueOp]> {
    match &node.layer {
        Layer::Common(Common::Elementwise(Elementwise::Chain(functions))) => Some(functions),
        _ => None,
    }
}

/// Replaces `x · logistic(x)` by one function.
fn silu<X>(net: &mut Net<'_, X>) {
    let (uses, producers) = (net.uses(), net.producers());
    for j in 0..net.nodes.len() {
        let node = &net.nodes[j];
        let Some(&[EpilogueOp::Binary(Binary::Mul, other)]) = chain(node) else { continue };
        let main = node.inputs[0];
        let gate = [(main, other), (other, main)].into_iter().find_map(|(x, s)| {
            let i = producers[s].filter(|_| uses[s] == 1)?;
            let is_gate = chain(&net.nodes[i])? == [EpilogueOp::Unary(Unary::Logistic)];
            (is_gate && net.nodes[i].inputs == [x]).then_some((i, x))
        });
        if let Some((i, x)) = gate {
            net.take(i);
            net.nodes[j].inputs = vec![x];
            let silu = vec![EpilogueOp::Unary(Unary::Silu)];
            net.nodes[j].layer = Layer::Common(Common::Elementwise(Elementwise::Chain(silu)));
        }
    }
    net.compact();
}

/// Appends chains of functions to the epilogues of the nodes that they read, up to `most` functions each.
fn absorb<'a, X: EngineLayer<'a>>(net: &mut Net<'a, X>, most: usize) {
    let uses = net.uses();
    let mut producers = net.producers();
    for j in 0..net.nodes.len() {
        let Some(ways) = ways(net, &net.nodes[j]) else { continue };
        let found = ways.into_iter().find_map(|(main, functions)| {
            let i = producers[main].filter(|_| uses[main] == 1)?;
            let node = &mut net.nodes[i];
            let epilogue = node.layer.parts_mut().epilogue?;
            let room = epilogue.len() + functions.len() <= most;
            (room && node.outputs == [main]).then_some((i, main, functions))
        });
        let Some((i, main, functions)) = found else { continue };
        let mut fused = net.take(i);
        if let Some(epilogue) = fused.layer.parts_mut().epilogue {
            epilogue.extend(functions);
        }
        fused.inputs.extend(net.nodes[j].inputs.iter().filter(|&&id| id != main));
        fused.outputs.clone_from(&net.nodes[j].outputs);
        fused.packed.extend(net.nodes[j].packed.iter());
        fused.outputs.iter().for_each(|&id| producers[id] = Some(j));
        net.nodes[j] = fused;
    }
    net.compact();
}

/// The ways to see a node as functions of a main operand, also with the operands of the first function swapped.
fn ways<X>(net: &Net<'_, X>, node: &Node<Layer<'_, X>>) -> Option<Vec<(Id, Vec<EpilogueOp>)>> {
    if let Layer::Common(Common::Elementwise(Elementwise::Two(op, clamp, functions))) = &node.layer {
        let [a, b, ..] = node.inputs[..] else { return None };
        let (main, other, op) = match row(net, a, b, node.outputs[0]) {
            Some(_) => (a, b, *op),
            None => (b, a, op.swapped()),
        };
        let mut all = vec![EpilogueOp::Row(op, other, row(net, main, other, node.outputs[0])?)];
        all.extend(clamp.is_needed().then_some(EpilogueOp::Clamp(*clamp)));
        all.extend(functions);
        return Some(vec![(main, all)]);
    }
    let functions = chain(node)?;
    let mut ways = vec![(node.inputs[0], functions.to_vec())];
    if let Some(&EpilogueOp::Binary(op, other)) = functions.first() {
        let mut swapped = functions.to_vec();
        swapped[0] = EpilogueOp::Binary(op.swapped(), node.inputs[0]);
        ways.push((other, swapped));
    }
    Some(ways)
}

/// The length of `other`, if it is a row that is applied to each row of `main`.
fn row<X>(net: &Net<'_, X>, main: Id, other: Id, output: Id) -> Option<usize> {
    let [main, other, output] = [main, other, output].map(|id| &net.values[id]);
    let len = *output.shape.last()?;
    let is_row = other.len() == len && other.shape.last() == Some(&len);
    (len > 1 && is_row && main.shape == output.shape).then_some(len)
}
