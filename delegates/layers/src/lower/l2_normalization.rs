//! L2_NORMALIZATION: f32, along the last axis.

use arenite_abi::prelude::*;
use arenite_abi::schema::L2NormOptions;

use super::source::{Source, expect_elements};
use crate::layer::{Common, L2Norm};
use crate::net::Node;

/// Lowers L2_NORMALIZATION.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let activation = x.node.options()?.get(L2NormOptions::FUSED_ACTIVATION_FUNCTION)?;
    if activation != 0 {
        return Err(unsupported!(
            "its fused activation is {activation}; only models without one are supported"
        ));
    }
    x.expect_f32(1)?;
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    ensure!(a.shape == y.shape, "input has shape {:?}, output {:?}", a.shape, y.shape);
    Ok(Node::new(Common::L2Norm(L2Norm), vec![input], vec![output]))
}
