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
        ensure!(x.rank() > 0, "{x} is a scalar, which has no indices");
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
