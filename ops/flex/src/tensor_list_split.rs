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
            return Err(invalid!("{x} is a scalar, which has no slices"));
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
