//! LOGISTIC, TANH, EXP, LOG, RSQRT and GELU of quantized numbers of 16 bits, whose zero points are 0.
//!
//! Defined by: tflite/kernels/{activations,elementwise,exp}.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::GeluOptions;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use super::lookup::{exp, gelu, gelu_tanh};
use super::shorts::{I16Layer, scale_of};
use crate::kernels::i16_map::{Curve, Function};

/// Lowers the node if its op is one of these for its types.
pub(super) fn lower(x: &Source<'_, '_>) -> Option<Result<Node<I16Layer>>> {
    let code = x.node.builtin_code();
    if (x.input(0).ok()?.1.ty, x.output(0).ok()?.1.ty) != (I16, I16) {
        return None;
    }
    let function: fn(&Source<'_, '_>, f32, f32) -> Result<Function> = match code {
        op::LOGISTIC => |_, from, to| sigmoid(from, to, 0, |_| Function::Logistic, Curve::logistic),
        op::TANH => {
            |_, from, to| sigmoid(from, to, 1, |power| Function::Tanh { doubles: power == 1 }, Curve::tanh)
        }
        op::EXP => |_, from, to| Ok(Function::of_reals(exp, from, to)),
        op::LOG => |_, from, to| {
            let lowest = to * f32::from(i16::MIN);
            let log = |x: f32| if x <= 0.0 { lowest } else { libm::log(f64::from(x)) as f32 };
            Ok(Function::of_reals(log, from, to))
        },
        op::RSQRT => |_, from, to| {
            let largest = to * f32::from(i16::MAX);
            let root = |x: f32| if x <= 0.0 { largest } else { 1.0 / libm::sqrtf(x) };
            Ok(Function::of_reals(root, from, to))
        },
        op::GELU => |x, from, to| {
            let approximate = x.node.options()?.get(GeluOptions::APPROXIMATE)?;
            Ok(Function::of_reals(if approximate { gelu_tanh } else { gelu }, from, to))
        },
        _ => return None,
    };
    Some(node(x, function, code == op::RSQRT))
}

fn node(
    x: &Source<'_, '_>,
    function: fn(&Source<'_, '_>, f32, f32) -> Result<Function>,
    is_root: bool,
) -> Result<Node<I16Layer>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    expect_elements(y)?;
    ensure!(a.len() == y.len(), "input has shape {:?}, output {:?}", a.shape, y.shape);
    let function = function(x, scale_of(a)?, scale_of(y)?)?;
    Ok(Node::new(I16Layer::Map { function, is_root }, vec![input], vec![output]))
}

/// LOGISTIC or TANH: in fixed point for scales `2^(p − 12)` with `p` up to `most`.
fn sigmoid(
    from: f32,
    to: f32,
    most: i32,
    fixed: fn(i32) -> Function,
    curve: fn(f32) -> Curve,
) -> Result<Function> {
    if power(to)? != Some(-15) {
        return Err(unsupported!("the output has scale {to}; it must be 1/32768"));
    }
    Ok(match power(from)?.map(|log| log + 12) {
        Some(power) if (0..=most).contains(&power) => fixed(power),
        _ => Function::Curve(Box::new(curve(from))),
    })
}

/// The logarithm of a power of two. TensorFlow Lite takes scales within a thousandth for powers; an error near that
/// bound, where its logarithm decides.
fn power(scale: f32) -> Result<Option<i32>> {
    let log = scale.log2();
    let far = (log - log.round()).abs();
    if (5e-4..2e-3).contains(&far) {
        return Err(unsupported!("scale {scale} is almost a power of two"));
    }
    Ok((far < 1e-3).then_some(log.round() as i32))
}
