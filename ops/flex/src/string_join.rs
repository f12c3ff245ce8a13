//! StringJoin: joins the strings of all inputs with the attribute `separator`; scalars broadcast.
//! Defined by: tensorflow/core/kernels/string_join_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;

/// The `FlexStringJoin` op.
pub type StringJoin = Node<Definition>;

/// Attributes, shape function and kernel of `FlexStringJoin`.
pub struct Definition {
    separator: Vec<u8>,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexStringJoin";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=usize::MAX, 1..=1)?;
        Ok(Definition { separator: def.bytes("separator", b"")?.to_vec() })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let mut shape = Dims::SCALAR;
        for i in 0..x.len() {
            let dims = x.dims(i)?;
            ensure!(
                dims.rank() == 0 || shape.rank() == 0 || dims == shape,
                "inputs are {:?} and {:?}; they must agree, or be scalars",
                shape.as_slice(),
                dims.as_slice()
            );
            if dims.rank() > 0 {
                shape = dims;
            }
        }
        Ok(Some(shape))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let inputs = (0..call.cx.input_count()).map(|i| call.strings(i)).collect::<Result<Vec<_>>>()?;
        let shape = call.output_dims(0)?;
        // A scalar's text occurs in each string of the output.
        let scalars: usize =
            inputs.iter().filter(|s| s.len() == 1).filter_map(|s| s.get(0)).map(<[u8]>::len).sum();
        let each = scalars.saturating_add(self.separator.len().saturating_mul(inputs.len()));
        call.string_count(&shape, shape.flat_size().saturating_mul(each))?;
        let text = |k: usize| {
            let parts = inputs.iter().map(|s| s.get(if s.len() == 1 { 0 } else { k }).unwrap_or_default());
            parts.collect::<Vec<_>>().join(&self.separator[..])
        };
        let texts: Vec<Vec<u8>> = (0..shape.flat_size()).map(text).collect();
        call.put_strings(0, &shape, &texts)
    }
}
