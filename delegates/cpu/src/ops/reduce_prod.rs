//! REDUCE_PROD of `f32` along adjacent axes. Integers are left to the reference op.
//!
//! Defined by: tflite/kernels/reduce.cc.

use arenite_abi::prelude::*;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use crate::kernels::f32_product::Products;
use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::fold_int::Shape;
use crate::steps::product_f32::ProductF32;

/// Products along an axis.
pub(crate) struct ReduceProd(Shape);

/// Lowers the node if it is a REDUCE_PROD of floats.
pub(super) fn lower(x: &Source<'_, '_>) -> Option<Result<Node<ReduceProd>>> {
    let is_product = x.node.builtin_code() == op::REDUCE_PROD && x.input(0).ok()?.1.ty == F32;
    is_product.then(|| product(x))
}

fn product(x: &Source<'_, '_>) -> Result<Node<ReduceProd>> {
    x.expect_f32(1)?;
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    expect_elements(y)?;
    let shape = Shape::of(&a.shape, &x.folded_axes(1)?).ok_or_else(|| {
        unsupported!("reducing {:?} along axes that are not adjacent is not supported", a.shape)
    })?;
    ensure!(shape.outer * shape.inner == y.len(), "input {:?} does not become {:?}", a.shape, y.shape);
    Ok(Node::new(ReduceProd(shape), vec![input], vec![output]))
}

impl LayerStep for ReduceProd {
    fn build(&self, node: &NodeValues<'_>, _: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let products = Products::select(build.isa);
        Ok(Box::new(ProductF32 { products, shape: self.0, ends: node.ends() }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
