//! SparseToDense: a tensor that holds the given values at the given indices, and a default value elsewhere. Any type.
//! Inputs: indices, shape, values, default value. The attribute `validate_indices` requires the indices to ascend.
//! Defined by: tensorflow/core/kernels/sparse_to_dense_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers};
use crate::kit::node_def::NodeDef;
use crate::kit::scatter::{BadIndexPolicy, starts};

/// The `FlexSparseToDense` op.
pub type SparseToDense = Node<Definition>;

/// Attributes, shape function and kernel of `FlexSparseToDense`.
pub struct Definition {
    ascending: bool,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexSparseToDense";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(4..=4, 1..=1)?;
        let (places, shape, values, default) =
            (node.input(0)?, node.input(1)?, node.input(2)?, node.input(3)?);
        ensure!(places.rank() <= 2, "indices are {:?}; at most two axes are allowed", places.shape);
        ensure!(shape.rank() == 1, "{shape} is {:?}; a list of sizes is needed", shape.shape);
        ensure!(default.rank() == 0, "{default} is {:?}; a scalar is needed", default.shape);
        let count = places.shape.first().map_or(1, |&count| count as usize);
        let depth = if places.rank() == 2 { places.shape[1] } else { 1 };
        ensure!(
            shape.shape[0] == depth,
            "indices of {depth} numbers in a shape of rank {}; they must agree",
            shape.shape[0]
        );
        ensure!(
            values.rank() == 0 || values.rank() == 1 && values.len() == count,
            "values are {:?} for {count} indices; there must be equally many, or a scalar",
            values.shape
        );
        Ok(Definition { ascending: def.bool("validate_indices", true)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.sizes(1)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (places, dims) = (call.dims(0)?, call.output_dims(0)?);
        let count = if places.rank() == 0 { 1 } else { places.size(0) };
        let indices = integers(&call.input(0)?)?;
        let starts = starts(&indices, count, dims.rank(), &dims, BadIndexPolicy::Refused)?;
        if self.ascending
            && let Some(i) = starts.windows(2).position(|pair| pair[0] >= pair[1])
        {
            return Err(invalid!(
                "indices {:?} and {:?} do not ascend",
                &indices[i * dims.rank()..][..dims.rank()],
                &indices[(i + 1) * dims.rank()..][..dims.rank()]
            ));
        }
        let values = call.input(2)?;
        let mut at = vec![None; dims.flat_size()];
        for (i, start) in starts.into_iter().enumerate() {
            at[start.unwrap_or_default()] = Some(if values.rank() == 0 { 0 } else { i });
        }
        pick(call, 0, &[values, call.input(3)?], |k| Some(at[k].map_or((1, 0), |i| (0, i))))
    }
}
