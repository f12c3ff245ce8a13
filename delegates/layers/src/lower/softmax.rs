//! SOFTMAX, LOG_SOFTMAX: f32, along the last axis.

use arenite_abi::prelude::*;
use arenite_abi::schema::SoftmaxOptions;

use super::source::{Source, expect_elements};
use crate::layer::softmax::Kind;
use crate::layer::{Common, Softmax};
use crate::net::Node;

/// Lowers SOFTMAX.
pub(super) fn softmax<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let beta = x.node.options()?.get(SoftmaxOptions::BETA)?;
    lower(x, Kind::Softmax { beta })
}

/// Lowers LOG_SOFTMAX.
pub(super) fn log_softmax<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    lower(x, Kind::Logarithm)
}

fn lower<'a>(x: &Source<'_, 'a>, kind: Kind) -> Result<Node<Common<'a>>> {
    x.expect_f32(1)?;
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    ensure!(a.shape == y.shape, "input has shape {:?}, output {:?}", a.shape, y.shape);
    Ok(Node::new(Common::Softmax(Softmax(kind)), vec![input], vec![output]))
}
