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
                    "inputs '{}' {} and '{}' {} must have the same type, which must not be complex",
                    a.name,
                    a.ty,
                    b.name,
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

#[cfg(test)]
mod tests {
    use super::Cross;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let types = &[F16, BF16, F32, F64, I8, I16, I32, I64];
        let inputs = [(&[3][..], &[1.0, 2.0, 3.0][..]), (&[3], &[4.0, 5.0, 6.0])];
        each::<Cross>(types, &[], &inputs, (&[3], &[-3.0, 6.0, -3.0]));
        let axes =
            [(&[2, 3][..], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0][..]), (&[2, 3], &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0])];
        each::<Cross>(types, &[], &axes, (&[2, 3], &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0]));
        each::<Cross>(types, &[], &[(&[0, 3], &[]), (&[0, 3], &[])], (&[0, 3], &[]));
        // Integers wrap around: 0 − 1.
        let (a, b) = (Tensor::u8(&[3], &[0, 0, 1]), Tensor::u8(&[3], &[0, 1, 0]));
        gives::<Cross>(&[], &[a, b], &[Tensor::u8(&[3], &[255, 0, 0])]);
    }

    #[test]
    fn refusals() {
        let refused = |a: &[i32], b: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<Cross>(&[], &[zeros(a), zeros(b)], &[F32], message);
        };
        refused(&[4], &[4], "inputs are [4] and [4]; their shapes must be equal, with a last axis of 3");
        refused(
            &[3],
            &[1, 3],
            "inputs are [3] and [1, 3]; their shapes must be equal, with a last axis of 3",
        );
        refused(&[], &[], "inputs are [] and []; their shapes must be equal, with a last axis of 3");
        let message =
            "inputs 'in0' COMPLEX64 and 'in1' COMPLEX64 must have the same type, which must not be complex";
        refuses::<Cross>(&[], &[of(C64, &[3], &[0.0; 3]), of(C64, &[3], &[0.0; 3])], &[C64], message);
    }
}
