//! Functions of one `f32` tensor, and of two with broadcasting.

use arenite_abi::prelude::*;
use arenite_abi::schema::{GeluOptions, LeakyReluOptions};
use arenite_base::{Binary, Clamp, Unary};

use super::activation::clamp_of;
use super::source::{Source, expect_elements, fused_activation};
use crate::layer::{Common, Elementwise, EpilogueOp, Loops};
use crate::net::Node;

/// Lowers LEAKY_RELU.
pub(super) fn leaky_relu<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let alpha = x.node.options()?.get(LeakyReluOptions::ALPHA)?;
    // Negative or infinite factors would change zeros, which are multiplied, too.
    if !(alpha.is_finite() && alpha.is_sign_positive()) {
        return Err(unsupported!("alpha is {alpha}; it must be at least 0"));
    }
    unary(x, EpilogueOp::Scalar(Binary::Leak, alpha))
}

/// Lowers GELU.
pub(super) fn gelu<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let approximate = x.node.options()?.get(GeluOptions::APPROXIMATE)?;
    unary(x, EpilogueOp::Unary(if approximate { Unary::GeluTanh } else { Unary::Gelu }))
}

/// Lowers QUANTIZE of values that are seen as floats: only the grid changes.
pub(super) fn quantize<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let [from, to] = [x.input(0)?.1.grid, x.output(0)?.1.grid];
    let scales = from.zip(to).map(|(from, to)| [from, to].map(|grid| grid.quant.scale));
    match scales.and_then(rounded_twice) {
        Some(functions) => chain(x, functions),
        None => unary(x, EpilogueOp::Clamp(Clamp::NONE)),
    }
}

/// More than the rounding error of a byte's product, so that a half that became slightly smaller is rounded up.
const BEHIND_HALF: f32 = 1.0 / (1 << 14) as f32;

/// The reference op's result for bytes `q`, in steps of the first scale, on a grid whose steps are more than twice as
/// large:
///
/// ```text
/// ⌊⌊q · m⌉ · 2⁻ˢ⌉, where the scales' ratio is m · 2⁻ˢ, ½ ≤ m < 1; halves are rounded up
/// ```
/// On finer grids, the reference op rounds once.
fn rounded_twice([from, to]: [f32; 2]) -> Option<Vec<EpilogueOp>> {
    let ratio = f64::from(from) / f64::from(to);
    let shift = -(ratio.log2().floor() as i32 + 1);
    let (unit, up) = ((f64::from(to) * 0.5f64.powi(shift)) as f32, EpilogueOp::Unary(Unary::Floor));
    (shift > 0).then(|| {
        vec![
            EpilogueOp::Scalar(Binary::Div, unit),
            EpilogueOp::Scalar(Binary::Add, 0.5 + BEHIND_HALF),
            up,
            EpilogueOp::Scalar(Binary::Mul, 0.5f32.powi(shift)),
            EpilogueOp::Scalar(Binary::Add, 0.5),
            up,
            EpilogueOp::Scalar(Binary::Mul, to),
        ]
    })
}

/// Lowers a function of one tensor.
pub(super) fn unary<'a>(x: &Source<'_, 'a>, f: EpilogueOp) -> Result<Node<Common<'a>>> {
    chain(x, vec![f])
}

/// The most inputs of ADD_N: each one but the first is an operand of a kernel.
const MOST_SUMMANDS: usize = 5;

/// Lowers ADD_N: the sum of tensors of one shape, from the first to the last.
pub(super) fn add_n<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let count = x.node.input_count();
    x.expect_f32(count)?;
    if count > MOST_SUMMANDS {
        return Err(unsupported!("it has {count} inputs; at most {MOST_SUMMANDS} are supported"));
    }
    let ((first, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(y)?;
    ensure!(a.shape == y.shape, "input has shape {:?}, output {:?}", a.shape, y.shape);
    let others = (1..count).map(|i| x.input(i).map(|(id, _)| id)).collect::<Result<Vec<_>>>()?;
    let functions = others.iter().map(|&id| EpilogueOp::Binary(Binary::Add, id)).collect();
    let inputs = std::iter::once(first).chain(others).collect();
    Ok(Node::new(Common::Elementwise(Elementwise::Chain(functions)), inputs, vec![output]))
}

/// Lowers a sequence of functions of one tensor.
fn chain<'a>(x: &Source<'_, 'a>, functions: Vec<EpilogueOp>) -> Result<Node<Common<'a>>> {
    x.expect_f32(1)?;
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(y)?;
    ensure!(a.len() == y.len(), "input has shape {:?}, output {:?}", a.shape, y.shape);
    Ok(Node::new(Common::Elementwise(Elementwise::Chain(functions)), vec![input], vec![output]))
}

/// Lowers a function of two tensors.
pub(super) fn binary<'a>(x: &Source<'_, 'a>, op: Binary) -> Result<Node<Common<'a>>> {
    x.expect_f32(2)?;
    let ((a_id, a), (b_id, b), (output, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    for value in [a, b, y] {
        expect_elements(value)?;
    }
    let clamp = match fused_activation(&x.node)? {
        Some(activation) => clamp_of(activation)?,
        None => Clamp::NONE,
    };
    let chain = |main, f: EpilogueOp| {
        let mut all = vec![f];
        if clamp.is_needed() {
            all.push(EpilogueOp::Clamp(clamp));
        }
        let inputs = std::iter::once(main).chain(f.operand()).collect();
        Ok(Node::new(Common::Elementwise(Elementwise::Chain(all)), inputs, vec![output]))
    };
    if let (Some(&[number]), true) = (b.elements::<f32>()?, a.len() == y.len()) {
        return chain(a_id, EpilogueOp::Scalar(op, number));
    }
    if let (Some(&[number]), true) = (a.elements::<f32>()?, b.len() == y.len()) {
        return chain(b_id, EpilogueOp::Scalar(op.swapped(), number));
    }
    // With equal element counts, shapes differ only by dimensions of 1.
    if a.len() == y.len() && b.len() == y.len() {
        return chain(a_id, EpilogueOp::Binary(op, b_id));
    }
    if Loops::<2>::new(&[&a.shape, &b.shape], &y.shape).is_none() {
        return Err(unsupported!("broadcasting {:?} with {:?} is not supported", a.shape, b.shape));
    }
    let layer = Common::Elementwise(Elementwise::Two(op, clamp, Vec::new()));
    Ok(Node::new(layer, vec![a_id, b_id], vec![output]))
}
