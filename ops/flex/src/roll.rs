//! Roll: shifts elements cyclically along axes. Any type. Inputs: tensor, shifts, axes.
//! Defined by: tensorflow/core/kernels/roll_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integers};
use crate::kit::node_def::NodeDef;

/// The `FlexRoll` op.
pub type Roll = Node<Definition>;

/// Shape function and kernel of `FlexRoll`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexRoll";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (x, ranks) = (node.input(0)?, [node.input(1)?.rank(), node.input(2)?.rank()]);
        ensure!(x.rank() > 0, "'{}' is a scalar, which has no axis to roll along", x.name);
        ensure!(
            ranks.iter().all(|&rank| rank <= 1),
            "shifts and axes have ranks {ranks:?}; lists are needed"
        );
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let (shifts, axes) = (integers(&call.input(1)?)?, integers(&call.input(2)?)?);
        ensure!(
            shifts.len() == axes.len(),
            "{} shifts for {} axes; their numbers must agree",
            shifts.len(),
            axes.len()
        );
        let mut back = [0i64; 8];
        for (&shift, &axis) in shifts.iter().zip(&axes) {
            let axis = axis_of(axis, dims.rank())?;
            let size = dims.size(axis).max(1) as i64;
            back[axis] = (back[axis] + shift.rem_euclid(size)) % size;
        }
        pick(call, 0, &[call.input(0)?], |k| {
            let mut at = unravel(k, &dims);
            for axis in 0..dims.rank() {
                let size = dims.size(axis).max(1);
                at[axis] = (at[axis] + size - back[axis] as usize) % size;
            }
            Some((0, ravel(&at, &dims)))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[2, 3], &[1, 2, 3, 4, 5, 6]);
            gives::<super::Roll>(&[], &[data.clone(), int(1), int(1)], &[x(&[2, 3], &[3, 1, 2, 6, 4, 5])]);
            let inputs = [data, ints(&[-4, 3]), longs(&[-1, 0])];
            gives::<super::Roll>(&[], &inputs, &[x(&[2, 3], &[5, 6, 4, 2, 3, 1])]);
        });
        // Shifts along the same axis add up.
        gives::<super::Roll>(&[], &[ints(&[1, 2, 3]), ints(&[1, 1]), ints(&[0, 0])], &[ints(&[2, 3, 1])]);
        gives::<super::Roll>(&[], &[ints(&[]), int(1), int(0)], &[ints(&[])]);
    }

    #[test]
    fn refusals() {
        let x = ints(&[1, 2, 3]);
        refuses::<super::Roll>(
            &[],
            &[x.clone(), int(1), int(1)],
            &[I32],
            "axis 1 does not exist in a tensor of rank 1",
        );
        refuses::<super::Roll>(
            &[],
            &[x.clone(), ints(&[1, 1]), int(0)],
            &[I32],
            "2 shifts for 1 axes; their numbers must agree",
        );
        refuses::<super::Roll>(
            &[],
            &[int(5), int(1), int(0)],
            &[I32],
            "'in0' is a scalar, which has no axis to roll along",
        );
        let inputs = [x, Tensor::i32(&[1, 1], &[1]), int(0)];
        refuses::<super::Roll>(&[], &inputs, &[I32], "shifts and axes have ranks [2, 0]; lists are needed");
    }
}
