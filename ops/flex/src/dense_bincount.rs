//! DenseBincount: how often each number occurs, or the sum of its weights, in a list or in each row of a matrix.
//! Inputs: the numbers (I32, I64), the number of bins, and weights, which may be empty. Numbers beyond the bins are
//! ignored.
//! Defined by: tensorflow/core/kernels/bincount_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_type, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexDenseBincount` op.
pub type DenseBincount = Node<Definition>;

/// Attributes, shape function and kernel of `FlexDenseBincount`.
pub struct Definition {
    /// Whether the output is 1 for each number that occurs.
    binary: bool,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexDenseBincount";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (of, weights) = (node.input(0)?, node.input(2)?);
        expect_type(&of, &[I32, I64])?;
        expect_type(&weights, &[I32, I64, F32, F64])?;
        ensure!(of.rank() <= 2, "the numbers {of} are {:?}; at most two axes are supported", of.shape);
        let binary = def.bool("binary_output", false)?;
        ensure!(
            weights.is_empty() || weights.shape == of.shape,
            "the weights are {:?}, the numbers {:?}; the shapes must agree",
            weights.shape,
            of.shape
        );
        Ok(Definition { binary })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some(size) = x.scalar(1)? else { return Ok(None) };
        let rows = x.get(0)?.shape.split_last().map_or(&[][..], |(_, rows)| rows);
        shape_of(rows.iter().map(|&rows| rows.into()).chain([size])).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let of = integers(&call.input(0)?)?;
        if let Some(negative) = of.iter().find(|&&i| i < 0) {
            return Err(invalid!("{negative} is negative; only non-negative numbers can be counted"));
        }
        let (shape, columns) = (call.output_dims(0)?, call.input(0)?.shape.last().map_or(1, |&c| c as usize));
        let size = shape.size(shape.rank() - 1);
        let weights = Values::of(&call.input(2)?)?;
        let mut places = (of.iter().enumerate())
            .filter(|&(_, &i)| i < size as i64)
            .map(|(k, &i)| (k / columns.max(1) * size + i as usize, k));
        let mut y = weights.zeros(shape.flat_size());
        match &mut y {
            Values::Real(y) if self.binary => places.for_each(|(to, _)| y[to] = 1.0),
            Values::Int(y) if self.binary => places.for_each(|(to, _)| y[to] = 1),
            Values::Real(y) if weights.is_empty() => places.for_each(|(to, _)| y[to] += 1.0),
            Values::Int(y) if weights.is_empty() => places.for_each(|(to, _)| y[to] += 1),
            y => y.add_products(&weights, &weights.one(), &mut places.by_ref().map(|(to, k)| (to, k, 0))),
        }
        y.put(call.output(0)?)
    }
}
