//! ARG_MAX and ARG_MIN of bytes along one axis.
//!
//! Defined by: tflite/kernels/arg_min_max.cc.

use arenite_abi::prelude::*;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use crate::ops::build::Build;
use crate::ops::values::NodeValues;
use crate::step::Step;
use crate::steps::arg_u8::ArgU8;
use crate::steps::mean_u8::Shape;

/// The place of the first largest or smallest byte along an axis.
pub(crate) struct Arg {
    shape: Shape,
    /// Bytes are XORed with this before they are compared.
    flip: u8,
    /// Of the output.
    ty: ElementType,
}

/// Lowers ARG_MAX and ARG_MIN.
pub(super) fn lower(x: &Source<'_, '_>) -> Result<Node<Arg>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    let axes = x.integers(1)?;
    let [axis] = axes[..] else { return Err(unsupported!("it has the axes {axes:?}, not one")) };
    let rank = a.shape.len() as i64;
    let axis = if axis < 0 { axis + rank } else { axis };
    ensure!((0..rank).contains(&axis), "axis {axis} does not exist; the tensor has {rank} axes");
    let (outer, [folded, inner @ ..]) = a.shape.split_at(axis as usize) else {
        return Err(invalid!("axis {axis} does not exist; the tensor has {rank} axes"));
    };
    let shape = Shape { outer: outer.iter().product(), folded: *folded, inner: inner.iter().product() };
    ensure!(i32::try_from(shape.folded).is_ok(), "axis {axis} of '{}' has {} elements", a.name, shape.folded);
    ensure!(shape.outer * shape.inner == y.len(), "input {:?} does not become {:?}", a.shape, y.shape);
    let flip = if x.node.builtin_code() == op::ARG_MIN { 0xFF } else { 0 };
    Ok(Node::new(Arg { shape, flip, ty: y.ty }, vec![input], vec![output]))
}

impl Arg {
    /// The step.
    pub(crate) fn build(&self, node: &NodeValues<'_>, build: &Build) -> Box<dyn Step> {
        let Arg { shape, flip, ty } = *self;
        Box::new(ArgU8 { places: build.bytes.places, shape, flip, is_long: ty == I64, ends: node.ends() })
    }
}
