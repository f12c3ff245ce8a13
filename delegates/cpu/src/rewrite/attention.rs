//! Finds attention with a mask, and replaces it by one layer that reads keys and values where they are.
//!
//! ```text
//!            keys ─► [moves, · f] ─► k ─┐
//!  queries ─► [moves, · f] ─► q ─► q kᵀ ─► [· f] ─► masked ─► softmax ─► p ─► p v     =>   ATTENTION
//!                                          values ─► [moves] ─► v ───────────┘
//! ```
//! A mask is added to the scores, or it is a condition that chooses between them and a constant (SELECT). Moves are
//! transpositions, slices and repetitions of heads, so the layer reads each key once for all heads of its group.
//! Scores, their softmax and everything between have no other readers.

use arenite_abi::ElementType;
use arenite_base::{Binary, Clamp, Dim};
use arenite_layers::layer::batch_matmul::View;
use arenite_layers::layer::moves::{BoxCopy, Nest, strides};
use arenite_layers::layer::softmax::Kind;
use arenite_layers::layer::{BatchMatmul, Elementwise, Softmax};
use arenite_layers::{Common, EpilogueOp, Id};

use crate::net::{CpuLayer, Layer, Net, Node};
use crate::steps::attention_layer::{Attention, Masking, Product, Strides};

/// Rewrites the net.
pub(super) fn find(net: &mut Net<'_>) {
    let mut found = false;
    for i in 0..net.nodes.len() {
        let Some(node) = attention(net, i) else { continue };
        net.nodes[i] = node;
        found = true;
    }
    if found {
        net.drop_unread();
    }
}

/// The matrices of an operand, in the value that moves and factors made it of.
struct Operand {
    id: Id,
    factor: f32,
    view: View,
}

/// The products around a softmax with a mask.
struct Scores {
    /// The node of the first product.
    node: usize,
    scale: f32,
    mask: Id,
    /// As one matrix per product.
    mask_view: View,
    masking: Masking,
}

/// Scores and how a mask hides some of them.
struct Masked {
    scores: Id,
    mask: Id,
    /// The shape that the mask is seen as.
    shape: Vec<usize>,
    masking: Masking,
}

/// The node that computes the product of probabilities and values, node `i`, with all that comes before.
fn attention<'a>(net: &Net<'a>, i: usize) -> Option<Node<'a>> {
    let second = product(net, i)?;
    let (uses, producers) = (net.uses(), net.producers());
    let graph = Graph { net, uses: &uses, producers: &producers };
    let found = graph.scores(second, *net.nodes[i].inputs.first()?)?;
    let first = product(net, found.node)?;
    let (rows, positions) = (second.sizes.rows, second.sizes.depth);
    let (depth, channels) = (first.sizes.depth, second.sizes.columns);
    let ([a, b], [_, c]) =
        (net.nodes[found.node].inputs[..].try_into().ok()?, net.nodes[i].inputs[..].try_into().ok()?);
    let queries = graph.seen(a, &first.views[0], [rows, depth], |view| view.column == 1, true)?;
    let keys = graph.seen(b, &first.views[1], [depth, positions], is_readable, true)?;
    let values = graph.seen(c, &second.views[1], [positions, channels], is_readable, false)?;
    let product = |product: usize| {
        let [q, k] = first.batches.of(product);
        Product {
            query: queries.view.starts.of(q),
            key: keys.view.starts.of(k),
            value: values.view.starts.of(second.batches.of(product)[1]),
            mask: found.mask_view.starts.of(product),
            output: second.views[2].starts.of(product),
        }
    };
    let layer = Attention {
        products: (0..second.batches.count()).map(product).collect(),
        rows,
        positions,
        depth,
        channels,
        query_row: queries.view.row,
        keys: Strides { position: keys.view.column, channel: keys.view.row },
        values: Strides { position: values.view.row, channel: values.view.column },
        mask_row: found.mask_view.row,
        output_row: second.views[2].row,
        scale: found.scale * queries.factor * keys.factor,
        masking: found.masking,
    };
    let inputs = vec![queries.id, keys.id, values.id, found.mask];
    Some(Node::new(Layer::Engine(CpuLayer::Attention(layer)), inputs, net.nodes[i].outputs.clone()))
}

/// Whether rows or columns are contiguous.
fn is_readable(view: &View) -> bool {
    view.row == 1 || view.column == 1
}

/// A product without bias, clamp or epilogue.
fn product<'n, 'a>(net: &'n Net<'a>, i: usize) -> Option<&'n BatchMatmul<'a>> {
    match &net.nodes[i].layer {
        Layer::Common(Common::BatchMatmul(layer)) => {
            let is_plain = layer.bias.is_none() && layer.clamp == Clamp::NONE && layer.epilogue.is_empty();
            is_plain.then_some(layer)
        }
        _ => None,
    }
}

/// A net, the readers of each value, and the node that writes it.
#[derive(Clone, Copy)]
struct Graph<'n, 'a> {
    net: &'n Net<'a>,
    uses: &'n [usize],
    producers: &'n [Option<usize>],
}

impl Graph<'_, '_> {
    /// The node that writes `id`, if it has one reader.
    fn only_reader(self, id: Id) -> Option<usize> {
        self.producers[id].filter(|_| self.uses[id] == 1)
    }

    /// The value that renames of single readers turn into `id`.
    fn behind_renames(self, mut id: Id) -> Option<Id> {
        while let Some(node) = self.only_reader(id).filter(|&node| self.net.nodes[node].layer.is_rename()) {
            id = *self.net.nodes[node].inputs.first()?;
        }
        Some(id)
    }

    /// A factor that a node multiplies its only input by.
    fn factor(self, node: usize) -> Option<f32> {
        let Layer::Common(Common::Elementwise(Elementwise::Chain(functions))) = &self.net.nodes[node].layer
        else {
            return None;
        };
        match functions[..] {
            [EpilogueOp::Scalar(Binary::Mul, factor)] => Some(factor),
            [EpilogueOp::Scalar(Binary::Div, divisor)] => Some(1.0 / divisor),
            _ => None,
        }
        .filter(|factor| factor.is_normal())
    }

    /// The product behind a value, if only factors and renames are between, and these factors.
    fn scaled(self, id: Id) -> Option<(usize, f32)> {
        let (mut id, mut scale) = (self.behind_renames(id)?, 1.0);
        loop {
            let node = self.only_reader(id)?;
            if product(self.net, node).is_some() {
                return Some((node, scale));
            }
            scale *= self.factor(node)?;
            id = self.behind_renames(*self.net.nodes[node].inputs.first()?)?;
        }
    }

    /// The scores whose softmax is `probabilities`, the first operand of `second`.
    fn scores(self, second: &BatchMatmul<'_>, probabilities: Id) -> Option<Scores> {
        let [count, rows, positions] = [second.batches.count(), second.sizes.rows, second.sizes.depth];
        let whole = View::whole(count, rows, positions);
        if second.views[0] != whole || (0..count).any(|product| second.batches.of(product)[0] != product) {
            return None;
        }
        let softmax = &self.net.nodes[self.only_reader(self.behind_renames(probabilities)?)?];
        let Layer::Common(Common::Softmax(Softmax(Kind::Softmax { beta: 1.0 }))) = softmax.layer else {
            return None;
        };
        let id = self.behind_renames(*softmax.inputs.first()?)?;
        let Masked { scores, mask, shape, masking } = self.summands(id).or_else(|| self.chosen(id))?;
        let (node, scale) = self.scaled(scores)?;
        let first = product(self.net, node)?;
        if [first.batches.count(), first.sizes.rows, first.sizes.columns] != [count, rows, positions]
            || first.views[2] != whole
        {
            return None;
        }
        let nest = broadcast(&shape, &self.net.values[id].shape)?;
        let mask_view = whole.through([rows, positions], |at| nest.source(at))?;
        (mask_view.column == 1).then_some(Scores { node, scale, mask, mask_view, masking })
    }

    /// Whether a value has all elements of `id`, and is a product with factors.
    fn is_scores(self, value: Id, id: Id) -> bool {
        self.net.values[value].len() == self.net.values[id].len() && self.scaled(value).is_some()
    }

    /// The two values whose sum is `id`: scores, and a mask that may be broadcast.
    fn summands(self, id: Id) -> Option<Masked> {
        let node = &self.net.nodes[self.only_reader(id)?];
        let Layer::Common(Common::Elementwise(layer)) = &node.layer else { return None };
        let clamp = match layer {
            Elementwise::Chain(functions) => match functions[..] {
                [EpilogueOp::Binary(Binary::Add, _)] => Clamp::NONE,
                _ => return None,
            },
            Elementwise::Two(Binary::Add, clamp, functions) if functions.is_empty() => *clamp,
            Elementwise::Two(..) => return None,
        };
        let [a, b] = node.inputs[..] else { return None };
        let (scores, mask) = [(a, b), (b, a)].into_iter().find(|&(scores, _)| self.is_scores(scores, id))?;
        let shape = self.net.values[mask].shape.clone();
        (!clamp.is_needed()).then_some(Masked { scores, mask, shape, masking: Masking::Added(clamp) })
    }

    /// The condition that chooses between scores and one number, if that is `id`.
    fn chosen(self, id: Id) -> Option<Masked> {
        let node = &self.net.nodes[self.only_reader(id)?];
        let Layer::Engine(CpuLayer::Typed(choice)) = &node.layer else { return None };
        let shape = choice.condition_shape()?.to_vec();
        let &[mask, a, b] = &node.inputs[..] else { return None };
        let mut sides = [(a, b, true), (b, a, false)].into_iter();
        let (scores, other, shown) = sides.find(|&(scores, ..)| self.is_scores(scores, id))?;
        let fill = self.only_number(other)?;
        Some(Masked { scores, mask, shape, masking: Masking::Chosen { shown, fill } })
    }

    /// The number of a constant whose elements are all equal.
    fn only_number(self, id: Id) -> Option<f32> {
        if self.net.values[id].ty != ElementType::F32 {
            return None;
        }
        let (numbers, rest) = self.net.bytes_of(id)?.as_chunks::<4>();
        let first = f32::from_le_bytes(*numbers.first()?);
        let is_one = rest.is_empty() && numbers.iter().all(|number| f32::from_le_bytes(*number) == first);
        is_one.then_some(first)
    }

    /// The matrices of a value, seen in the value that moves, and factors if `takes_factors`, made it of. The last one
    /// that `fits`.
    fn seen(
        self,
        mut id: Id,
        view: &View,
        size: [usize; 2],
        fits: impl Fn(&View) -> bool,
        takes_factors: bool,
    ) -> Option<Operand> {
        let (mut view, mut factor) = (view.clone(), 1.0);
        let mut best = None;
        loop {
            if self.net.values[id].is_variable {
                return best;
            }
            if fits(&view) {
                best = Some(Operand { id, factor, view: view.clone() });
            }
            let Some(node) = self.producers[id] else { return best };
            let Some(&from) = self.net.nodes[node].inputs.first() else { return best };
            if let Some(nest) = whole_move(self.net, node) {
                let Some(moved) = view.through(size, |at| nest.source(at)) else { return best };
                view = moved;
            } else if let Some(more) = self.factor(node).filter(|_| takes_factors) {
                factor *= more;
            } else if !self.net.nodes[node].layer.is_rename() {
                return best;
            }
            id = from;
        }
    }
}

/// The box of a node that copies elements of its input to its whole output.
fn whole_move<'n>(net: &'n Net<'_>, i: usize) -> Option<&'n Nest> {
    let node = &net.nodes[i];
    let Layer::Common(Common::Moves(moves)) = &node.layer else { return None };
    let ([BoxCopy { input: Some(0), output: 0, nest }], [to]) = (&moves.boxes[..], &node.outputs[..]) else {
        return None;
    };
    let mut len = 1;
    let in_order = nest.dims.iter().rev().all(|dim| {
        let is_next = dim.to == len as isize && dim.from >= 0;
        len *= dim.size;
        is_next
    });
    (in_order && nest.to == 0 && nest.len() == net.values[*to].len()).then_some(nest)
}

/// The box that repeats a tensor of `shape` as a tensor of shape `to`.
fn broadcast(shape: &[usize], to: &[usize]) -> Option<Nest> {
    let lead = to.len().checked_sub(shape.len())?;
    let (from, targets) = (strides(shape), strides(to));
    let mut dims = Vec::with_capacity(to.len());
    for (i, &size) in to.iter().enumerate() {
        let own = if i < lead { 1 } else { shape[i - lead] };
        if own != size && own != 1 {
            return None;
        }
        dims.push(Dim { size, from: if own == 1 { 0 } else { from[i - lead] }, to: targets[i] });
    }
    Some(Nest::new(0, 0, dims))
}
