//! BroadcastGradientArgs: the axes along which the gradient of a broadcast operation is summed, for each of
//! two shapes. I32, I64.
//! Defined by: tensorflow/core/kernels/bcast_ops.cc, tensorflow/core/util/bcast.h.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;

/// The `FlexBroadcastGradientArgs` op.
pub type BroadcastGradientArgs = Node<Definition>;

/// Shape function and kernel of `FlexBroadcastGradientArgs`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexBroadcastGradientArgs";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 2..=2)?;
        for i in [0, 1] {
            let x = node.input(i)?;
            ensure!(x.rank() == 1, "{x} is {:?}; a list is needed", x.shape);
        }
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let shapes = [integers(&call.input(0)?)?, integers(&call.input(1)?)?];
        for (i, axes) in summed(&shapes)?.into_iter().enumerate() {
            if call.wants(i) {
                put_integers(call.cx.resize_output(i, &[axes.len() as i32])?, axes)?;
            }
        }
        Ok(())
    }
}

/// The axes of size 1; none if the shapes are equal.
fn summed([a, b]: &[Vec<i64>; 2]) -> Result<[Vec<i64>; 2]> {
    let mut summed = [Vec::new(), Vec::new()];
    if a == b {
        return Ok(summed);
    }
    let rank = a.len().max(b.len());
    for axis in 0..rank {
        let size = |shape: &[i64]| (axis + shape.len()).checked_sub(rank).map_or(1, |i| shape[i]);
        let sizes = [size(a), size(b)];
        ensure!(
            sizes[0] == sizes[1] || sizes.contains(&1),
            "shapes {a:?} and {b:?} do not broadcast; sizes must be equal or 1"
        );
        for (summed, size) in summed.iter_mut().zip(sizes) {
            if size == 1 {
                summed.push(axis as i64);
            }
        }
    }
    Ok(summed)
}
