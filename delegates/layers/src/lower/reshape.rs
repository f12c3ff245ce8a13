//! RESHAPE, SQUEEZE, EXPAND_DIMS: the same bytes with another shape. DEQUANTIZE of values that are seen as floats: the
//! same floats.

use arenite_abi::prelude::*;

use super::source::Source;
use crate::layer::Common;
use crate::net::Node;

/// Lowers an op whose output has the bytes of input 0.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    if a.ty.bits() < 8 || a.ty != y.ty || a.bytes() != y.bytes() || a.bytes() == 0 {
        return Err(unsupported!("{a} is {} {:?}, the output {:?}", a.ty, a.shape, y.shape));
    }
    Ok(Node::new(Common::Rename, vec![input], vec![output]))
}

/// Lowers DEQUANTIZE of a value that is seen as floats.
pub(super) fn dequantize<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    x.expect_f32(1)?;
    lower(x)
}
