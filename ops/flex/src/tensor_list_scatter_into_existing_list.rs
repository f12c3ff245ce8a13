//! TensorListScatterIntoExistingList: replaces the elements of a tensor list at the given indices by the slices of a
//! tensor; the list grows as needed. Inputs: list, tensor, indices.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::{Element, List, slices};
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListScatterIntoExistingList` op.
pub type TensorListScatterIntoExistingList = Node<Definition>;

/// Shape function and kernel of `FlexTensorListScatterIntoExistingList`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListScatterIntoExistingList";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let mut list = List::of(&call.input(0)?)?;
        let (x, indices) = (call.input(1)?, call.inputs().list(2)?.unwrap_or_default());
        let [count, inner @ ..] = x.shape else {
            return Err(invalid!("{x} is a scalar, which has no slices"));
        };
        ensure!(
            *count as usize == indices.len(),
            "{} indices for {count} slices; their numbers must agree",
            indices.len()
        );
        ensure!(x.ty == list.ty, "{x} is {}, the list's elements are {}; they must agree", x.ty, list.ty);
        if let Some(negative) = indices.iter().find(|&&i| i < 0) {
            return Err(invalid!("index {negative} is negative"));
        }
        let needed = indices.iter().fold(0, |needed, &i| needed.max(i.saturating_add(1)));
        if needed > list.elements.len() as i64 {
            list.elements.resize(List::reserved(list.ty, None, needed)?.elements.len(), None);
        }
        let data = slices(&x, &vec![1; indices.len()])?;
        for (&i, data) in indices.iter().zip(&data) {
            list.elements[i as usize] = Some(Element { shape: inner.to_vec(), data });
        }
        list.put(call.cx, 0)
    }
}
