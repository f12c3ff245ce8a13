//! Cross: the cross product of vectors of three elements. Reals, integers.
//! Defined by: tensorflow/core/kernels/cross_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexCross` op.
pub type Cross = Node<Definition>;

/// Shape function and kernel of `FlexCross`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexCross";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (a, b) = (x.dims(0)?, x.dims(1)?);
        ensure!(
            a == b && a.as_slice().last() == Some(&3),
            "inputs are {:?} and {:?}; their shapes must be equal, with a last axis of 3",
            a.as_slice(),
            b.as_slice()
        );
        Ok(Some(a))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        match (Values::of(&call.input(0)?)?, Values::of(&call.input(1)?)?) {
            (Values::Real(a), Values::Real(b)) => Values::Real(
                (0..a.len())
                    .map(|k| {
                        let (i, j) = others(k);
                        a[i] * b[j] - a[j] * b[i]
                    })
                    .collect(),
            ),
            (Values::Int(a), Values::Int(b)) => Values::Int(
                (0..a.len())
                    .map(|k| {
                        let (i, j) = others(k);
                        a[i].wrapping_mul(b[j]).wrapping_sub(a[j].wrapping_mul(b[i]))
                    })
                    .collect(),
            ),
            _ => {
                let (a, b) = (call.input(0)?, call.input(1)?);
                return Err(invalid!(
                    "inputs {a} {} and {b} {} must have the same type, which must not be complex",
                    a.ty,
                    b.ty
                ));
            }
        }
        .put(call.output(0)?)
    }
}

/// The positions of the next two elements of the vector, cyclically.
fn others(k: usize) -> (usize, usize) {
    let start = k / 3 * 3;
    (start + (k % 3 + 1) % 3, start + (k % 3 + 2) % 3)
}
