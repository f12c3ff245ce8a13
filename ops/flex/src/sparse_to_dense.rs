//! SparseToDense: a tensor that holds the given values at the given indices, and a default value elsewhere. Any type.
//! Inputs: indices, shape, values, default value. The attribute `validate_indices` requires the indices to ascend.
//! Defined by: tensorflow/core/kernels/sparse_to_dense_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers};
use crate::kit::node_def::NodeDef;
use crate::kit::scatter::{Outside, starts};

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
        ensure!(shape.rank() == 1, "'{}' is {:?}; a list of sizes is needed", shape.name, shape.shape);
        ensure!(default.rank() == 0, "'{}' is {:?}; a scalar is needed", default.name, default.shape);
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
        let starts = starts(&indices, count, dims.rank(), &dims, Outside::Refused)?;
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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    const ANY_ORDER: [(&str, Attribute<'_>); 1] = [("validate_indices", Bool(false))];

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [ints(&[1, 3]), ints(&[4]), x(&[2], &[5, 6]), x(&[], &[0])];
            gives::<super::SparseToDense>(&[], &inputs, &[x(&[4], &[0, 5, 0, 6])]);
            let inputs = [Tensor::i64(&[2, 2], &[0, 1, 1, 0]), longs(&[2, 2]), x(&[], &[7]), x(&[], &[9])];
            gives::<super::SparseToDense>(&[], &inputs, &[x(&[2, 2], &[9, 7, 7, 9])]);
        });
        gives::<super::SparseToDense>(&[], &[int(1), ints(&[2]), int(5), int(0)], &[ints(&[0, 5])]);
        // Of two values for the same index the last one wins.
        let inputs = [ints(&[3, 1, 1]), ints(&[4]), ints(&[5, 6, 7]), int(0)];
        gives::<super::SparseToDense>(&ANY_ORDER, &inputs, &[ints(&[0, 7, 0, 5])]);
        let inputs = [Tensor::i32(&[0, 2], &[]), ints(&[1, 2]), ints(&[]), int(3)];
        gives::<super::SparseToDense>(&[], &inputs, &[Tensor::i32(&[1, 2], &[3, 3])]);
    }

    #[test]
    fn refusals() {
        let refused = |places: Tensor, values: Tensor, message: &str| {
            refuses::<super::SparseToDense>(&[], &[places, ints(&[4]), values, int(0)], &[I32], message);
        };
        refused(ints(&[1, 1]), ints(&[5, 6]), "indices [1] and [1] do not ascend");
        refused(ints(&[3, 1]), ints(&[5, 6]), "indices [3] and [1] do not ascend");
        refused(ints(&[4]), ints(&[5]), "index [4] is out of bounds for [4]");
        refused(ints(&[-1]), ints(&[5]), "index [-1] is out of bounds for [4]");
        refused(
            ints(&[1, 2]),
            ints(&[5]),
            "values are [1] for 2 indices; there must be equally many, or a scalar",
        );
        refused(
            Tensor::i32(&[1, 2], &[0, 0]),
            ints(&[5]),
            "indices of 2 numbers in a shape of rank 1; they must agree",
        );
        refused(
            Tensor::i32(&[1, 1, 1], &[0]),
            ints(&[5]),
            "indices are [1, 1, 1]; at most two axes are allowed",
        );
        let inputs = [ints(&[1]), ints(&[4]), ints(&[5]), ints(&[0])];
        refuses::<super::SparseToDense>(&[], &inputs, &[I32], "'in3' is [1]; a scalar is needed");
        let inputs = [ints(&[9]), ints(&[4]), ints(&[5]), int(0)];
        refuses::<super::SparseToDense>(&ANY_ORDER, &inputs, &[I32], "index [9] is out of bounds for [4]");
    }
}
