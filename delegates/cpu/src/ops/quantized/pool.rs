//! AVERAGE_POOL_2D and MAX_POOL_2D of bytes; padding does not count.
//!
//! Defined by: tflite/kernels/pooling.cc. Means of signed numbers round ties away from zero.

use arenite_abi::prelude::*;
use arenite_abi::schema::activation;
use arenite_base::PoolKind;
use arenite_layers::lower::pool_2d::Geometry;
use arenite_layers::{EpilogueOp, Node, Source, Window};

use super::quantization::{FLIP, quant_of, raised, range};
use crate::ops::build::{Build, ByRows};
use crate::ops::values::{NetValues, NodeValues};
use crate::requantize::Bytes;
use crate::steps::cascade::RowStep;
use crate::steps::pool_u8::{PoolU8, Pooling};

/// A pool.
pub(crate) struct Pool {
    /// Where it reads.
    pub window: Window,
    pooling: Pooling,
    activation: i8,
}

/// Lowers a pool.
pub(super) fn lower(x: &Source<'_, '_>, kind: PoolKind) -> Result<Node<Pool>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    if a.ty != y.ty {
        return Err(unsupported!("input is {}, output is {}", a.ty, y.ty));
    }
    let Geometry { window, activation } = Geometry::read(x)?;
    if activation != activation::NONE {
        range(activation, quant_of(y)?)?;
    }
    let pooling = match (kind, a.ty) {
        (PoolKind::Max, _) => Pooling::Largest,
        (PoolKind::Mean, I8) => Pooling::SignedMean,
        (PoolKind::Mean, _) => Pooling::Mean,
    };
    let layer = Pool { window, pooling, activation };
    Ok(Node::new(layer, vec![input], vec![output]))
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

    fn rows(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn RowStep>> {
        Ok(Box::new(self.build(node, net, build)?))
    }
}

impl Pool {
    /// Whether the step also reads and writes signed bytes.
    pub(super) fn flips(&self) -> bool {
        self.pooling == Pooling::Largest
    }

    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<PoolU8> {
        let bytes = match self.activation {
            activation::NONE => Bytes { zero_point: 0, low: 0, high: 255, flip: 0 },
            activation => range(activation, raised(net, node.outputs[0])?.0)?,
        };
        let flips =
            [node.inputs[0], node.outputs[0]].map(|id| if net.values[id].ty == I8 { FLIP } else { 0 });
        Ok(PoolU8::new(build.bytes.pools, self.pooling, self.window, (bytes, flips), node.ends()))
    }
}
