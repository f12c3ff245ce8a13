//! Unpack: splits the input into its slices along an axis. Any type.
//! Defined by: tensorflow/core/kernels/unpack_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexUnpack` op.
pub type Unpack = Node<Definition>;

/// Attributes, shape function and kernel of `FlexUnpack`.
pub struct Definition {
    axis: i64,
    count: usize,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexUnpack";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 0..=usize::MAX)?;
        Ok(Definition { axis: def.int("axis", 0)?, count: node.output_count() })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        let axis = axis_of(self.axis, dims.rank())?;
        ensure!(
            self.count == dims.size(axis),
            "axis {axis} of {:?} does not match {} outputs",
            dims.as_slice(),
            self.count
        );
        let mut sizes: Vec<i64> = dims.as_slice().iter().map(|&d| d.into()).collect();
        sizes.remove(axis);
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let (_, size, inner) = dims.split_at(axis_of(self.axis, dims.rank())?);
        for i in (0..call.cx.output_count()).filter(|&i| call.wants(i)) {
            let x = call.input(0)?;
            pick(call, i, &[x], |k| Some((0, (k / inner * size + i) * inner + k % inner)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[2, 2], &[1, 2, 3, 4]);
            gives::<super::Unpack>(
                &[("num", Int(2))],
                from_ref(&data),
                &[x(&[2], &[1, 2]), x(&[2], &[3, 4])],
            );
            let columns = [x(&[2], &[1, 3]), x(&[2], &[2, 4])];
            gives::<super::Unpack>(&[("num", Int(2)), ("axis", Int(-1))], &[data], &columns);
            gives::<super::Unpack>(&[("num", Int(1))], &[x(&[1], &[7])], &[x(&[], &[7])]);
        });
        gives::<super::Unpack>(&[("num", Int(1))], &[Tensor::i32(&[1, 0], &[])], &[ints(&[])]);
    }

    #[test]
    fn refusals() {
        let x = Tensor::i32(&[2, 2], &[1, 2, 3, 4]);
        refuses::<super::Unpack>(
            &[("num", Int(1))],
            from_ref(&x),
            &[I32],
            "axis 0 of [2, 2] does not match 1 outputs",
        );
        refuses::<super::Unpack>(
            &[("num", Int(3))],
            &[x],
            &[I32; 3],
            "axis 0 of [2, 2] does not match 3 outputs",
        );
        refuses::<super::Unpack>(
            &[("num", Int(1))],
            &[int(1)],
            &[I32],
            "axis 0 does not exist in a tensor of rank 0",
        );
    }
}
