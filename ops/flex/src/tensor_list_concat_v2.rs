//! TensorListConcatV2: concatenates the elements of a tensor list along their first axis, and returns the length of
//! each; absent elements are zeros. Inputs: list, element shape, lengths of absent elements whose length is not known
//! otherwise.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers, shape_of};
use crate::kit::list::{Element, List, merge, put_elements, shape_argument};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;

/// The `FlexTensorListConcatV2` op.
pub type TensorListConcatV2 = Node<Definition>;

/// Shape function and kernel of `FlexTensorListConcatV2`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListConcatV2";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 2..=2)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let list = List::of(&call.input(0)?)?;
        list.check_output(call, 0)?;
        let argument = shape_argument(&call.input(1)?)?;
        let first = argument.as_ref().and_then(|sizes| sizes.first().copied()).filter(|&size| size >= 0);
        // The known part of the element shape after the first axis.
        let mut inner = None;
        let elements = list.elements.iter().flatten().map(|x| x.shape.iter().map(|&d| d.into()).collect());
        for shape in list.shape.clone().into_iter().chain(argument).chain(elements) {
            let rest: Option<&[i64]> = shape.get(1..);
            let rest = rest.ok_or_else(|| invalid!("a tensor list of scalars cannot be concatenated"))?;
            inner = merge(inner, Some(rest.to_vec()))?;
        }
        let inner = inner.ok_or_else(|| invalid!("the shape of a tensor list's elements is not known"))?;
        ensure!(
            inner.iter().all(|&size| size >= 0),
            "the shape {inner:?} after the first axis of a tensor list's elements is not fully known"
        );

        let leading = integers(&call.input(2)?)?;
        // The length of the elements that are present, if all have the same.
        let mut present =
            list.elements.iter().flatten().filter_map(|x| x.shape.first().map(|&d| i64::from(d)));
        let common = present.next().filter(|&length| present.all(|other| other == length));
        let length = |(i, element): (usize, &Option<Element<'_>>)| match (element, first) {
            (Some(element), first) => {
                let length = element.shape.first().copied().map_or(0, i64::from);
                let fits = first.is_none_or(|first| first == length);
                ensure!(
                    fits,
                    "element {i} of a tensor list has length {length}; it must be {}",
                    first.unwrap_or(0)
                );
                Ok(length)
            }
            (None, Some(first)) => Ok(first),
            (None, None) => {
                let given = leading.get(i).copied().or(common).filter(|&length| length >= 0);
                given
                    .ok_or_else(|| invalid!("the length of absent element {i} of a tensor list is not known"))
            }
        };
        let lengths = list.elements.iter().enumerate().map(length).collect::<Result<Vec<i64>>>()?;
        let total = lengths.iter().fold(0i64, |sum, &length| sum.saturating_add(length));
        let shape = shape_of(core::iter::once(total).chain(inner.iter().copied()))?;
        let each = shape.product(1, shape.rank());
        let counts: Vec<usize> = lengths.iter().map(|&length| length as usize * each).collect();
        put_elements(call, 0, &shape, &list.elements.iter().collect::<Vec<_>>(), &counts)?;
        match call.wants(1) {
            true => put_integers(call.cx.resize_output(1, &[lengths.len() as i32])?, lengths),
            false => Ok(()),
        }
    }
}
