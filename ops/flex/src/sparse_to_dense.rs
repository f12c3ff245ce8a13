//! SparseToDense: a tensor of one value with others at places. Any type. Inputs: places, shape, values, value elsewhere.
//! Defined by: tensorflow/core/kernels/sparse_to_dense_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers};
use crate::kit::node_def::NodeDef;
use crate::kit::elements::pick;
use crate::kit::scatter::starts;

/// The op.
pub type SparseToDense = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexSparseToDense";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(4..=4, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.sizes(1)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (places, dims) = (call.dims(0)?, call.output_dims(0)?);
        let indices = integers(&call.input(0)?)?;
        let depth = if places.rank() == 2 { places.size(1) } else { 1 };
        ensure!(depth == dims.rank(), "places of {depth} numbers in {:?}", dims.as_slice());
        let values = call.input(2)?;
        let starts = starts(&indices, depth, &dims)?;
        ensure!(values.rank() == 0 || values.len() == starts.len(), "{} values for {} places", values.len(), starts.len());
        let mut at = vec![None; dims.flat_size()];
        starts.iter().enumerate().for_each(|(i, &start)| at[start] = Some(if values.rank() == 0 { 0 } else { i }));
        pick(call, 0, &[values, call.input(3)?], |k| Some(at[k].map_or((1, 0), |i| (0, i))))
    }
}
