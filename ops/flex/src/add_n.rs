//! AddN: the element-wise sum of all inputs. Numbers.
//! Defined by: tensorflow/core/kernels/aggregate_ops.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::node;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexAddN` op.
pub type AddN = Node<Definition>;

/// Shape function and kernel of `FlexAddN`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexAddN";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=usize::MAX, 1..=1)?;
        let y = node.output(0)?;
        let served =
            matches!(y.ty, F16 | BF16 | F32 | F64 | C64 | C128 | I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64);
        ensure!(served, "output {y} is {}, which this op does not support", y.ty);
        for i in 0..node.input_count() {
            let x = node.input(i)?;
            node::same_type(&x, &y)?;
        }
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        for i in 1..x.len() {
            let other = x.dims(i)?;
            ensure!(
                other == dims,
                "inputs are {:?} and {:?}; their shapes must agree",
                dims.as_slice(),
                other.as_slice()
            );
        }
        Ok(Some(dims))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let mut sum = Values::of(&call.input(0)?)?;
        let one = match &sum {
            Values::Real(_) => Values::Real(vec![1.0]),
            Values::Int(_) => Values::Int(vec![1]),
            Values::Complex(_) => Values::Complex(vec![Complex64 { re: 1.0, im: 0.0 }]),
        };
        for i in 1..call.cx.input_count() {
            let x = Values::of(&call.input(i)?)?;
            let count = sum.len();
            sum.add_products(&x, &one, &mut (0..count).map(|k| (k, k, 0)));
        }
        sum.put(call.output(0)?)
    }
}
