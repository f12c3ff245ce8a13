//! Replaces the various forms of layer normalization that converters write by one layer.
//!
//! ```text
//! m = mean x     d = x − m     v = mean d²     r = 1 / √(v + ε)
//! y = d · r · gamma + beta          or          g = r · gamma,   y = x · g + (beta − m · g)
//! ```
//! The meaning of each value follows from the meanings of its node's inputs. A value that means a normalized row is
//! computed by one layer. Nodes whose results are then unread are removed.

use arenite_abi::prelude::*;
use arenite_base::{Binary, Reduction, Unary};

use crate::layer::{Elementwise, LayerNorm, Reduce};
use crate::{Common, EpilogueOp, Id, Layer, Net, Node};

/// The meaning of a value for the rows of value `x`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Meaning {
    x: Id,
    role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
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
        if let Role::Normal(norm) = meaning.role {
            net.nodes[i] = Node::new(Layer::Common(Common::LayerNorm(norm)), vec![meaning.x], vec![output]);
            net.nodes[i].packed.extend(norm.gamma.into_iter().chain(norm.beta));
            found = true;
        }
    }
    if found {
        net.drop_unread();
    }
}

/// The meaning of a node's result.
fn meaning<X>(net: &Net<'_, X>, node: &Node<Layer<'_, X>>, meanings: &[Option<Meaning>]) -> Option<Meaning> {
    let of = |id: Id| meanings[id];
    let Layer::Common(layer) = &node.layer else { return None };
    match layer {
        Common::Reduce(reduce) => {
            let x = node.inputs[0];
            let (from, to) = (&net.values[x].shape, &net.values[node.outputs[0]].shape);
            match of(x) {
                _ if !is_mean(reduce, from) || from.len() != to.len() || to.last() != Some(&1) => None,
                Some(Meaning { x, role: Role::Square }) => Some(Meaning { x, role: Role::Variance }),
                _ => Some(Meaning { x, role: Role::Mean { negative: false } }),
            }
        }
        Common::Elementwise(Elementwise::Chain(functions)) => match functions[..] {
            [EpilogueOp::Unary(f)] => unary(f, of(node.inputs[0])?),
            [EpilogueOp::Scalar(Binary::Add, number)] => {
                let Meaning { x, role } = of(node.inputs[0])?;
                (role == Role::Variance).then_some(Meaning { x, role: Role::Shifted(number) })
            }
            [EpilogueOp::Scalar(Binary::DivInto, 1.0)] => {
                let Meaning { x, role } = of(node.inputs[0])?;
                let Role::Root(epsilon) = role else { return None };
                Some(Meaning { x, role: Role::Scale(epsilon, None) })
            }
            [EpilogueOp::Binary(op, other)] => {
                binary(net, op, [node.inputs[0], other], node.outputs[0], meanings)
            }
            _ => None,
        },
        Common::Elementwise(Elementwise::Two(op, clamp, functions))
            if !clamp.is_needed() && functions.is_empty() =>
        {
            binary(net, *op, [node.inputs[0], node.inputs[1]], node.outputs[0], meanings)
        }
        _ => None,
    }
}

/// Whether the layer computes the means of rows of a tensor with this shape.
fn is_mean(reduce: &Reduce, shape: &[usize]) -> bool {
    let (Some(&depth), axes) = (shape.last(), shape.len()) else { return false };
    let only_last = (0..axes).all(|axis| shape[axis] == 1 || reduce.folded[axis] == (axis + 1 == axes));
    reduce.fold == Reduction::Sum && only_last && reduce.divisor == depth as f32
}

fn unary(f: Unary, Meaning { x, role }: Meaning) -> Option<Meaning> {
    let role = match (f, role) {
        (Unary::Neg, Role::Mean { negative }) => Role::Mean { negative: !negative },
        (Unary::Square, Role::Deviation) => Role::Square,
        (Unary::Rsqrt, Role::Shifted(epsilon)) => Role::Scale(epsilon, None),
        (Unary::Sqrt, Role::Shifted(epsilon)) => Role::Root(epsilon),
        _ => return None,
    };
    Some(Meaning { x, role })
}

/// An operand: the rows, a value with a meaning for them, or a constant row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operand {
    Rows,
    Of(Role),
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
    // Normalized rows may be the rows of another normalization.
    let rows = ids.into_iter().filter_map(|id| meanings[id]).map(|meaning| meaning.x);
    rows.into_iter().find_map(|x| {
        let [a, b] = [operand(net, x, ids[0], meanings)?, operand(net, x, ids[1], meanings)?];
        let role = combine(op, a, b).or_else(|| if commutes { combine(op, b, a) } else { None })?;
        let whole = matches!(role, Role::Deviation | Role::Square | Role::Scaled(..) | Role::Normal(_));
        (!whole || net.values[output].shape == net.values[x].shape).then_some(Meaning { x, role })
    })
}

fn operand<X>(net: &Net<'_, X>, x: Id, id: Id, meanings: &[Option<Meaning>]) -> Option<Operand> {
    let (value, depth) = (&net.values[id], *net.values[x].shape.last()?);
    let is_row = value.len() == depth && value.shape.last() == Some(&depth);
    match meanings[id] {
        _ if id == x => Some(Operand::Rows),
        Some(meaning) => (meaning.x == x).then_some(Operand::Of(meaning.role)),
        None => (value.constant.is_some() && value.ty == F32 && is_row).then_some(Operand::Constants(id)),
    }
}

fn combine(op: Binary, a: Operand, b: Operand) -> Option<Role> {
    use Operand::{Constants, Of, Rows};
    let normal = |epsilon, gamma, beta| Some(Role::Normal(LayerNorm { epsilon, gamma, beta }));
    match (op, a, b) {
        (Binary::SquaredDifference, Rows, Of(Role::Mean { negative: false })) => Some(Role::Square),
        (Binary::Sub, Rows, Of(Role::Mean { negative: false }))
        | (Binary::Add, Rows, Of(Role::Mean { negative: true })) => Some(Role::Deviation),
        (Binary::Mul, Of(Role::Deviation), Of(Role::Deviation)) => Some(Role::Square),
        (Binary::Mul, Of(Role::Scale(epsilon, None)), Constants(gamma)) => {
            Some(Role::Scale(epsilon, Some(gamma)))
        }
        (Binary::Mul, Rows, Of(Role::Scale(epsilon, gamma))) => Some(Role::Scaled(epsilon, gamma)),
        (Binary::Mul, Of(Role::Mean { negative }), Of(Role::Scale(epsilon, gamma))) => {
            Some(Role::Offset { epsilon, gamma, negative, beta: None })
        }
        (Binary::Sub, Constants(beta), Of(Role::Offset { epsilon, gamma, negative: false, beta: None }))
        | (Binary::Add, Constants(beta), Of(Role::Offset { epsilon, gamma, negative: true, beta: None })) => {
            Some(Role::Offset { epsilon, gamma, negative: true, beta: Some(beta) })
        }
        (Binary::Add, Of(Role::Scaled(e, g)), Of(Role::Offset { epsilon, gamma, negative: true, beta }))
        | (Binary::Sub, Of(Role::Scaled(e, g)), Of(Role::Offset { epsilon, gamma, negative: false, beta }))
            if (e, g) == (epsilon, gamma) =>
        {
            normal(epsilon, gamma, beta)
        }
        (Binary::Mul, Of(Role::Deviation), Of(Role::Scale(epsilon, gamma))) => normal(epsilon, gamma, None),
        (Binary::Div, Of(Role::Deviation), Of(Role::Root(epsilon))) => normal(epsilon, None, None),
        (Binary::Mul, Of(Role::Normal(LayerNorm { epsilon, gamma: None, beta: None })), Constants(gamma)) => {
            normal(epsilon, Some(gamma), None)
        }
        (Binary::Add, Of(Role::Normal(LayerNorm { epsilon, gamma, beta: None })), Constants(beta)) => {
            normal(epsilon, gamma, Some(beta))
        }
        _ => None,
    }
}
