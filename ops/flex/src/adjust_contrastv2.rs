//! AdjustContrastv2: `mean + factor · (x − mean)` for each channel of each image. F16, F32. Inputs: images, factor.
//! Defined by: tensorflow/core/kernels/image/adjust_contrast_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_rank, expect_type};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_reals, real, reals};

/// The `FlexAdjustContrastv2` op.
pub type AdjustContrastv2 = Node<Definition>;

/// Shape function and kernel of `FlexAdjustContrastv2`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexAdjustContrastv2";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        expect_type(&node.input(0)?, &[F16, F32])?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        ensure!(dims.rank() >= 3, "images are {:?}; three axes are needed", dims.as_slice());
        expect_rank(&x.get(1)?, 0)?;
        Ok(Some(dims))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let rank = dims.rank();
        let (channels, pixels) = (dims.size(rank - 1), dims.size(rank - 2) * dims.size(rank - 3));
        let factor = real(&call.input(1)?)?;
        let mut x = reals(&call.input(0)?)?;
        for image in x.chunks_exact_mut((channels * pixels).max(1)) {
            for channel in 0..channels {
                let mean = image[channel..].iter().step_by(channels).sum::<f64>() / pixels as f64;
                image[channel..].iter_mut().step_by(channels).for_each(|x| *x = (*x - mean) * factor + mean);
            }
        }
        put_reals(call.output(0)?, x)
    }
}
