//! SUM, MEAN, REDUCE_MAX, REDUCE_MIN: f32, along axes that are constant.

use arenite_abi::prelude::*;
use arenite_base::Reduction;

use super::source::{Source, expect_elements};
use crate::layer::{Common, Reduce};
use crate::net::Node;

/// Lowers a mean.
pub(super) fn mean<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let mut node = lower(x, Reduction::Sum)?;
    if let Common::Reduce(reduce) = &mut node.layer {
        reduce.divisor = (x.input(0)?.1.len() / x.output(0)?.1.len()) as f32;
    }
    Ok(node)
}

/// Lowers a sum or an extreme.
pub(super) fn lower<'a>(x: &Source<'_, 'a>, fold: Reduction) -> Result<Node<Common<'a>>> {
    x.expect_f32(1)?;
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    expect_elements(y)?;
    let folded = x.folded_axes(1)?;
    let kept: usize =
        a.shape.iter().zip(&folded).filter(|&(_, &folded)| !folded).map(|(&size, _)| size).product();
    ensure!(
        kept == y.len(),
        "input {:?} without the axes leaves {kept}, the output is {:?}",
        a.shape,
        y.shape
    );
    let layer = match kept == a.len() {
        true => Common::Rename,
        false => Common::Reduce(Reduce { fold, folded, divisor: 1.0 }),
    };
    Ok(Node::new(layer, vec![input], vec![output]))
}
