//! ARG_MAX and ARG_MIN of bytes, `f32` and `i32` along one axis.
//!
//! Defined by: tflite/kernels/arg_min_max.cc.

use arenite_abi::prelude::*;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use crate::kernels::x32_arg::Places;
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::arg::{self, Elements};
use crate::steps::fold_int::Shape;

/// The place of the first largest or smallest element along an axis.
pub(crate) struct Arg {
    shape: Shape,
    is_smallest: bool,
    /// Of the input and the output.
    types: [ElementType; 2],
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
    let is_smallest = x.node.builtin_code() == op::ARG_MIN;
    Ok(Node::new(Arg { shape, is_smallest, types: [a.ty, y.ty] }, vec![input], vec![output]))
}

impl Arg {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Box<dyn Step> {
        let Arg { shape, is_smallest, types: [from, to] } = *self;
        let elements = match from {
            F32 => Elements::Reals(Places::select(build.isa)),
            I32 => Elements::Wholes(Places::select(build.isa)),
            _ => {
                let signed = if net.values[node.inputs[0]].ty == I8 { 0x80 } else { 0 };
                Elements::Bytes(build.bytes.places, signed ^ if is_smallest { 0xFF } else { 0 })
            }
        };
        Box::new(arg::Arg { elements, is_smallest, shape, is_long: to == I64, ends: node.ends() })
    }
}
