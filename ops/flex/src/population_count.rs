//! PopulationCount: the number of ones in the binary form of each integer. All integer types; the output is U8.
//! Defined by: tensorflow/core/kernels/population_count_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::by_type;
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;

/// The `FlexPopulationCount` op.
pub type PopulationCount = Node<Definition>;

/// Shape function and kernel of `FlexPopulationCount`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexPopulationCount";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        let (_, y) = node.unary()?;
        ensure!(y.ty == U8, "output {y} is {}, which this op cannot produce", y.ty);
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (x, y) = (call.input(0)?, call.output_slice::<u8>(0)?);
        by_type!(x.ty, int: T => {
            y.iter_mut().zip(x.as_slice::<T>()?).for_each(|(y, x)| *y = x.count_ones() as u8);
            Ok(())
        })
    }
}
