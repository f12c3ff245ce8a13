//! AVERAGE_POOL_2D and MAX_POOL_2D of bytes; padding is left out.
//!
//! Defined by: tflite/kernels/pooling.cc. Means of signed numbers round ties away from zero.

use arenite_abi::prelude::*;
use arenite_abi::schema::activation;
use arenite_layers::ops::pool_2d::{Geometry, Kind};
use arenite_layers::{EpilogueOp, Node, Source, Window};

use super::{Lowered, Quantized, range, unsigned};
use crate::net::{self, Net};
use crate::ops::{Build, ByRows};
use crate::requantize::Bytes;
use crate::steps::cascade::Rows;
use crate::steps::pool_u8::{PoolU8, Pooling};

/// A pool.
pub struct Pool {
    /// Where it reads.
    pub window: Window,
    pooling: Pooling,
    activation: i8,
}

/// Lowers a pool.
pub fn lower<'a>(x: &Source<'_, 'a>, kind: Kind) -> Result<Lowered<'a>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    if a.ty != y.ty {
        return Err(unsupported!("input is {}, output is {}", a.ty, y.ty));
    }
    let Geometry { window, activation } = Geometry::read(x)?;
    if activation != activation::NONE {
        range(activation, super::quant_of(y)?)?;
    }
    let pooling = match (kind, a.ty) {
        (Kind::Max, _) => Pooling::Largest,
        (Kind::Mean, I8) => Pooling::SignedMean,
        (Kind::Mean, _) => Pooling::Mean,
    };
    let layer = Pool { window, pooling, activation };
    Ok(Node::new(Quantized::Pool(layer), vec![input], vec![output]))
}

impl ByRows for Pool {
    fn window(&self) -> (&Window, usize) {
        (&self.window, self.window.channels)
    }

    fn epilogue(&self) -> &[EpilogueOp] {
        &[]
    }

    fn weights(&self) -> usize {
        0
    }

    fn is_faster_whole(&self, _: &Build) -> bool {
        false
    }

    fn rows(&self, node: &net::Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Rows>> {
        Ok(Box::new(self.build(node, net, build)?))
    }
}

impl Pool {
    /// The step.
    pub fn build(&self, node: &net::Node<'_>, net: &Net<'_>, build: &Build) -> Result<PoolU8> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let bytes = match self.activation {
            activation::NONE => Bytes { zero_point: 0, low: 0, high: 255 },
            activation => range(activation, unsigned(net, output)?)?,
        };
        Ok(PoolU8::new(build.bytes.pools, self.pooling, self.window, bytes, (input, output)))
    }
}
