//! ClipByValue: `y = max(min(x, high), low)`. Reals, integers; complex numbers by their parts. Inputs: x, low, high;
//! each limit is a scalar or has the shape of x.
//! Defined by: tensorflow/core/kernels/cwise_op_clip.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexClipByValue` op.
pub type ClipByValue = Node<Definition>;

/// Shape function and kernel of `FlexClipByValue`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexClipByValue";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let y = node.output(0)?;
        let served =
            matches!(y.ty, F16 | BF16 | F32 | F64 | C64 | C128 | I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64);
        ensure!(served, "output '{}' is {}, which this op does not support", y.name, y.ty);
        for i in 0..3 {
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
        for i in 1..3 {
            let limit = x.get(i)?;
            ensure!(
                limit.rank() == 0 || limit.shape == dims.as_slice(),
                "limit '{}' is {:?}; it must be a scalar or {:?}",
                limit.name,
                limit.shape,
                dims.as_slice()
            );
        }
        Ok(Some(dims))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let limits = (Values::of(&call.input(1)?)?, Values::of(&call.input(2)?)?);
        let scalar = [call.dims(1)?.rank() == 0, call.dims(2)?.rank() == 0];
        let at = |limit: usize, i: usize| if scalar[limit] { 0 } else { i };
        match (Values::of(&call.input(0)?)?, limits) {
            (Values::Real(mut x), (Values::Real(low), Values::Real(high))) => {
                x.iter_mut().enumerate().for_each(|(i, x)| *x = clip(*x, low[at(0, i)], high[at(1, i)]));
                Values::Real(x)
            }
            (Values::Int(mut x), (Values::Int(low), Values::Int(high))) => {
                x.iter_mut().enumerate().for_each(|(i, x)| *x = clip(*x, low[at(0, i)], high[at(1, i)]));
                Values::Int(x)
            }
            (Values::Complex(mut x), (Values::Complex(low), Values::Complex(high))) => {
                for (i, x) in x.iter_mut().enumerate() {
                    let (low, high) = (low[at(0, i)], high[at(1, i)]);
                    *x = Complex64 { re: clip(x.re, low.re, high.re), im: clip(x.im, low.im, high.im) };
                }
                Values::Complex(x)
            }
            _ => return Err(invalid!("the input and its limits differ in type")),
        }
        .put(call.output(0)?)
    }
}

/// A limit that is NaN is ignored. If the lower limit is above the upper one, the lower one wins.
fn clip<T: PartialOrd>(x: T, low: T, high: T) -> T {
    let x = if high < x { high } else { x };
    if x < low { low } else { x }
}

#[cfg(test)]
mod tests {
    use super::ClipByValue;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        let x = of(F32, &[5], &[-3.0, 0.0, 0.5, 2.0, 7.0]);
        gives::<ClipByValue>(
            &[],
            &[x.clone(), of(F32, &[], &[-1.0]), of(F32, &[], &[2.0])],
            of(F32, &[5], &[-1.0, 0.0, 0.5, 2.0, 2.0]),
        );
        gives::<ClipByValue>(
            &[],
            &[x.clone(), of(F32, &[5], &[0.0, 1.0, 0.0, 0.0, 8.0]), of(F32, &[], &[5.0])],
            of(F32, &[5], &[0.0, 1.0, 0.5, 2.0, 8.0]),
        );
        gives::<ClipByValue>(
            &[],
            &[x.clone(), of(F32, &[], &[0.0]), of(F32, &[5], &[1.0, 1.0, 0.0, 1.0, 9.0])],
            of(F32, &[5], &[0.0, 0.0, 0.0, 1.0, 7.0]),
        );
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<ClipByValue>(
                &[],
                &[of(ty, &[3], &[1.0, 5.0, 9.0]), of(ty, &[], &[2.0]), of(ty, &[], &[6.0])],
                of(ty, &[3], &[2.0, 5.0, 6.0]),
            );
        }
        gives::<ClipByValue>(
            &[],
            &[
                complex_of(C64, &[2], &[(-3.0, -3.0), (1.0, 5.0)]),
                complex_of(C64, &[], &[(0.0, 0.0)]),
                complex_of(C64, &[], &[(2.0, 2.0)]),
            ],
            complex_of(C64, &[2], &[(0.0, 0.0), (1.0, 2.0)]),
        );
    }

    #[test]
    fn edges() {
        gives::<ClipByValue>(
            &[],
            &[of(F32, &[2], &[0.0, 9.0]), of(F32, &[], &[3.0]), of(F32, &[], &[1.0])],
            of(F32, &[2], &[3.0, 3.0]),
        );
        gives::<ClipByValue>(
            &[],
            &[of(F32, &[3], &[NAN, INF, -INF]), of(F32, &[], &[-1.0]), of(F32, &[], &[1.0])],
            of(F32, &[3], &[NAN, 1.0, -1.0]),
        );
        gives::<ClipByValue>(
            &[],
            &[of(F32, &[2], &[-5.0, 5.0]), of(F32, &[], &[NAN]), of(F32, &[], &[1.0])],
            of(F32, &[2], &[-5.0, 1.0]),
        );
        gives::<ClipByValue>(
            &[],
            &[of(F32, &[2], &[-5.0, 5.0]), of(F32, &[], &[-1.0]), of(F32, &[], &[NAN])],
            of(F32, &[2], &[-1.0, 5.0]),
        );
        gives::<ClipByValue>(
            &[],
            &[of(F32, &[], &[5.0]), of(F32, &[], &[0.0]), of(F32, &[], &[1.0])],
            of(F32, &[], &[1.0]),
        );
        gives::<ClipByValue>(
            &[],
            &[of(F32, &[0], &[]), of(F32, &[], &[0.0]), of(F32, &[], &[1.0])],
            of(F32, &[0], &[]),
        );
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[5], &[-3.0, 0.0, 0.5, 2.0, 7.0]);
        denies::<ClipByValue>(
            &[x.clone(), of(F32, &[2], &[0.0, 0.0]), of(F32, &[], &[1.0])],
            F32,
            "limit 'in1' is [2]; it must be a scalar or [5]",
        );
        denies::<ClipByValue>(
            &[x.clone(), of(F32, &[], &[0.0]), of(F32, &[1], &[1.0])],
            F32,
            "limit 'in2' is [1]; it must be a scalar or [5]",
        );
        denies::<ClipByValue>(
            &[x.clone(), Tensor::i32(&[], &[0]), of(F32, &[], &[1.0])],
            F32,
            "input 'in1' is INT32, output 'out0' is FLOAT32; they must agree",
        );
    }
}
