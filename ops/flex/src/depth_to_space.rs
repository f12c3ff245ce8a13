//! DepthToSpace: rearranges depth into blocks of space. Any type.
//! Defined by: tensorflow/core/kernels/depthtospace_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexDepthToSpace` op.
pub type DepthToSpace = Node<Definition>;

/// Attributes, shape function and kernel of `FlexDepthToSpace`.
pub struct Definition {
    block: i64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexDepthToSpace";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        let block = def.int("block_size", 0)?;
        ensure!((2..=1 << 15).contains(&block), "block_size is {block}; at least 2 is needed");
        def.choice("data_format", &["NHWC"])?;
        Ok(Definition { block })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        let b = self.block as usize;
        ensure!(
            dims.rank() == 4 && dims.size(3).is_multiple_of(b * b),
            "{:?} cannot be divided into blocks of {b}",
            dims.as_slice()
        );
        let [n, h, w, c] = [0, 1, 2, 3].map(|i| dims.size(i) as i64);
        let b = b as i64;
        shape_of([n, h * b, w * b, c / (b * b)]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, output) = (call.dims(0)?, call.output_dims(0)?);
        let b = self.block as usize;
        let depth = output.size(3);
        pick(call, 0, &[call.input(0)?], |k| {
            let [n, h, w, c, ..] = unravel(k, &output);
            let within = (h % b) * b + w % b;
            Some((0, ravel(&[n, h / b, w / b, within * depth + c], &dims)))
        })
    }
}
