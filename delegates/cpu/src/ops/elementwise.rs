//! Functions of one `f32` tensor, and of two with broadcasting.

use arenite_abi::prelude::*;
use arenite_abi::schema::{GeluOptions, LeakyReluOptions};

use super::{Build, Layer, Source, expect_elements, fused_activation};
use crate::kernels::f32_map::{Binary, Unary};
use crate::net::{Id, Net, Node};
use crate::program::Step;
use crate::steps::loops::Loops;
use crate::steps::map_f32::{BinaryMap, ChainMap};
use crate::steps::post::Post;
use crate::window::limits;

/// What is computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Elementwise {
    /// Of input 0, one after the other; a [`Post::Binary`] reads another value of the same shape.
    Chain(Vec<Post>),
    /// Of inputs 0 and 1, broadcast, then clamped; and what follows.
    Two(Binary, (f32, f32), Vec<Post>),
}

/// Lowers the node if its op is one of these.
pub fn lower<'a>(x: &Source<'_, 'a>, code: i32) -> Option<Result<Node<'a>>> {
    let two = |op| Some(binary(x, op));
    let one = |f| Some(unary(x, Post::Unary(f)));
    match code {
        op::ADD => two(Binary::Add),
        op::MUL => two(Binary::Mul),
        op::SUB => two(Binary::Sub),
        op::DIV => two(Binary::Div),
        op::MAXIMUM => two(Binary::Max),
        op::MINIMUM => two(Binary::Min),
        op::SQUARED_DIFFERENCE => two(Binary::SquaredDifference),
        op::LOGISTIC => one(Unary::Logistic),
        op::TANH => one(Unary::Tanh),
        op::EXP => one(Unary::Exp),
        op::NEG => one(Unary::Neg),
        op::SQRT => one(Unary::Sqrt),
        op::RSQRT => one(Unary::Rsqrt),
        op::SQUARE => one(Unary::Square),
        op::ABS => one(Unary::Abs),
        op::HARD_SWISH => one(Unary::HardSwish),
        op::FLOOR => one(Unary::Floor),
        op::CEIL => one(Unary::Ceil),
        op::ROUND => one(Unary::Round),
        op::ELU => one(Unary::Elu),
        op::PRELU => two(Binary::Leak),
        op::LEAKY_RELU => Some(leaky_relu(x)),
        op::GELU => Some(gelu(x)),
        op::RELU => Some(unary(x, Post::Clamp(0.0, f32::INFINITY))),
        op::RELU_N1_TO_1 => Some(unary(x, Post::Clamp(-1.0, 1.0))),
        op::RELU6 => Some(unary(x, Post::Clamp(0.0, 6.0))),
        op::RELU_0_TO_1 => Some(unary(x, Post::Clamp(0.0, 1.0))),
        _ => None,
    }
}

fn leaky_relu<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    let alpha = x.node.options()?.get(LeakyReluOptions::ALPHA)?;
    unary(x, Post::Scalar(Binary::Leak, alpha))
}

fn gelu<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    let approximate = x.node.options()?.get(GeluOptions::APPROXIMATE)?;
    unary(x, Post::Unary(if approximate { Unary::GeluTanh } else { Unary::Gelu }))
}

fn unary<'a>(x: &Source<'_, 'a>, post: Post) -> Result<Node<'a>> {
    x.expect_f32(1)?;
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(y)?;
    ensure!(a.len() == y.len(), "input has shape {:?}, output {:?}", a.shape, y.shape);
    Ok(Node::new(Layer::Elementwise(Elementwise::Chain(vec![post])), vec![input], vec![output]))
}

fn binary<'a>(x: &Source<'_, 'a>, op: Binary) -> Result<Node<'a>> {
    x.expect_f32(2)?;
    let ((a_id, a), (b_id, b), (output, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    for value in [a, b, y] {
        expect_elements(value)?;
    }
    let range = match fused_activation(&x.node)? {
        Some(activation) => limits(activation)?,
        None => (f32::NEG_INFINITY, f32::INFINITY),
    };
    let chain = |main, post| {
        let mut posts = vec![post];
        if range != (f32::NEG_INFINITY, f32::INFINITY) && range != (f32::MIN, f32::MAX) {
            posts.push(Post::Clamp(range.0, range.1));
        }
        let inputs = match post {
            Post::Binary(_, other) => vec![main, other],
            _ => vec![main],
        };
        Ok(Node::new(Layer::Elementwise(Elementwise::Chain(posts)), inputs, vec![output]))
    };
    if let (Some(&[number]), true) = (b.elements::<f32>()?, a.len() == y.len()) {
        return chain(a_id, Post::Scalar(op, number));
    }
    if let (Some(&[number]), true) = (a.elements::<f32>()?, b.len() == y.len()) {
        return chain(b_id, Post::Scalar(op.swapped(), number));
    }
    // With so many elements each, dimensions differ by ones at most.
    if a.len() == y.len() && b.len() == y.len() {
        return chain(a_id, Post::Binary(op, b_id));
    }
    if Loops::new(&a.shape, &b.shape, &y.shape).is_none() {
        return Err(unsupported!("shapes {:?} and {:?} are not taken", a.shape, b.shape));
    }
    let layer = Layer::Elementwise(Elementwise::Two(op, range, Vec::new()));
    Ok(Node::new(layer, vec![a_id, b_id], vec![output]))
}

impl Elementwise {
    /// The step.
    pub fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let shape = |id: Id| &net.values[id].shape[..];
        let output = node.outputs[0];
        Ok(match *self {
            Elementwise::Chain(ref posts) => Box::new(ChainMap {
                map: build.f32_map,
                posts: posts.clone(),
                len: net.values[output].len(),
                input: node.inputs[0],
                output,
            }),
            Elementwise::Two(op, limits, ref posts) => {
                let (a, b) = (node.inputs[0], node.inputs[1]);
                let loops = Loops::new(shape(a), shape(b), shape(output))
                    .ok_or_else(|| invalid!("shapes {:?} and {:?} do not broadcast", shape(a), shape(b)))?;
                let (map, posts) = (build.f32_map, posts.clone());
                Box::new(BinaryMap { map, op, loops, limits, posts, inputs: [a, b], output })
            }
        })
    }
}
