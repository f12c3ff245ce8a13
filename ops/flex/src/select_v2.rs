//! SelectV2: elements of the second input where the first is true, else of the third; all three broadcast. Any type.
//! Defined by: tensorflow/core/kernels/cwise_op_select.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::broadcast::broadcast_dims;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;

/// The `FlexSelectV2` op.
pub type SelectV2 = Node<Definition>;

/// Shape function and kernel of `FlexSelectV2`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexSelectV2";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = [x.dims(0)?, x.dims(1)?, x.dims(2)?];
        let shape = broadcast_dims([&dims[0], &dims[1], &dims[2]]).ok_or_else(|| {
            let [c, a, b] = dims.map(|d| d.as_slice().to_vec());
            invalid!("{c:?}, {a:?} and {b:?} do not broadcast")
        })?;
        Ok(Some(shape))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let output = call.output_dims(0)?;
        let dims = [call.dims(0)?, call.dims(1)?, call.dims(2)?];
        let index = |dims: &Dims, at: &[usize]| {
            let mut from = [0; 8];
            let skip = output.rank() - dims.rank();
            (0..dims.rank())
                .for_each(|axis| from[axis] = if dims.size(axis) == 1 { 0 } else { at[axis + skip] });
            ravel(&from, dims)
        };
        let condition = call.slice::<Bool>(0)?;
        pick(call, 0, &[call.input(1)?, call.input(2)?], |k| {
            let at = unravel(k, &output);
            let which = usize::from(condition[index(&dims[0], &at)].0 == 0);
            Some((which, index(&dims[1 + which], &at)))
        })
    }
}
