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

#[cfg(test)]
mod tests {
    use super::DepthToSpace;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let types = &[U8, I16, I32, I64, F16, BF16, F32, F64, C64];
        let block = [("block_size", Int(2))];
        let x = (&[1, 1, 1, 4][..], &[1.0, 2.0, 3.0, 4.0][..]);
        each::<DepthToSpace>(types, &block, &[x], (&[1, 2, 2, 1], &[1.0, 2.0, 3.0, 4.0]));
        // Two blocks side by side, of depth 1.
        let x = (&[1, 1, 2, 4][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0][..]);
        let want = [1.0, 2.0, 5.0, 6.0, 3.0, 4.0, 7.0, 8.0];
        each::<DepthToSpace>(types, &block, &[x], (&[1, 2, 4, 1], &want));
        // One block of depth 2.
        each::<DepthToSpace>(types, &block, &[(&[1, 1, 1, 8], x.1)], (&[1, 2, 2, 2], x.1));
        each::<DepthToSpace>(types, &block, &[(&[0, 1, 1, 4], &[])], (&[0, 2, 2, 1], &[]));
    }

    #[test]
    fn refusals() {
        let refused = |attributes: &[_], x: &[i32], message: &str| {
            let x = of(F32, x, &vec![0.0; x.iter().product::<i32>() as usize]);
            refuses::<DepthToSpace>(attributes, &[x], &[F32], message);
        };
        let block = ("block_size", Int(2));
        refused(&[block], &[1, 2, 2, 3], "[1, 2, 2, 3] cannot be divided into blocks of 2");
        refused(&[block], &[2, 2, 4], "[2, 2, 4] cannot be divided into blocks of 2");
        refused(&[("block_size", Int(1))], &[1, 2, 2, 4], "block_size is 1; at least 2 is needed");
        refused(&[], &[1, 2, 2, 4], "block_size is 0; at least 2 is needed");
        let format = ("data_format", Text("NCHW"));
        let message = "attribute 'data_format' is 'NCHW'; it may be NHWC";
        refused(&[block, format], &[1, 2, 2, 4], message);
    }
}
