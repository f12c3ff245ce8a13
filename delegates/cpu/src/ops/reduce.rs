//! SUM, MEAN, REDUCE_MAX, REDUCE_MIN: f32, along axes that are constant.

use arenite_abi::prelude::*;

use super::moves::axis_of;
use super::{Build, Layer, Source, expect_elements};
use crate::kernels::f32_fold::Fold;
use crate::net::Node;
use crate::program::Step;
use crate::steps::fold_f32::{FoldF32, Pass, passes};

/// Many elements that become one.
pub struct Reduce {
    /// What they become.
    pub fold: Fold,
    /// How.
    pub passes: Vec<Pass>,
    /// What sums are divided by.
    pub divisor: f32,
}

/// Lowers a sum, a mean or an extreme.
pub fn lower<'a>(x: &Source<'_, 'a>, code: i32) -> Result<Node<'a>> {
    x.expect_f32(1)?;
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    expect_elements(y)?;
    let mut folded = vec![false; a.shape.len()];
    for axis in x.integers(1)? {
        folded[axis_of(axis, a.shape.len())?] = true;
    }
    let kept: usize =
        a.shape.iter().zip(&folded).filter(|&(_, &folded)| !folded).map(|(&size, _)| size).product();
    ensure!(
        kept == y.len(),
        "input {:?} without the axes leaves {kept}, the output is {:?}",
        a.shape,
        y.shape
    );
    let passes = passes(&a.shape, &folded);
    let layer = match passes.is_empty() {
        true => Layer::Rename,
        false => Layer::Reduce(Reduce {
            fold: match code {
                op::REDUCE_MAX => Fold::Max,
                op::REDUCE_MIN => Fold::Min,
                _ => Fold::Sum,
            },
            passes,
            divisor: if code == op::MEAN { (a.len() / kept) as f32 } else { 1.0 },
        }),
    };
    Ok(Node::new(layer, vec![input], vec![output]))
}

impl Reduce {
    /// The step.
    pub fn build(&self, node: &Node<'_>, build: &Build) -> Box<dyn Step> {
        let (kernels, places) = (build.f32_fold, (node.inputs[0], node.outputs[0]));
        Box::new(FoldF32::new(kernels, self.fold, self.passes.clone(), self.divisor, places))
    }
}
