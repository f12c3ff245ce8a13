//! SUM, MEAN, REDUCE_MAX, REDUCE_MIN: f32, along axes that are constant.

use arenite_abi::prelude::*;

use super::{Source, expect_elements};
use crate::{Common, Node};

/// What is made of many values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Fold {
    /// Their sum.
    Sum,
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

impl Fold {
    /// All of them, by number.
    pub const ALL: [Fold; 3] = [Fold::Sum, Fold::Max, Fold::Min];
}

/// Many elements that become one.
pub struct Reduce {
    /// What they become.
    pub fold: Fold,
    /// Of each axis of the input, whether it is folded; one at least of more than one element.
    pub folded: Vec<bool>,
    /// What sums are divided by.
    pub divisor: f32,
}

/// Lowers a mean.
pub(super) fn mean<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let mut node = lower(x, Fold::Sum)?;
    if let Common::Reduce(reduce) = &mut node.layer {
        reduce.divisor = (x.input(0)?.1.len() / x.output(0)?.1.len()) as f32;
    }
    Ok(node)
}

/// Lowers a sum or an extreme.
pub(super) fn lower<'a>(x: &Source<'_, 'a>, fold: Fold) -> Result<Node<Common<'a>>> {
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
