//! SOFTMAX, LOG_SOFTMAX: f32, along the last axis.

use arenite_abi::prelude::*;
use arenite_abi::schema::SoftmaxOptions;

use super::{Build, Layer, Source, expect_elements};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::softmax_f32::{Kind, SoftmaxF32};

/// Softmax along the last axis, or its logarithm.
pub struct Softmax(Kind);

/// Lowers SOFTMAX.
pub fn softmax<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    let beta = x.node.options()?.get(SoftmaxOptions::BETA)?;
    lower(x, Kind::Softmax { beta })
}

/// Lowers LOG_SOFTMAX.
pub fn log_softmax<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    lower(x, Kind::Logarithm)
}

fn lower<'a>(x: &Source<'_, 'a>, kind: Kind) -> Result<Node<'a>> {
    x.expect_f32(1)?;
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    ensure!(a.shape == y.shape, "input has shape {:?}, output {:?}", a.shape, y.shape);
    Ok(Node::new(Layer::Softmax(Softmax(kind)), vec![input], vec![output]))
}

impl Softmax {
    /// The step.
    pub fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Box<dyn Step> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let value = &net.values[input];
        let depth = value.shape.last().copied().unwrap_or(1);
        Box::new(SoftmaxF32 {
            kernels: build.f32_softmax,
            kind: self.0,
            rows: value.len() / depth,
            depth,
            input,
            output,
        })
    }
}
