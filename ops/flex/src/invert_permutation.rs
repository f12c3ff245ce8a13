//! InvertPermutation: the inverse of a permutation. I32, I64.
//! Defined by: tensorflow/core/kernels/transpose_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;

/// The `FlexInvertPermutation` op.
pub type InvertPermutation = Node<Definition>;

/// Shape function and kernel of `FlexInvertPermutation`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexInvertPermutation";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        let (x, _) = node.unary()?;
        ensure!(x.rank() == 1, "{x} is {:?}; a list is needed", x.shape);
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let x = integers(&call.input(0)?)?;
        let mut y = vec![-1; x.len()];
        for (i, &to) in x.iter().enumerate() {
            let place = usize::try_from(to).ok().and_then(|to| y.get_mut(to)).filter(|place| **place < 0);
            *place.ok_or_else(|| invalid!("{to} is not in 0..{}, or occurs twice", x.len()))? = i as i64;
        }
        put_integers(call.output(0)?, y)
    }
}
