//! Range: the numbers from `start` to `limit` in steps of `delta`. Reals, integers. Inputs: start, limit,
//! delta.
//! Defined by: tensorflow/core/kernels/sequence_ops.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integer, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{real, round_as};
use crate::kit::values::Values;

/// The `FlexRange` op.
pub type Range = Node<Definition>;

/// Shape function and kernel of `FlexRange`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexRange";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let mut known = Vec::new();
        for i in 0..3 {
            let Some(value) = x.data(i)? else { return Ok(None) };
            known.push(value);
        }
        let count = match known[0].ty {
            F16 | BF16 | F32 | F64 => {
                let [start, limit, delta] = [real(&known[0])?, real(&known[1])?, real(&known[2])?];
                ensure!(delta != 0.0, "delta is 0");
                let ahead = if delta > 0.0 { start <= limit } else { start >= limit };
                ensure!(ahead, "steps of {delta} do not lead from {start} to {limit}");
                // Rounded in the type itself, as TensorFlow does.
                let steps = round_as(known[0].ty, round_as(known[0].ty, limit - start)? / delta)?;
                libm::ceil(steps.abs()) as i64
            }
            _ => {
                let [start, limit, delta] =
                    [integer(&known[0])?, integer(&known[1])?, integer(&known[2])?].map(i128::from);
                ensure!(delta != 0, "delta is 0");
                let ahead = if delta > 0 { start <= limit } else { start >= limit };
                ensure!(ahead, "steps of {delta} do not lead from {start} to {limit}");
                let (span, step) = ((limit - start).abs(), delta.abs());
                i64::try_from((span + step - 1) / step).unwrap_or(i64::MAX)
            }
        };
        shape_of([count]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let y = call.output(0)?;
        let count = y.spec().len();
        let (start, delta) = (Values::of(&call.input(0)?)?, Values::of(&call.input(2)?)?);
        match (start, delta) {
            (Values::Real(start), Values::Real(delta)) => {
                let steps =
                    (0..count).map(|i| round_as(y.ty(), i as f64 * delta[0])).collect::<Result<Vec<_>>>()?;
                Values::Real(steps.into_iter().map(|step| start[0] + step).collect()).put(y)
            }
            (Values::Int(start), Values::Int(delta)) => {
                Values::Int((0..count).map(|i| start[0] + i as i128 * delta[0]).collect()).put(y)
            }
            _ => Err(invalid!("start and delta differ in type")),
        }
    }
}
