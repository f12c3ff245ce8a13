//! Functions of one `f32` tensor, and of two with broadcasting.

use arenite_abi::prelude::*;

use super::{Build, Layer, Source, expect_elements};
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
    let two = |op, options: Option<u32>| Some(binary(x, op, options));
    let one = |f| Some(unary(x, Post::Unary(f)));
    match code {
        0 => two(Binary::Add, Some(11)),
        18 => two(Binary::Mul, Some(21)),
        41 => two(Binary::Sub, Some(28)),
        42 => two(Binary::Div, Some(29)),
        55 => two(Binary::Max, None),
        57 => two(Binary::Min, None),
        99 => two(Binary::SquaredDifference, None),
        14 => one(Unary::Logistic),
        28 => one(Unary::Tanh),
        47 => one(Unary::Exp),
        59 => one(Unary::Neg),
        75 => one(Unary::Sqrt),
        76 => one(Unary::Rsqrt),
        92 => one(Unary::Square),
        101 => one(Unary::Abs),
        117 => one(Unary::HardSwish),
        8 => one(Unary::Floor),
        104 => one(Unary::Ceil),
        116 => one(Unary::Round),
        111 => one(Unary::Elu),
        54 => two(Binary::Leak, None),
        98 => Some(leaky_relu(x)),
        150 => Some(gelu(x)),
        19 => Some(unary(x, Post::Clamp(0.0, f32::INFINITY))),
        20 => Some(unary(x, Post::Clamp(-1.0, 1.0))),
        21 => Some(unary(x, Post::Clamp(0.0, 6.0))),
        152 => Some(unary(x, Post::Clamp(0.0, 1.0))),
        _ => None,
    }
}

fn leaky_relu<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    let alpha: f32 = x.node.options(75)?.get(0, 0.0)?;
    unary(x, Post::Scalar(Binary::Leak, alpha))
}

fn gelu<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    let approximate: bool = x.node.options(116)?.get(0, false)?;
    unary(x, Post::Unary(if approximate { Unary::GeluTanh } else { Unary::Gelu }))
}

fn unary<'a>(x: &Source<'_, 'a>, post: Post) -> Result<Node<'a>> {
    x.expect_f32(1)?;
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(y)?;
    ensure!(a.len() == y.len(), "input has shape {:?}, output {:?}", a.shape, y.shape);
    Ok(Node::new(Layer::Elementwise(Elementwise::Chain(vec![post])), vec![input], vec![output]))
}

fn binary<'a>(x: &Source<'_, 'a>, op: Binary, options: Option<u32>) -> Result<Node<'a>> {
    x.expect_f32(2)?;
    let ((a_id, a), (b_id, b), (output, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    for value in [a, b, y] {
        expect_elements(value)?;
    }
    let range = match options {
        Some(tag) => limits(x.node.options(tag)?.get(0, 0)?)?,
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
