//! WHILE, in the form in which converters write recurrent layers: `while (i < rounds) { h = cell(x[i], h); list[i] = h;
//! i += 1 }`.

use arenite::ElementType::{self, Bool, F32, I32};
use arenite_abi::schema::WhileOptions;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};

use super::{Entry, NONE, REAL, entry};
use crate::differential::graph::Form::Hybrid;
use crate::differential::graph::{Kind, Rule};
use crate::differential::net::{Net, Spec};
use crate::options::{Attributes, WithOptions};

pub const OPS: &[Entry] = &[entry("WHILE", &[REAL, Hybrid(ElementType::I8)], NONE, counting)];

/// A subgraph that a loop calls.
struct Inner<'n> {
    net: &'n mut Net,
    graph: SubGraph,
}

impl Inner<'_> {
    fn model(&mut self) -> &mut ModelBuilder {
        self.net.model()
    }

    fn tensor(&mut self, ty: ElementType, shape: &[i32]) -> i32 {
        self.graph.tensor(Tensor::new("", ty as i32, shape))
    }

    fn constant(&mut self, tensor: Tensor, data: Vec<u8>) -> i32 {
        let buffer = self.model().buffer(data);
        self.graph.tensor(tensor.buffer(buffer))
    }

    fn integers(&mut self, shape: &[i32], numbers: &[i32]) -> i32 {
        self.constant(Tensor::new("", I32 as i32, shape), bytes_of(numbers))
    }

    fn node(&mut self, op: &str, inputs: &[i32], result: (ElementType, &[i32])) -> i32 {
        let y = self.tensor(result.0, result.1);
        let node = Operator::new(self.model().builtin(op, 1), inputs, &[y]);
        let node = match Attributes::defaults(op) {
            Some(options) => node.with(options),
            None => node,
        };
        self.graph.operator(node);
        y
    }

    /// A product with weights of `ty`.
    fn product(&mut self, x: i32, [rows, depth, units]: [i32; 3], ty: ElementType) -> i32 {
        let data = self.net.elements(ty, (units * depth) as usize);
        let weights = Tensor::new("", ty as i32, &[units, depth]);
        let weights = if ty == F32 { weights } else { weights.quantized(0.01, 0) };
        let w = self.constant(weights, data);
        self.node("FULLY_CONNECTED", &[x, w, -1], (F32, &[rows, units]))
    }
}

/// The sizes of a loop: steps of the sequence, batch, features, units.
type Sizes = [i32; 4];

fn ports([steps, batch, features, units]: Sizes) -> [Spec; 4] {
    let real = |shape: &[i32]| (F32, shape.to_vec(), None);
    let (x, list) = (real(&[steps, batch, features]), real(&[steps, batch, units]));
    [(I32, Vec::new(), None), x, list, real(&[batch, units])]
}

fn counting(net: &mut Net, kind: Kind) -> Option<()> {
    let [steps, batch, features] = [net.random.between(1, 5), net.random.between(1, 2), net.size()];
    let units = net.random.pick(&[1, 3, 8, 17]);
    let sizes = [steps, batch, features, units];
    let [_, x, list, state] = ports(sizes);
    let first = net.constant((I32, Vec::new(), None), bytes_of(&[0]));
    let x = net.fitting(F32, |shape| shape == x.1, |_| x.1.clone());
    let inputs = [first.index, x.index, net.fresh(F32, &list.1).index, net.fresh(F32, &state.1).index];
    let rounds = if net.random.chance(80) { steps } else { net.random.between(0, steps + 1) };
    let condition = condition(net, sizes, rounds);
    let body = body(net, sizes, kind);
    let options = Attributes::of(|o| {
        o.set(WhileOptions::COND_SUBGRAPH_INDEX, condition).set(WhileOptions::BODY_SUBGRAPH_INDEX, body)
    });
    let rule = Rule::Loop { hybrid: kind.form != REAL };
    net.node(kind, &inputs, ports(sizes).to_vec(), Some(options), rule);
    Some(())
}

fn inner<'n>(net: &'n mut Net, sizes: Sizes) -> Inner<'n> {
    let mut graph = SubGraph::new("inner");
    for (ty, shape, _) in ports(sizes) {
        graph.input(Tensor::new("", ty as i32, &shape));
    }
    Inner { net, graph }
}

fn condition(net: &mut Net, sizes: Sizes, rounds: i32) -> i32 {
    let mut g = inner(net, sizes);
    let limit = g.integers(&[], &[rounds]);
    let less = g.node("LESS", &[0, limit], (Bool, &[]));
    g.graph.outputs.push(less);
    let graph = g.graph;
    net.model().subgraph(graph) as i32
}

/// `h = tanh(W x[i] + R h + b)`.
fn body(net: &mut Net, sizes: Sizes, kind: Kind) -> i32 {
    let [_, batch, features, units] = sizes;
    let mut g = inner(net, sizes);
    let [i, x, list, h] = [0, 1, 2, 3];
    let ty = if kind.form == REAL { F32 } else { ElementType::I8 };
    let row = g.node("GATHER", &[x, i], (F32, &[batch, features]));
    let a = g.product(row, [batch, features, units], ty);
    let b = g.product(h, [batch, units, units], ty);
    let sum = g.node("ADD", &[a, b], (F32, &[batch, units]));
    let data = g.net.elements(F32, units as usize);
    let bias = g.constant(Tensor::new("", F32 as i32, &[units]), data);
    let sum = g.node("ADD", &[sum, bias], (F32, &[batch, units]));
    let h = g.node("TANH", &[sum], (F32, &[batch, units]));
    let (shape, one) = (g.integers(&[3], &[1, batch, units]), g.integers(&[1], &[1]));
    let row = g.node("RESHAPE", &[h, shape], (F32, &[1, batch, units]));
    let (at, zeros) = (g.node("RESHAPE", &[i, one], (I32, &[1])), g.integers(&[2], &[0, 0]));
    let place = g.node("CONCATENATION", &[at, zeros], (I32, &[3]));
    let written = g.node("DYNAMIC_UPDATE_SLICE", &[list, row, place], (F32, &ports(sizes)[2].1));
    let step = g.integers(&[], &[1]);
    let next = g.node("ADD", &[i, step], (I32, &[]));
    g.graph.outputs.extend([next, x, written, h]);
    let graph = g.graph;
    net.model().subgraph(graph) as i32
}
