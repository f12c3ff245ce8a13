//! Chains that the delegate fuses. Nodes that are drawn one by one rarely form them.

use arenite::ElementType::{F32, I8};
use arenite_abi::schema::ReducerOptions;

use super::{Draw, REAL, moves, products};
use crate::differential::graph::{Form, Kind, Rule};
use crate::differential::net::{Net, Value};
use crate::options::Attributes;

/// All chains.
pub const PHRASES: &[fn(&mut Net) -> Option<()>] = &[layer_norm, padded, transforms];

fn real(op: &'static str) -> Kind {
    Kind { op, form: REAL }
}

/// `(x − m) · 1 / √(v + ε) · gamma + beta`, with `m` and `v` per row.
fn layer_norm(net: &mut Net) -> Option<()> {
    let x = net.of_rank(F32, 2);
    let (&depth, outer) = x.shape.split_last()?;
    let mut row = outer.to_vec();
    row.push(1);
    let keeps = || Some(Attributes::of(|o| o.set(ReducerOptions::KEEP_DIMS, true)));
    let rule = Rule::Fold { count: depth.max(1) as usize, mean: true };
    let axis = net.row(&[-1]).index;
    let node = |net: &mut Net, op, inputs: [&Value; 2], shape: &[i32], rule| -> Value {
        let inputs = inputs.map(|value| value.index);
        net.node(real(op), &inputs, vec![(F32, shape.to_vec(), None)], None, rule).remove(0)
    };
    let mean = |net: &mut Net, x: &Value| {
        net.node(real("MEAN"), &[x.index, axis], vec![(F32, row.clone(), None)], keeps(), rule).remove(0)
    };
    let m = mean(net, &x);
    let d = node(net, "SUB", [&x, &m], &x.shape, Rule::Sum);
    let squares = match net.random.chance(50) {
        true => node(net, "SQUARED_DIFFERENCE", [&x, &m], &x.shape, Rule::Square),
        false => node(net, "MUL", [&d, &d], &x.shape, Rule::Product),
    };
    let v = mean(net, &squares);
    let epsilon = net.constant((F32, Vec::new(), None), 0.001f32.to_le_bytes().to_vec());
    let v = node(net, "ADD", [&v, &epsilon], &row, Rule::Sum);
    let r = net.node(real("RSQRT"), &[v.index], vec![(F32, row.clone(), None)], None, Rule::InverseRoot);
    let y = node(net, "MUL", [&d, &r[0]], &x.shape, Rule::Product);
    let (gamma, beta) = (net.filled(F32, &[depth]), net.filled(F32, &[depth]));
    let y = node(net, "MUL", [&y, &gamma], &x.shape, Rule::Product);
    node(net, "ADD", [&y, &beta], &x.shape, Rule::Sum);
    Some(())
}

/// A window op on a padded tensor.
fn padded(net: &mut Net) -> Option<()> {
    let form = Form::Of(net.random.pick(&[F32, I8]));
    let x = net.images(form.ty());
    net.next(x);
    moves::pad(net, Kind { op: "PAD", form })?;
    net.repeat();
    let windows: [(&'static str, Draw); 2] =
        [("CONV_2D", products::convolution), ("DEPTHWISE_CONV_2D", products::depthwise)];
    let (op, draw) = net.random.pick(&windows);
    draw(net, Kind { op, form })
}

/// A convolution that is large enough for Winograd.
fn transforms(net: &mut Net) -> Option<()> {
    let shape = [net.random.between(1, 2), net.random.between(5, 9), net.random.between(5, 9)];
    let mut shape = shape.to_vec();
    shape.push(net.random.between(8, 12));
    let x = net.fresh(F32, &shape);
    products::transforms(net, real("CONV_2D"), &x)
}
