//! AddN: the element-wise sum of all inputs. Numbers.
//! Defined by: tensorflow/core/kernels/aggregate_ops.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexAddN` op.
pub type AddN = Node<Definition>;

/// Shape function and kernel of `FlexAddN`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexAddN";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=usize::MAX, 1..=1)?;
        let y = node.output(0)?;
        let served =
            matches!(y.ty, F16 | BF16 | F32 | F64 | C64 | C128 | I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64);
        ensure!(served, "output '{}' is {}, which this op does not support", y.name, y.ty);
        for i in 0..node.input_count() {
            let x = node.input(i)?;
            ensure!(
                x.ty == y.ty,
                "input '{}' is {}, output '{}' is {}; they must agree",
                x.name,
                x.ty,
                y.name,
                y.ty
            );
        }
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        for i in 1..x.len() {
            let other = x.dims(i)?;
            ensure!(
                other == dims,
                "inputs are {:?} and {:?}; their shapes must agree",
                dims.as_slice(),
                other.as_slice()
            );
        }
        Ok(Some(dims))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let mut sum = Values::of(&call.input(0)?)?;
        let one = match &sum {
            Values::Real(_) => Values::Real(vec![1.0]),
            Values::Int(_) => Values::Int(vec![1]),
            Values::Complex(_) => Values::Complex(vec![Complex64 { re: 1.0, im: 0.0 }]),
        };
        for i in 1..call.cx.input_count() {
            let x = Values::of(&call.input(i)?)?;
            let count = sum.len();
            sum.add_products(&x, &one, &mut (0..count).map(|k| (k, k, 0)));
        }
        sum.put(call.output(0)?)
    }
}

#[cfg(test)]
mod tests {
    use super::AddN;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn values() {
        let x = of(F32, &[2], &[1.0, 2.0]);
        gives::<AddN>(
            &[],
            &[x.clone(), of(F32, &[2], &[3.0, 4.0]), of(F32, &[2], &[0.5, -1.0])],
            of(F32, &[2], &[4.5, 5.0]),
        );
        gives::<AddN>(&[], from_ref(&x), x.clone());
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<AddN>(
                &[],
                &[of(ty, &[2], &[1.0, 2.0]), of(ty, &[2], &[3.0, 4.0])],
                of(ty, &[2], &[4.0, 6.0]),
            );
        }
        gives::<AddN>(&[], &[Tensor::i8(&[1], &[100]), Tensor::i8(&[1], &[100])], Tensor::i8(&[1], &[-56]));
        gives::<AddN>(
            &[],
            &[complex_of(C64, &[1], &[(1.0, 2.0)]), complex_of(C64, &[1], &[(3.0, -1.0)])],
            complex_of(C64, &[1], &[(4.0, 1.0)]),
        );
    }

    #[test]
    fn edges() {
        gives::<AddN>(&[], &[of(F32, &[], &[1.0]), of(F32, &[], &[NAN])], of(F32, &[], &[NAN]));
        gives::<AddN>(&[], &[of(F32, &[0, 2], &[]), of(F32, &[0, 2], &[])], of(F32, &[0, 2], &[]));
    }

    #[test]
    fn refusals() {
        denies::<AddN>(
            &[of(F32, &[2], &[1.0, 2.0]), of(F32, &[1], &[1.0])],
            F32,
            "inputs are [2] and [1]; their shapes must agree",
        );
        denies::<AddN>(
            &[of(F32, &[1], &[1.0]), Tensor::i32(&[1], &[1])],
            F32,
            "input 'in1' is INT32, output 'out0' is FLOAT32; they must agree",
        );
    }
}
