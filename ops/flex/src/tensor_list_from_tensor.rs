//! TensorListFromTensor: a tensor list of the slices of a tensor along its first axis. Inputs: tensor,
//! element shape.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::{Element, List, merge, shape_argument, slices};
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListFromTensor` op.
pub type TensorListFromTensor = Node<Definition>;

/// Shape function and kernel of `FlexTensorListFromTensor`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListFromTensor";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let x = call.input(0)?;
        let [count, inner @ ..] = x.shape else {
            return Err(invalid!("{x} is a scalar, which has no slices"));
        };
        let shape: Vec<i64> = inner.iter().map(|&d| d.into()).collect();
        let known = shape_argument(&call.input(1)?)?;
        merge(known.clone(), Some(shape))?;
        let mut list = List::reserved(x.ty, known, (*count).into())?;
        let data = slices(&x, &vec![1; *count as usize])?;
        let element = |data| Some(Element { shape: inner.to_vec(), data });
        list.elements = data.iter().map(|data| element(data.as_ref())).collect();
        list.put(call.cx, 0)
    }
}
