//! Squeeze: removes axes of size 1. Any type.
//! Defined by: tensorflow/core/kernels/shape_ops.h.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexSqueeze` op.
pub type Squeeze = Node<Definition>;

/// Attributes, shape function and kernel of `FlexSqueeze`.
pub struct Definition {
    axes: Vec<i64>,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexSqueeze";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition { axes: def.ints("squeeze_dims")? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        let axes = self.axes.iter().map(|&axis| axis_of(axis, dims.rank())).collect::<Result<Vec<_>>>()?;
        if let Some(axis) = axes.iter().find(|&&axis| dims.size(axis) != 1) {
            return Err(invalid!("axis {axis} of {:?} is not of size 1", dims.as_slice()));
        }
        let keep = |(axis, size): (usize, &i32)| {
            let goes = if axes.is_empty() { *size == 1 } else { axes.contains(&axis) };
            (!goes).then_some(i64::from(*size))
        };
        let sizes: Vec<i64> = dims.as_slice().iter().enumerate().filter_map(keep).collect();
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        pick(call, 0, &[call.input(0)?], |k| Some((0, k)))
    }
}
