//! TopKV2: the `k` largest elements of each row in descending order, and their indices; of equal elements the first one
//! comes first. Reals, integers. Inputs: x, k.
//! Defined by: tensorflow/core/kernels/topk_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_rank, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;
use crate::kit::values::Values;

/// The `FlexTopKV2` op.
pub type TopKV2 = Node<Definition>;

/// Shape function and kernel of `FlexTopKV2`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTopKV2";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 2..=2)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        expect_rank(&x.get(1)?, 0)?;
        let (dims, Some(k)) = (x.dims(0)?, x.integer(1)?) else { return Ok(None) };
        let size =
            *dims.as_slice().last().ok_or_else(|| invalid!("the input is a scalar; rows are needed"))?;
        ensure!((0..=i64::from(size)).contains(&k), "k is {k}, rows have {size} elements");
        let outer = dims.as_slice()[..dims.rank() - 1].iter().map(|&d| i64::from(d));
        shape_of(outer.chain([k])).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, output) = (call.dims(0)?, call.output_dims(0)?);
        let (size, k) = (dims.size(dims.rank() - 1), output.size(output.rank() - 1));
        let x = Values::of(&call.input(0)?)?;
        let order = |a: &usize, b: &usize| match &x {
            Values::Real(x) => x[*b].total_cmp(&x[*a]),
            Values::Int(x) => x[*b].cmp(&x[*a]),
            Values::Complex(_) => core::cmp::Ordering::Equal,
        };
        let mut best = Vec::with_capacity(output.flat_size());
        let rows = if k == 0 { 0 } else { dims.product(0, dims.rank() - 1) };
        for row in 0..rows {
            let mut row: Vec<usize> = (row * size..(row + 1) * size).collect();
            row.sort_by(order);
            best.extend(row.into_iter().take(k));
        }
        pick(call, 0, &[call.input(0)?], |k| best.get(k).map(|&i| (0, i)))?;
        put_integers(call.output(1)?, best.iter().map(|&i| (i % size.max(1)) as i64))
    }
}
