//! SCATTER_ND of `f32`, `i32` and `i64` into a tensor of constant shape.
//!
//! Defined by: tflite/kernels/scatter_nd.cc.

use arenite_abi::prelude::*;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use crate::kernels::scatter::Scatter;
use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::scatter_nd;

/// Slices that are added to slices of a tensor of zeros. Inputs are indices and updates.
pub(crate) struct ScatterNd {
    /// The sizes of the axes that the numbers of an index address.
    sizes: Vec<usize>,
    /// The elements of a slice.
    slice: usize,
}

/// Lowers the node if it is a SCATTER_ND of these types.
pub(super) fn lower(x: &Source<'_, '_>) -> Option<Result<Node<ScatterNd>>> {
    let is_scatter = x.node.builtin_code() == op::SCATTER_ND;
    (is_scatter && matches!(x.input(1).ok()?.1.ty, F32 | I32 | I64)).then(|| scatter(x))
}

fn scatter(x: &Source<'_, '_>) -> Result<Node<ScatterNd>> {
    let ((at, indices), (from, updates), (output, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    for value in [indices, updates, y] {
        expect_elements(value)?;
    }
    ensure!(indices.ty == I32, "indices {indices} are {}, not INT32", indices.ty);
    ensure!(updates.ty == y.ty, "updates {updates} are {}, output {y} is {}", updates.ty, y.ty);
    let shape = x.integers(2)?;
    ensure!(
        shape.len() == y.shape.len()
            && shape.iter().zip(&y.shape).all(|(&a, &b)| usize::try_from(a) == Ok(b)),
        "output {y} is {:?}, not {shape:?}",
        y.shape
    );
    let (&depth, outer) = indices.shape.split_last().ok_or_else(|| invalid!("{indices} is a scalar"))?;
    let fits = depth <= y.shape.len() && [outer, &y.shape[depth..]].concat() == updates.shape;
    ensure!(
        fits,
        "indices {indices} are {:?}, updates {updates} are {:?}: they do not match an output of {:?}",
        indices.shape,
        updates.shape,
        y.shape
    );
    let (sizes, slice) = y.shape.split_at(depth);
    let layer = ScatterNd { sizes: sizes.to_vec(), slice: slice.iter().product() };
    Ok(Node::new(layer, vec![at, from], vec![output]))
}

impl LayerStep for ScatterNd {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let &[indices, updates] = node.inputs else {
            return Err(invalid!("SCATTER_ND has {} inputs, not 2", node.inputs.len()));
        };
        Ok(Box::new(scatter_nd::ScatterNd {
            scatter: Scatter::select(build.isa),
            sizes: self.sizes.clone(),
            slice: self.slice,
            element: net.values[updates].ty,
            inputs: [indices, updates],
            indices: net.values[indices].name.to_owned(),
            output: node.outputs[0],
        }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
