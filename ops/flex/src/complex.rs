//! Complex: complex numbers from real and imaginary parts; the inputs broadcast. F32 to C64, F64 to C128.
//! Defined by: tensorflow/core/kernels/cwise_op_complex.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::broadcast::{Broadcast, broadcast_dims};
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_type};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_complexes, reals};

/// The `FlexComplex` op.
pub type Complex = Node<Definition>;

/// Shape function and kernel of `FlexComplex`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexComplex";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        let (re, im, _) = node.binary()?;
        expect_type(&re, &[F32, F64])?;
        ensure!(re.ty == im.ty, "'{}' is {}, '{}' is {}; they must agree", re.name, re.ty, im.name, im.ty);
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (a, b) = (x.dims(0)?, x.dims(1)?);
        broadcast_dims([&a, &b])
            .map(Some)
            .ok_or_else(|| invalid!("{:?} and {:?} do not broadcast", a.as_slice(), b.as_slice()))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let loops = Broadcast::new([&call.dims(0)?, &call.dims(1)?])
            .ok_or_else(|| invalid!("the shapes do not broadcast"))?;
        let (re, im) = (reals(&call.input(0)?)?, reals(&call.input(1)?)?);
        let mut y = Vec::with_capacity(loops.output().flat_size());
        loops.for_each2(|_, i, j| y.push(Complex64 { re: re[i], im: im[j] }));
        put_complexes(call.output(0)?, y)
    }
}

#[cfg(test)]
mod tests {
    use super::Complex;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(F32, C64), (F64, C128)] {
            let pair = |re: (&[i32], &[f64]), im: (&[i32], &[f64]), want: (&[i32], &[(f64, f64)])| {
                let inputs = [of(ty, re.0, re.1), of(ty, im.0, im.1)];
                gives::<Complex>(&[], &inputs, &[complex(to, want.0, want.1)]);
            };
            pair((&[2], &[1.0, 2.0]), (&[2], &[3.0, 4.0]), (&[2], &[(1.0, 3.0), (2.0, 4.0)]));
            pair((&[2], &[1.0, 2.0]), (&[], &[3.0]), (&[2], &[(1.0, 3.0), (2.0, 3.0)]));
            let wide = (&[2, 2][..], &[(1.0, 3.0), (1.0, 4.0), (2.0, 3.0), (2.0, 4.0)][..]);
            pair((&[2, 1], &[1.0, 2.0]), (&[2], &[3.0, 4.0]), wide);
            pair((&[0], &[]), (&[1], &[3.0]), (&[0], &[]));
            let (nan, inf) = (f64::NAN, f64::INFINITY);
            pair((&[2], &[nan, 0.0]), (&[2], &[0.0, inf]), (&[2], &[(nan, 0.0), (0.0, inf)]));
        }
    }

    #[test]
    fn refusals() {
        let refused =
            |re: Tensor, im: Tensor, message: &str| refuses::<Complex>(&[], &[re, im], &[C64], message);
        let message = "[2] and [3] do not broadcast";
        refused(of(F32, &[2], &[0.0; 2]), of(F32, &[3], &[0.0; 3]), message);
        let message = "'in0' is FLOAT32, 'in1' is FLOAT64; they must agree";
        refused(real(0.0), of(F64, &[], &[0.0]), message);
        refused(int(0), int(0), "input 'in0' is INT32, which this op does not support");
    }
}
