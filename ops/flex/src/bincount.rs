//! Bincount: how often each number occurs, or the sum of its weights. I32. Inputs: the numbers, the number of bins, and
//! weights, which may be empty.
//! Defined by: tensorflow/core/kernels/bincount_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexBincount` op.
pub type Bincount = Node<Definition>;

/// Shape function and kernel of `FlexBincount`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexBincount";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some(size) = x.scalar(1)? else { return Ok(None) };
        shape_of([size]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let of = integers(&call.input(0)?)?;
        let weights = Values::of(&call.input(2)?)?;
        ensure!(
            weights.is_empty() || weights.len() == of.len(),
            "{} weights for {} numbers; their numbers must agree",
            weights.len(),
            of.len()
        );
        if let Some(negative) = of.iter().find(|&&i| i < 0) {
            return Err(invalid!("{negative} is negative; only non-negative numbers can be counted"));
        }
        let size = call.output_dims(0)?.flat_size();
        let ones = match &weights {
            Values::Real(w) if w.is_empty() => Values::Real(vec![1.0; of.len()]),
            Values::Int(w) if w.is_empty() => Values::Int(vec![1; of.len()]),
            given => given.clone(),
        };
        let one = match &ones {
            Values::Real(_) => Values::Real(vec![1.0]),
            Values::Int(_) => Values::Int(vec![1]),
            Values::Complex(_) => return Err(invalid!("weights are complex numbers")),
        };
        let mut y = ones.zeros(size);
        let mut places =
            of.iter().enumerate().filter(|&(_, &i)| i < size as i64).map(|(k, &i)| (i as usize, k, 0));
        y.add_products(&ones, &one, &mut places);
        y.put(call.output(0)?)
    }
}
