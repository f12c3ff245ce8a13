//! TensorListReserve: a tensor list of absent elements. Inputs: element shape, count.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::{List, shape_argument, type_argument};
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListReserve` op.
pub type TensorListReserve = Node<Definition>;

/// Attributes, shape function and kernel of `FlexTensorListReserve`.
pub struct Definition {
    ty: ElementType,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListReserve";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { ty: type_argument(def)? })
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let shape = shape_argument(&call.input(0)?)?;
        List::reserved(self.ty, shape, call.inputs().scalar(1)?.unwrap_or_default())?.put(call.cx, 0)
    }
}
