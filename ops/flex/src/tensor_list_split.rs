//! TensorListSplit: splits a tensor along its first axis into a tensor list of slices with given lengths. Inputs:
//! tensor, element shape, lengths.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::{Element, List, merge, shape_argument, slices};
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListSplit` op.
pub type TensorListSplit = Node<Definition>;

/// Shape function and kernel of `FlexTensorListSplit`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListSplit";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (x, lengths) = (call.input(0)?, call.inputs().list(2)?.unwrap_or_default());
        let [rows, inner @ ..] = x.shape else {
            return Err(invalid!("'{}' is a scalar, which has no slices", x.name));
        };
        let known = shape_argument(&call.input(1)?)?;
        let any = core::iter::once(-1).chain(inner.iter().map(|&d| d.into()));
        merge(known.clone(), Some(any.collect()))?;
        let total = lengths.iter().try_fold(0i64, |sum, &length| sum.checked_add(length));
        ensure!(
            lengths.iter().all(|&length| length >= 0) && total == Some((*rows).into()),
            "lengths {lengths:?} do not add up to {rows} slices"
        );
        let mut list = List::reserved(x.ty, known, lengths.len() as i64)?;
        let counts: Vec<usize> = lengths.iter().map(|&length| length as usize).collect();
        let data = slices(&x, &counts)?;
        for ((to, data), &length) in list.elements.iter_mut().zip(&data).zip(&lengths) {
            *to = Some(Element { shape: [&[length as i32][..], inner].concat(), data });
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
            let data = x(&[3, 2], &[1, 2, 3, 4, 5, 0]);
            let parts = [Some(x(&[1, 2], &[1, 2])), Some(x(&[0, 2], &[])), Some(x(&[2, 2], &[3, 4, 5, 0]))];
            let want = list(data.ty(), Some(&[-1, 2]), &parts);
            gives::<super::TensorListSplit>(&[], &[data, ints(&[-1, 2]), longs(&[1, 0, 2])], &[want]);
        });
        let inputs = [floats(&[1.0, 2.0]), int(-1), longs(&[2])];
        gives::<super::TensorListSplit>(&[], &inputs, &[list(F32, None, &[Some(floats(&[1.0, 2.0]))])]);
        let inputs = [floats(&[]), ints(&[-1]), longs(&[])];
        gives::<super::TensorListSplit>(&[], &inputs, &[list(F32, Some(&[-1]), &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |x: Tensor, shape: &[i32], lengths: Tensor, message: &str| {
            refuses::<super::TensorListSplit>(
                &[],
                &[x, ints(shape), lengths],
                &[ElementType::Variant],
                message,
            );
        };
        let x = || floats(&[1.0, 2.0]);
        refused(x(), &[-1], longs(&[1, 2]), "lengths [1, 2] do not add up to 2 slices");
        refused(x(), &[-1], longs(&[1]), "lengths [1] do not add up to 2 slices");
        refused(x(), &[-1], longs(&[-1, 3]), "lengths [-1, 3] do not add up to 2 slices");
        refused(x(), &[-1], long(2), "'in2' is []; a list is needed");
        refused(float(1.0), &[-1], longs(&[1]), "'in0' is a scalar, which has no slices");
        refused(x(), &[], longs(&[2]), "shapes [] and [-1] of a tensor list's elements do not agree");
        let message = "shapes [-1, 3] and [-1, 2] of a tensor list's elements do not agree";
        refused(Tensor::f32(&[1, 2], &[1.0, 2.0]), &[-1, 3], longs(&[1]), message);
    }
}
