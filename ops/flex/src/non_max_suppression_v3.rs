//! NonMaxSuppressionV3: drops boxes that overlap a better one too much. F16, F32 to I32. Inputs: boxes, scores, maximum
//! count, overlap threshold, score threshold.
//! Defined by: tensorflow/core/kernels/image/non_max_suppression_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_rank, expect_type, integer};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{real, reals};
use crate::kit::suppression::{limit, select};

/// The `FlexNonMaxSuppressionV3` op.
pub type NonMaxSuppressionV3 = Node<Definition>;

/// Shape function and kernel of `FlexNonMaxSuppressionV3`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexNonMaxSuppressionV3";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(5..=5, 1..=1)?;
        expect_type(&node.input(0)?, &[F16, F32])?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (boxes, scores) = (x.dims(0)?, x.dims(1)?);
        ensure!(
            boxes.rank() == 2 && boxes.size(1) == 4 && scores.as_slice() == &boxes.as_slice()[..1],
            "boxes are {:?} and scores {:?}; [n, 4] and [n] are needed",
            boxes.as_slice(),
            scores.as_slice()
        );
        for i in 2..5 {
            expect_rank(&x.get(i)?, 0)?;
        }
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let narrow = |x: Vec<f64>| x.into_iter().map(|x| x as f32).collect::<Vec<f32>>();
        let (boxes, scores) = (narrow(reals(&call.input(0)?)?), narrow(reals(&call.input(1)?)?));
        let most = integer(&call.input(2)?)?;
        ensure!(most >= 0, "at most {most} boxes; the number must not be negative");
        let (limit, lowest) = (limit(&call.input(3)?)?, real(&call.input(4)?)? as f32);
        let stay = select(boxes.as_chunks::<4>().0, &scores, most as usize, limit, lowest);
        let y = call.resized::<i32>(0, &[stay.len() as i32])?;
        y.iter_mut().zip(stay).for_each(|(y, i)| *y = i as i32);
        Ok(())
    }
}
