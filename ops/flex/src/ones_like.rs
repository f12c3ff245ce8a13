//! OnesLike: ones in the shape of the input. Numbers, BOOL.
//! Defined by: tensorflow/core/kernels/constant_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexOnesLike` op.
pub type OnesLike = Node<Definition>;

/// Shape function and kernel of `FlexOnesLike`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexOnesLike";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let count = call.dims(0)?.flat_size();
        let y = call.output(0)?;
        let ones = match y.ty() {
            F16 | BF16 | F32 | F64 => Values::Real(vec![1.0; count]),
            C64 | C128 => Values::Complex(vec![Complex64 { re: 1.0, im: 0.0 }; count]),
            _ => Values::Int(vec![1; count]),
        };
        ones.put(y)
    }
}
