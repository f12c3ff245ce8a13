//! FULLY_CONNECTED: with constant weights a convolution with one tap, else a product of matrices.

use arenite_abi::prelude::*;
use arenite_abi::schema::{FullyConnectedOptions, weights_format};

use super::activation::clamp_of;
use super::source::{Source, expect_elements};
use crate::layer::batch_matmul::Sizes;
use crate::layer::matrices::Batches;
use crate::layer::{BatchMatmul, Common, Conv2d, Window};
use crate::net::Node;

/// The sizes of a FULLY_CONNECTED of any types.
pub struct Geometry {
    /// Rows of the input and the output.
    pub rows: usize,
    /// Columns of the input and the weights.
    pub depth: usize,
    /// Columns of the output, rows of the weights.
    pub units: usize,
    /// One of [`activation`](arenite_abi::schema::activation).
    pub activation: i8,
}

impl Geometry {
    /// Reads the options of a node and checks its shapes.
    ///
    /// # Errors
    /// The options are malformed or not supported, or the shapes do not fit them.
    pub fn read(x: &Source<'_, '_>) -> Result<Geometry> {
        let ((_, a), (_, w), (_, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
        expect_elements(a)?;
        expect_elements(y)?;
        let &[units, depth] = &w.shape[..] else {
            return Err(unsupported!("the weights have shape {:?}", w.shape));
        };
        let options = x.node.options()?;
        if options.get(FullyConnectedOptions::WEIGHTS_FORMAT)? != weights_format::DEFAULT {
            return Err(unsupported!("shuffled weights are not supported"));
        }
        ensure!(depth > 0 && units > 0, "the weights have shape {:?}", w.shape);
        let rows = a.len() / depth;
        ensure!(
            rows * depth == a.len() && rows * units == y.len(),
            "input {:?}, weights {:?} and output {:?} do not fit",
            a.shape,
            w.shape,
            y.shape
        );
        let activation = options.get(FullyConnectedOptions::FUSED_ACTIVATION_FUNCTION)?;
        Ok(Geometry { rows, depth, units, activation })
    }

    /// The window of the equivalent convolution with one tap.
    pub fn window(&self) -> Window {
        Window::point(self.rows, self.depth)
    }
}

/// Lowers FULLY_CONNECTED.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    x.expect_f32(3)?;
    let geometry = Geometry::read(x)?;
    let (input, output) = (x.input(0)?.0, x.output(0)?.0);
    let (bias, clamp) = (x.bias(2, geometry.units)?, clamp_of(geometry.activation)?);
    let Some(weights) = x.optional_weights(1)? else {
        let Geometry { rows, depth, units: columns, .. } = geometry;
        let sizes = Sizes { rows, depth, columns, transposed: true };
        let layer = BatchMatmul { bias, clamp, ..BatchMatmul::new(sizes, false, Batches::one()) };
        return Ok(Node::new(Common::BatchMatmul(layer), vec![input, x.input(1)?.0], vec![output]));
    };
    let layer = Conv2d {
        window: geometry.window(),
        groups: 1,
        filters: geometry.units,
        weights,
        bias,
        clamp,
        epilogue: Vec::new(),
    };
    Ok(Node::new(Common::Conv2d(layer), vec![input], vec![output]))
}
