//! Cross: the cross product of vectors of three numbers. Reals, integers.
//! Defined by: tensorflow/core/kernels/cross_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The op.
pub type Cross = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexCross";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (a, b) = (x.dims(0)?, x.dims(1)?);
        ensure!(a == b && a.as_slice().last() == Some(&3), "{:?} and {:?} are no vectors of three", a.as_slice(), b.as_slice());
        Ok(Some(a))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        match (Values::of(&call.input(0)?)?, Values::of(&call.input(1)?)?) {
            (Values::Real(a), Values::Real(b)) => {
                Values::Real((0..a.len()).map(|k| { let (i, j) = others(k); a[i] * b[j] - a[j] * b[i] }).collect())
            }
            (Values::Int(a), Values::Int(b)) => {
                Values::Int((0..a.len()).map(|k| { let (i, j) = others(k); a[i].wrapping_mul(b[j]).wrapping_sub(a[j].wrapping_mul(b[i])) }).collect())
            }
            _ => return Err(invalid!("vectors differ in type, or are complex")),
        }
        .put(call.output(0)?)
    }
}

/// The two elements that follow within the vector, going round.
fn others(k: usize) -> (usize, usize) {
    let start = k / 3 * 3;
    (start + (k % 3 + 1) % 3, start + (k % 3 + 2) % 3)
}
