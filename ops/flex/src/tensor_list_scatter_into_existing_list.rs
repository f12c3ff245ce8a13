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
            return Err(invalid!("'{}' is a scalar, which has no slices", x.name));
        };
        ensure!(
            *count as usize == indices.len(),
            "{} indices for {count} slices; their numbers must agree",
            indices.len()
        );
        ensure!(
            x.ty == list.ty,
            "'{}' is {}, the list's elements are {}; they must agree",
            x.name,
            x.ty,
            list.ty
        );
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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let new = |elements: &[Option<Tensor>]| list(x(&[], &[0]).ty(), Some(&[2]), elements);
            let (a, b) = (x(&[2], &[1, 2]), x(&[2], &[3, 4]));
            let inputs = [new(&[None, Some(a.clone())]), x(&[2, 2], &[1, 2, 3, 4]), ints(&[0, 3])];
            let want = new(&[Some(a.clone()), Some(a), None, Some(b)]);
            gives::<super::TensorListScatterIntoExistingList>(&[], &inputs, &[want]);
        });
        // Of two slices for the same index the last one wins.
        let inputs = [list(F32, None, &[None]), floats(&[1.0, 2.0]), ints(&[0, 0])];
        let want = list(F32, None, &[Some(float(2.0))]);
        gives::<super::TensorListScatterIntoExistingList>(&[], &inputs, &[want]);
        let x = list(F32, None, &[None]);
        gives::<super::TensorListScatterIntoExistingList>(&[], &[x.clone(), floats(&[]), ints(&[])], &[x]);
    }

    #[test]
    fn refusals() {
        let refused = |x: Tensor, indices: Tensor, message: &str| {
            let inputs = [list(F32, None, &[None]), x, indices];
            refuses::<super::TensorListScatterIntoExistingList>(
                &[],
                &inputs,
                &[ElementType::Variant],
                message,
            );
        };
        refused(floats(&[1.0]), ints(&[-1]), "index -1 is negative");
        refused(floats(&[1.0]), ints(&[0, 0]), "2 indices for 1 slices; their numbers must agree");
        refused(ints(&[1]), ints(&[0]), "'in1' is INT32, the list's elements are FLOAT32; they must agree");
        refused(float(1.0), ints(&[0]), "'in1' is a scalar, which has no slices");
        refused(floats(&[1.0]), int(0), "'in2' is []; a list is needed");
        let message = "a tensor list of 2147483648 elements; 0..=1048576 are supported";
        refused(floats(&[1.0]), ints(&[i32::MAX]), message);
    }
}
