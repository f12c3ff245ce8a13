//! CONCATENATION, PACK, SPLIT, SPLIT_V, UNPACK: tensors are joined and split; any type of whole bytes.

use arenite_abi::prelude::*;
use arenite_abi::schema::{ConcatenationOptions, PackOptions, UnpackOptions, activation};
use arenite_base::Dim;

use super::source::{Source, axis_of, expect_elements};
use crate::layer::moves::{BoxCopy, Nest, width};
use crate::layer::{Common, Moves};
use crate::net::{Node, Value};

/// A node that copies one box of an input to its output, or a rename if the box is the whole input in order.
pub(super) fn single<'a>(
    x: &Source<'_, 'a>,
    name: &'static str,
    input: usize,
    nest: Nest,
) -> Result<Node<Common<'a>>> {
    let ((from, a), (to, y)) = (x.input(input)?, x.output(0)?);
    expect_elements(y)?;
    let width = width(y)?;
    if a.ty != y.ty || nest.len() != y.len() {
        return Err(unsupported!("{} {:?} cannot become {} {:?}", a.ty, a.shape, y.ty, y.shape));
    }
    let layer = match nest.is_all_of(a.len()) {
        true => Common::Rename,
        false => Common::Moves(Moves { name, width, fill: [0; 16], boxes: vec![BoxCopy::copied(nest)] }),
    };
    Ok(Node::new(layer, vec![from], vec![to]))
}

/// Lowers CONCATENATION.
pub(super) fn concatenation<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let options = x.node.options()?;
    if options.get(ConcatenationOptions::FUSED_ACTIVATION_FUNCTION)? != activation::NONE {
        return Err(unsupported!("fused activations are not supported"));
    }
    let (_, y) = x.output(0)?;
    let axis = axis_of(options.get(ConcatenationOptions::AXIS)?.into(), y.shape.len())?;
    for i in 0..x.node.input_count() {
        expect_same_but(x.input(i)?.1, axis, y)?;
    }
    join(x, "concatenation", y.shape[..axis].iter().product())
}

/// An error unless both have the same dimensions except `axis`.
fn expect_same_but(part: &Value<'_>, axis: usize, whole: &Value<'_>) -> Result<()> {
    let same = |i: usize| i == axis || part.shape[i] == whole.shape[i];
    ensure!(
        part.shape.len() == whole.shape.len() && (0..part.shape.len()).all(same),
        "{part} {:?} is not a part of {whole} {:?} along axis {axis}",
        part.shape,
        whole.shape
    );
    Ok(())
}

/// An error unless `slice` has the dimensions of `whole` without `axis`.
fn expect_slice(slice: &Value<'_>, axis: usize, whole: &Value<'_>) -> Result<()> {
    ensure!(
        [&whole.shape[..axis], &whole.shape[axis + 1..]].concat() == slice.shape,
        "{slice} {:?} is not a slice of {whole} {:?} along axis {axis}",
        slice.shape,
        whole.shape
    );
    Ok(())
}

/// Lowers PACK.
pub(super) fn pack<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let (_, y) = x.output(0)?;
    let axis = axis_of(x.node.options()?.get(PackOptions::AXIS)?.into(), y.shape.len())?;
    for i in 0..x.node.input_count() {
        expect_slice(x.input(i)?.1, axis, y)?;
    }
    join(x, "pack", y.shape[..axis].iter().product())
}

/// Joins the inputs: `outer` times a part of each.
fn join<'a>(x: &Source<'_, 'a>, name: &'static str, outer: usize) -> Result<Node<Common<'a>>> {
    let (to, y) = x.output(0)?;
    expect_elements(y)?;
    let turn = y.len() / outer;
    let (mut inputs, mut boxes, mut at) = (Vec::new(), Vec::new(), 0);
    for i in 0..x.node.input_count() {
        let (id, a) = x.input(i)?;
        if a.ty != y.ty || a.ty.is_quantizable() && a.quant != y.quant {
            return Err(unsupported!("{a} and {y} differ in type or quantization"));
        }
        let part = a.len() / outer;
        if part == 0 {
            continue;
        }
        let nest = runs(outer, part, Runs { first: 0, stride: part }, Runs { first: at, stride: turn });
        boxes.push(BoxCopy { input: Some(inputs.len()), output: 0, nest });
        inputs.push(id);
        at += part;
    }
    ensure!(at == turn, "the inputs have {at} elements per slice, the output has {turn}");
    let layer = Common::Moves(Moves { name, width: width(y)?, fill: [0; 16], boxes });
    Ok(Node::new(layer, inputs, vec![to]))
}

/// The position of runs in a tensor.
struct Runs {
    first: usize,
    /// The distance between runs in elements.
    stride: usize,
}

/// `count` runs of `len` elements each.
fn runs(count: usize, len: usize, from: Runs, to: Runs) -> Nest {
    let outer = Dim { size: count, from: from.stride as isize, to: to.stride as isize };
    Nest::new(from.first, to.first, [outer, Dim { size: len, from: 1, to: 1 }])
}

/// Lowers SPLIT.
pub(super) fn split<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let axis = x.integers(0)?;
    let size = x.output(0)?.1.shape.clone();
    for i in 1..x.node.output_count() {
        let (_, y) = x.output(i)?;
        ensure!(y.shape == size, "parts {size:?} and {:?} differ", y.shape);
    }
    part(x, "split", 1, &axis, expect_same_but)
}

/// Lowers SPLIT_V.
pub(super) fn split_v<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let (sizes, axis) = (x.integers(1)?, x.integers(2)?);
    ensure!(
        sizes.len() == x.node.output_count(),
        "{} sizes for {} outputs",
        sizes.len(),
        x.node.output_count()
    );
    if let &[axis] = &axis[..] {
        let axis = axis_of(axis, x.input(0)?.1.shape.len())?;
        for (i, &size) in sizes.iter().enumerate() {
            let (_, y) = x.output(i)?;
            // −1 means the remaining size.
            let fits = size == -1 || y.shape.get(axis).is_some_and(|&own| i64::try_from(own) == Ok(size));
            ensure!(fits, "output {i} has shape {:?}, its size along axis {axis} is {size}", y.shape);
        }
    }
    part(x, "split", 0, &axis, expect_same_but)
}

/// Lowers UNPACK.
pub(super) fn unpack<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let axis = x.node.options()?.get(UnpackOptions::AXIS)?;
    part(x, "unpack", 0, &[axis.into()], expect_slice)
}

/// Splits an input along an axis; `expect` checks the shape of each output.
fn part<'a>(
    x: &Source<'_, 'a>,
    name: &'static str,
    input: usize,
    axis: &[i64],
    expect: fn(&Value<'_>, usize, &Value<'_>) -> Result<()>,
) -> Result<Node<Common<'a>>> {
    let (from, a) = x.input(input)?;
    expect_elements(a)?;
    let &[axis] = axis else { return Err(invalid!("{} axes are given, it takes one", axis.len())) };
    let axis = axis_of(axis, a.shape.len())?;
    let outer: usize = a.shape[..axis].iter().product();
    let turn = a.len() / outer;
    let (mut outputs, mut boxes, mut at) = (Vec::new(), Vec::new(), 0);
    for i in 0..x.node.output_count() {
        let (id, y) = x.output(i)?;
        if a.ty != y.ty || a.ty.is_quantizable() && a.quant != y.quant {
            return Err(unsupported!("{a} and {y} differ in type or quantization"));
        }
        expect_elements(y)?;
        expect(y, axis, a)?;
        let part = y.len() / outer;
        let nest = runs(outer, part, Runs { first: at, stride: turn }, Runs { first: 0, stride: part });
        boxes.push(BoxCopy { input: Some(0), output: outputs.len(), nest });
        outputs.push(id);
        at += part;
    }
    ensure!(at == turn, "outputs of {at} elements do not empty an input of {turn}, {outer} times");
    let layer = Common::Moves(Moves { name, width: width(a)?, fill: [0; 16], boxes });
    Ok(Node::new(layer, vec![from], outputs))
}
