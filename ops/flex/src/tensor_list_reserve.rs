//! TensorListReserve: a tensor list of absent elements. Inputs: element shape, how many.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integer};
use crate::kit::node_def::NodeDef;
use crate::kit::list::{List, shape_argument};

/// The op.
pub type TensorListReserve = Node<Definition>;

/// What it computes.
pub struct Definition {
    ty: ElementType,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListReserve";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { ty: element_type(def)? })
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let shape = shape_argument(&call.input(0)?)?;
        List::reserved(self.ty, shape, integer(&call.input(1)?)?)?.put(call.cx, 0)
    }
}

fn element_type(def: &NodeDef<'_>) -> Result<ElementType> {
    def.ty("element_dtype")?.ok_or_else(|| invalid!("attribute 'element_dtype' is left out"))
}
