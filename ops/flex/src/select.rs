//! Select: elements of the second input where the first is true, else of the third; the condition may have one element
//! per row. Any type.
//! Defined by: tensorflow/core/kernels/cwise_op_select.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;

/// The `FlexSelect` op.
pub type Select = Node<Definition>;

/// Shape function and kernel of `FlexSelect`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexSelect";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (condition, a, b) = (x.dims(0)?, x.dims(1)?, x.dims(2)?);
        let fits = condition.rank() == 0
            || condition == a
            || condition.as_slice() == &a.as_slice()[..a.rank().min(1)];
        ensure!(
            a == b && fits,
            "a condition {:?} cannot choose between {:?} and {:?}",
            condition.as_slice(),
            a.as_slice(),
            b.as_slice()
        );
        Ok(Some(a))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let condition = call.slice::<Bool>(0)?;
        let each = call.dims(1)?.flat_size() / condition.len().max(1);
        pick(call, 0, &[call.input(1)?, call.input(2)?], |k| {
            Some((usize::from(condition.get(k / each.max(1))?.0 == 0), k))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let (a, b) = (x(&[2, 2], &[1, 2, 3, 4]), x(&[2, 2], &[5, 6, 7, 8]));
            let each = Tensor::bool(&[2, 2], &[true, false, false, true]);
            gives::<super::Select>(&[], &[each, a.clone(), b.clone()], &[x(&[2, 2], &[1, 6, 7, 4])]);
            let inputs = [bools(&[false, true]), a.clone(), b.clone()];
            gives::<super::Select>(&[], &inputs, &[x(&[2, 2], &[5, 6, 3, 4])]);
            gives::<super::Select>(&[], &[truth(true), a.clone(), b], &[a]);
        });
        gives::<super::Select>(&[], &[truth(false), int(1), int(2)], &[int(2)]);
        gives::<super::Select>(&[], &[bools(&[]), floats(&[]), floats(&[])], &[floats(&[])]);
    }

    #[test]
    fn refusals() {
        let message = "a condition [1] cannot choose between [2] and [2]";
        refuses::<super::Select>(&[], &[bools(&[true]), ints(&[1, 2]), ints(&[5, 6])], &[I32], message);
        let message = "a condition [2] cannot choose between [] and [2]";
        refuses::<super::Select>(&[], &[bools(&[true, false]), int(1), ints(&[5, 6])], &[I32], message);
        refuses::<super::Select>(
            &[],
            &[truth(true), int(1)],
            &[I32],
            "it has 2 inputs, this op takes 3 to 3",
        );
    }
}
