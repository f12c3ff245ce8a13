//! Finds layer normalization in the many ways that converters write it, and makes one layer of it.
//!
//! ```text
//! m = mean x     d = x − m     v = mean d²     r = 1 / √(v + ε)
//! y = d · r · gamma + beta          or          g = r · gamma,   y = x · g + (beta − m · g)
//! ```
//! Each value is given a meaning, found from those of its node's inputs: what has the meaning of a normalized row is computed
//! from the row at once. What nobody reads then is left out.

use arenite_abi::prelude::*;

use crate::ops::{Elementwise, Fold, Reduce};
use crate::{Binary, Common, EpilogueOp, Id, Layer, Net, Node, Unary};

/// A layer of it: ε, and constants of a row's length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerNorm {
    /// What is added to variances.
    pub epsilon: f32,
    /// What rows are multiplied by.
    pub gamma: Option<Id>,
    /// What is added then.
    pub beta: Option<Id>,
}

/// What a value means, for the rows of value `x`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Meaning {
    x: Id,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    /// `m`, or `−m`.
    Mean { negative: bool },
    /// `d`.
    Deviation,
    /// `d²`.
    Square,
    /// `v`.
    Variance,
    /// `v + ε`.
    Shifted(f32),
    /// `√(v + ε)`.
    Root(f32),
    /// `r`, or `r · gamma`.
    Scale(f32, Option<Id>),
    /// `x · r`, or `x · g`.
    Scaled(f32, Option<Id>),
    /// `± m · r`, or `± m · g`; where negative, `beta` is added.
    Offset { epsilon: f32, gamma: Option<Id>, negative: bool, beta: Option<Id> },
    /// `y`.
    Normal(LayerNorm),
}

/// Rewrites the net.
pub(super) fn normalize<X>(net: &mut Net<'_, X>) {
    let mut meanings: Vec<Option<Meaning>> = vec![None; net.values.len()];
    let mut found = false;
    for i in 0..net.nodes.len() {
        let Some(meaning) = meaning(net, &net.nodes[i], &meanings) else { continue };
        let output = net.nodes[i].outputs[0];
        meanings[output] = Some(meaning);
        if let What::Normal(norm) = meaning.what {
            net.nodes[i] = Node::new(Layer::Common(Common::LayerNorm(norm)), vec![meaning.x], vec![output]);
            net.nodes[i].packed.extend(norm.gamma.into_iter().chain(norm.beta));
            found = true;
        }
    }
    if found {
        net.drop_unread();
    }
}

/// What the node's result means.
fn meaning<X>(net: &Net<'_, X>, node: &Node<Layer<'_, X>>, meanings: &[Option<Meaning>]) -> Option<Meaning> {
    let of = |id: Id| meanings[id];
    let Layer::Common(layer) = &node.layer else { return None };
    match layer {
        Common::Reduce(reduce) => {
            let x = node.inputs[0];
            let (from, to) = (&net.values[x].shape, &net.values[node.outputs[0]].shape);
            match of(x) {
                _ if !is_mean(reduce, from) || from.len() != to.len() || to.last() != Some(&1) => None,
                Some(Meaning { x, what: What::Square }) => Some(Meaning { x, what: What::Variance }),
                _ => Some(Meaning { x, what: What::Mean { negative: false } }),
            }
        }
        Common::Elementwise(Elementwise::Chain(functions)) => match functions[..] {
            [EpilogueOp::Unary(f)] => unary(f, of(node.inputs[0])?),
            [EpilogueOp::Scalar(Binary::Add, number)] => {
                let Meaning { x, what } = of(node.inputs[0])?;
                (what == What::Variance).then_some(Meaning { x, what: What::Shifted(number) })
            }
            [EpilogueOp::Scalar(Binary::DivInto, 1.0)] => {
                let Meaning { x, what } = of(node.inputs[0])?;
                let What::Root(epsilon) = what else { return None };
                Some(Meaning { x, what: What::Scale(epsilon, None) })
            }
            [EpilogueOp::Binary(op, other)] => {
                binary(net, op, [node.inputs[0], other], node.outputs[0], meanings)
            }
            _ => None,
        },
        Common::Elementwise(Elementwise::Two(op, clamp, _)) if !clamp.is_needed() => {
            binary(net, *op, [node.inputs[0], node.inputs[1]], node.outputs[0], meanings)
        }
        _ => None,
    }
}

/// Whether the means of rows of a tensor of this shape are computed.
fn is_mean(reduce: &Reduce, shape: &[usize]) -> bool {
    let (Some(&depth), axes) = (shape.last(), shape.len()) else { return false };
    let only_last = (0..axes).all(|axis| shape[axis] == 1 || reduce.folded[axis] == (axis + 1 == axes));
    reduce.fold == Fold::Sum && only_last && reduce.divisor == depth as f32
}

fn unary(f: Unary, Meaning { x, what }: Meaning) -> Option<Meaning> {
    let what = match (f, what) {
        (Unary::Neg, What::Mean { negative }) => What::Mean { negative: !negative },
        (Unary::Square, What::Deviation) => What::Square,
        (Unary::Rsqrt, What::Shifted(epsilon)) => What::Scale(epsilon, None),
        (Unary::Sqrt, What::Shifted(epsilon)) => What::Root(epsilon),
        _ => return None,
    };
    Some(Meaning { x, what })
}

/// An operand: the rows themselves, something of their meaning, or constants of a row's length.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operand {
    Rows,
    Of(What),
    Constants(Id),
}

fn binary<X>(
    net: &Net<'_, X>,
    op: Binary,
    ids: [Id; 2],
    output: Id,
    meanings: &[Option<Meaning>],
) -> Option<Meaning> {
    let commutes = matches!(op, Binary::Add | Binary::Mul | Binary::SquaredDifference);
    // Rows that are normalized already may be the rows of another layer.
    let rows = ids.into_iter().filter_map(|id| meanings[id]).map(|meaning| meaning.x);
    rows.into_iter().find_map(|x| {
        let [a, b] = [operand(net, x, ids[0], meanings)?, operand(net, x, ids[1], meanings)?];
        let what = combine(op, a, b).or_else(|| if commutes { combine(op, b, a) } else { None })?;
        let whole = matches!(what, What::Deviation | What::Square | What::Scaled(..) | What::Normal(_));
        (!whole || net.values[output].shape == net.values[x].shape).then_some(Meaning { x, what })
    })
}

fn operand<X>(net: &Net<'_, X>, x: Id, id: Id, meanings: &[Option<Meaning>]) -> Option<Operand> {
    let (value, depth) = (&net.values[id], *net.values[x].shape.last()?);
    let is_row = value.len() == depth && value.shape.last() == Some(&depth);
    match meanings[id] {
        _ if id == x => Some(Operand::Rows),
        Some(meaning) => (meaning.x == x).then_some(Operand::Of(meaning.what)),
        None => (value.constant.is_some() && value.ty == F32 && is_row).then_some(Operand::Constants(id)),
    }
}

fn combine(op: Binary, a: Operand, b: Operand) -> Option<What> {
    use Operand::{Constants, Of, Rows};
    let normal = |epsilon, gamma, beta| Some(What::Normal(LayerNorm { epsilon, gamma, beta }));
    match (op, a, b) {
        (Binary::SquaredDifference, Rows, Of(What::Mean { negative: false })) => Some(What::Square),
        (Binary::Sub, Rows, Of(What::Mean { negative: false }))
        | (Binary::Add, Rows, Of(What::Mean { negative: true })) => Some(What::Deviation),
        (Binary::Mul, Of(What::Deviation), Of(What::Deviation)) => Some(What::Square),
        (Binary::Mul, Of(What::Scale(epsilon, None)), Constants(gamma)) => {
            Some(What::Scale(epsilon, Some(gamma)))
        }
        (Binary::Mul, Rows, Of(What::Scale(epsilon, gamma))) => Some(What::Scaled(epsilon, gamma)),
        (Binary::Mul, Of(What::Mean { negative }), Of(What::Scale(epsilon, gamma))) => {
            Some(What::Offset { epsilon, gamma, negative, beta: None })
        }
        (Binary::Sub, Constants(beta), Of(What::Offset { epsilon, gamma, negative: false, beta: None }))
        | (Binary::Add, Constants(beta), Of(What::Offset { epsilon, gamma, negative: true, beta: None })) => {
            Some(What::Offset { epsilon, gamma, negative: true, beta: Some(beta) })
        }
        (Binary::Add, Of(What::Scaled(e, g)), Of(What::Offset { epsilon, gamma, negative: true, beta }))
        | (Binary::Sub, Of(What::Scaled(e, g)), Of(What::Offset { epsilon, gamma, negative: false, beta }))
            if (e, g) == (epsilon, gamma) =>
        {
            normal(epsilon, gamma, beta)
        }
        (Binary::Mul, Of(What::Deviation), Of(What::Scale(epsilon, gamma))) => normal(epsilon, gamma, None),
        (Binary::Div, Of(What::Deviation), Of(What::Root(epsilon))) => normal(epsilon, None, None),
        (Binary::Mul, Of(What::Normal(LayerNorm { epsilon, gamma: None, beta: None })), Constants(gamma)) => {
            normal(epsilon, Some(gamma), None)
        }
        (Binary::Add, Of(What::Normal(LayerNorm { epsilon, gamma, beta: None })), Constants(beta)) => {
            normal(epsilon, gamma, Some(beta))
        }
        _ => None,
    }
}
