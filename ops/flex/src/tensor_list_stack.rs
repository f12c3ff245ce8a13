//! TensorListStack: all elements of a tensor list side by side; zeros for absent ones. Inputs: list, element shape.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::strings::Strings;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::list::{List, shape_argument};

/// The op.
pub type TensorListStack = Node<Definition>;

/// What it computes.
pub struct Definition {
    count: i64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListStack";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { count: def.int("num_elements", -1)? })
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let list = List::of(&call.input(0)?)?;
        let y = call.cx.node().output(0)?;
        ensure!(y.ty == list.ty, "the list's elements are {}, output '{}' is {}", list.ty, y.name, y.ty);
        let count = list.elements.len();
        ensure!(
            self.count < 0 || self.count == count as i64,
            "the tensor list has {count} elements; it must have {}",
            self.count
        );
        let each = list.common_shape(shape_argument(&call.input(1)?)?)?;
        let shape = shape_of([count as i64].into_iter().chain(each.as_slice().iter().map(|&d| d.into())).collect::<Vec<_>>())?;
        if list.ty == ElementType::String {
            call.string_count(&shape, 0)?;
            let mut texts: Vec<&[u8]> = Vec::new();
            for element in &list.elements {
                match element {
                    Some(element) => texts.extend(Strings::new(element.data, each.flat_size())?.iter()),
                    None => texts.extend(vec![&[][..]; each.flat_size()]),
                }
            }
            return call.put_strings(0, &shape, &texts);
        }
        let y = call.cx.resize_output(0, shape.as_slice())?.into_bytes();
        let bytes = y.len() / count.max(1);
        for (y, element) in y.chunks_exact_mut(bytes.max(1)).zip(&list.elements) {
            match element {
                Some(element) => y.copy_from_slice(element.data),
                None => y.fill(0),
            }
        }
        Ok(())
    }
}
