//! EnsureShape: copies the input; fails unless it has the shape of the attribute. Any type.
//! Defined by: tensorflow/core/kernels/shape_ops.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;

/// The `FlexEnsureShape` op.
pub type EnsureShape = Node<Definition>;

/// Attributes, shape function and kernel of `FlexEnsureShape`.
pub struct Definition {
    shape: Option<Vec<i64>>,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexEnsureShape";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition { shape: def.shape("shape")? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        let given: Vec<i64> = dims.as_slice().iter().map(|&d| d.into()).collect();
        if let Some(shape) = &self.shape {
            let fits = |(wanted, given): (&i64, &i64)| *wanted < 0 || wanted == given;
            ensure!(
                shape.len() == given.len() && shape.iter().zip(&given).all(fits),
                "the input is {given:?}; it must be {shape:?}"
            );
        }
        Ok(Some(dims))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        pick(call, 0, &[call.input(0)?], |k| Some((0, k)))
    }
}
