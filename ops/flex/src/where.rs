//! Where: the indices of all non-zero elements, in order. Numbers, BOOL to I64.
//! Defined by: tensorflow/core/kernels/where_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::unravel;
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexWhere` op.
pub type Where = Node<Definition>;

/// Shape function and kernel of `FlexWhere`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexWhere";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        let (x, _) = node.unary()?;
        ensure!(x.rank() > 0, "'{}' is a scalar, which has no indices", x.name);
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let found: Vec<usize> = match Values::of(&call.input(0)?)? {
            Values::Real(x) => (0..x.len()).filter(|&i| x[i] != 0.0).collect(),
            Values::Int(x) => (0..x.len()).filter(|&i| x[i] != 0).collect(),
            Values::Complex(x) => (0..x.len()).filter(|&i| x[i].re != 0.0 || x[i].im != 0.0).collect(),
        };
        let y = call.resized::<i64>(0, &[found.len() as i32, dims.rank() as i32])?;
        for (y, i) in y.chunks_exact_mut(dims.rank().max(1)).zip(found) {
            y.iter_mut().zip(unravel(i, &dims)).for_each(|(y, at)| *y = at as i64);
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
            // Zeros of every type are skipped.
            if x(&[], &[0]).ty() != ElementType::String {
                let want = Tensor::i64(&[2, 2], &[0, 1, 1, 0]);
                gives::<super::Where>(&[], &[x(&[2, 2], &[0, 1, 3, 0])], &[want]);
            }
        });
        gives::<super::Where>(&[], &[floats(&[0.0, -0.0, f32::NAN, -1.0])], &[Tensor::i64(&[2, 1], &[2, 3])]);
        gives::<super::Where>(&[], &[Tensor::bool(&[0, 2], &[])], &[Tensor::i64(&[0, 2], &[])]);
        gives::<super::Where>(&[], &[bools(&[false])], &[Tensor::i64(&[0, 1], &[])]);
    }

    #[test]
    fn refusals() {
        refuses::<super::Where>(&[], &[truth(true)], &[I64], "'in0' is a scalar, which has no indices");
        refuses::<super::Where>(&[], &[texts(&["a"])], &[I64], "STRING is not an element type of this op");
        refuses::<super::Where>(&[], &[], &[I64], "it has 0 inputs, this op takes 1 to 1");
    }
}
