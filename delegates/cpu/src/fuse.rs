//! Rewrites a net so that fewer values go through memory.
//!
//! ```text
//! x ─► LOGISTIC ─► s ─► MUL(x, s)            =>  x ─► [silu]
//! x ─► [f] ─► y ─► [g]                       =>  x ─► [f, g]            y is read once
//! x ─► CONV_2D ─► y ─► [add z, clamp]        =>  x ─► CONV_2D [add z, clamp]
//! x ─► MUL(x, row) ─► y ─► ADD(y, row)       =>  x ─► MUL [add row]
//! ```
//! A fused node runs where the later of its nodes ran: then everything that it reads is there.

use crate::kernels::f32_map::{Binary, Unary};
use crate::net::{Id, Net, Node};
use crate::ops::{Elementwise, Layer};
use crate::steps::post::{MAX_POSTS, Post};

/// Applies all rewritings.
pub fn fuse(net: &mut Net<'_>) {
    silu(net);
    absorb(net);
}

/// `x · logistic(x)` as one function.
fn silu(net: &mut Net<'_>) {
    let (uses, producers) = (net.uses(), net.producers());
    let logistic = [Post::Unary(Unary::Logistic)];
    for j in 0..net.nodes.len() {
        let Layer::Elementwise(Elementwise::Chain(posts)) = &net.nodes[j].layer else { continue };
        let (&[Post::Binary(Binary::Mul, other)], main) = (&posts[..], net.nodes[j].inputs[0]) else {
            continue;
        };
        let gate = [(main, other), (other, main)].into_iter().find_map(|(x, s)| {
            let i = producers[s].filter(|_| uses[s] == 1)?;
            let node = &net.nodes[i];
            let is_gate =
                matches!(&node.layer, Layer::Elementwise(Elementwise::Chain(p)) if p[..] == logistic);
            (is_gate && node.inputs == [x]).then_some((i, x))
        });
        if let Some((i, x)) = gate {
            net.nodes[i].layer = Layer::Nothing;
            net.nodes[i].inputs.clear();
            net.nodes[i].outputs.clear();
            net.nodes[j].inputs = vec![x];
            net.nodes[j].layer = Layer::Elementwise(Elementwise::Chain(vec![Post::Unary(Unary::Silu)]));
        }
    }
    net.nodes.retain(|node| !matches!(node.layer, Layer::Nothing));
}

/// Gives chains of functions to the nodes whose results they read.
fn absorb(net: &mut Net<'_>) {
    let uses = net.uses();
    let mut producers = net.producers();
    for j in 0..net.nodes.len() {
        let Some(candidates) = mains(net, &net.nodes[j]) else { continue };
        let found = candidates.into_iter().find_map(|(main, posts)| {
            let i = producers[main].filter(|_| uses[main] == 1)?;
            let node = &net.nodes[i];
            let room = node.layer.posts().is_some_and(|own| own.len() + posts.len() <= MAX_POSTS);
            (room && node.outputs == [main]).then_some((i, main, posts))
        });
        let Some((i, main, posts)) = found else { continue };
        let nothing = Node::new(Layer::Nothing, Vec::new(), Vec::new());
        let mut fused = std::mem::replace(&mut net.nodes[i], nothing);
        if let Some(own) = fused.layer.posts_mut() {
            own.extend(posts);
        }
        fused.inputs.extend(net.nodes[j].inputs.iter().filter(|&&id| id != main));
        fused.outputs.clone_from(&net.nodes[j].outputs);
        fused.packed.extend(net.nodes[j].packed.iter());
        fused.outputs.iter().for_each(|&id| producers[id] = Some(j));
        net.nodes[j] = fused;
    }
    net.nodes.retain(|node| !matches!(node.layer, Layer::Nothing));
}

/// The ways to see a node as functions of one main operand: with the operands of a leading function of two swapped, too.
fn mains(net: &Net<'_>, node: &Node<'_>) -> Option<Vec<(Id, Vec<Post>)>> {
    let posts = match &node.layer {
        Layer::Elementwise(Elementwise::Chain(posts)) => posts,
        Layer::Elementwise(Elementwise::Two(op, limits, posts)) => {
            let [a, b] = node.inputs[..] else { return None };
            let (main, other, op) = match row(net, a, b, node.outputs[0]) {
                Some(_) => (a, b, *op),
                None => (b, a, op.swapped()),
            };
            let mut all = vec![Post::Row(op, other, row(net, main, other, node.outputs[0])?)];
            if limits.0 > f32::MIN || limits.1 < f32::MAX {
                all.push(Post::Clamp(limits.0, limits.1));
            }
            all.extend(posts);
            return Some(vec![(main, all)]);
        }
        _ => return None,
    };
    let mut ways = vec![(node.inputs[0], posts.clone())];
    if let Some(&Post::Binary(op, other)) = posts.first() {
        let mut swapped = posts.clone();
        swapped[0] = Post::Binary(op.swapped(), node.inputs[0]);
        ways.push((other, swapped));
    }
    Some(ways)
}

/// The length of `other`, if each row of `main` meets the same elements of it.
fn row(net: &Net<'_>, main: Id, other: Id, output: Id) -> Option<usize> {
    let [main, other, output] = [main, other, output].map(|id| &net.values[id]);
    let len = *output.shape.last()?;
    let is_row = other.len() == len && other.shape.last() == Some(&len);
    (len > 1 && is_row && main.shape == output.shape).then_some(len)
}
