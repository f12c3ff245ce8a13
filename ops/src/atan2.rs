//! ATAN2: the angle of the point `(x, y)`, in (-π, π]. The inputs `y` and `x` must have the same rank; their elements
//! are paired in order. The output has the shape of `y`. f32, f64, f16, bf16. Supports in-place operation.
//! Defined by: tflite/kernels/atan2.cc.

use arenite_abi::prelude::*;
use half::{bf16, f16};

use crate::kit::node;

plain! {
    /// A prepared `ATAN2` node.
    pub struct Atan2;
}

impl Op for Atan2 {
    const CODE: OpCode = OpCode::Builtin(op::ATAN2);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F64, F16, BF16]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (y, x, z) = node.binary()?;
        node::same_type(&y, &x)?;
        node::same_type(&y, &z)?;
        if !matches!(y.ty, F32 | F64 | F16 | BF16) {
            return Err(Error::unsupported("ATAN2", y.ty));
        }
        ensure!(
            y.rank() == x.rank() && x.len() >= y.len(),
            "inputs {y} {:?} and {x} {:?} must have the same shape",
            y.shape,
            x.shape
        );
        cx.set_output_shape(0, y.shape)?;
        cx.allow_in_place(0, 0)?;
        if x.shape == y.shape {
            cx.allow_in_place(0, 1)?;
        }
        Ok(Atan2)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => map(cx, |y: f32, x: f32| libm::atan2(y.into(), x.into()) as f32),
            F64 => map(cx, libm::atan2),
            F16 => map(cx, |y: f16, x: f16| f16::from_f32(libm::atan2(y.into(), x.into()) as f32)),
            _ => map(cx, |y: bf16, x: bf16| bf16::from_f32(libm::atan2(y.into(), x.into()) as f32)),
        }
    }
}

fn map<T: Element>(cx: &EvalContext<'_>, angle: impl Fn(T, T) -> T) -> Result<()> {
    let (y, x, z) = (cx.input_cells::<T>(0)?, cx.input_cells::<T>(1)?, cx.output_cells::<T>(0)?);
    for (z, (y, x)) in z.iter().zip(y.iter().zip(x.iter())) {
        z.set(angle(y, x));
    }
    Ok(())
}

/// Cases that the custom op of the same name must pass too.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

    const Y: [f64; 7] = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, -3.0, 0.0];
    const X: [f64; 7] = [-1.0, -1.0, 0.0, -0.0, f64::NEG_INFINITY, 3.0, 1.0];
    const Z: [f64; 7] = [PI, -PI, FRAC_PI_2, -FRAC_PI_2, 3.0 * FRAC_PI_4, -FRAC_PI_4, 0.0];

    fn run<O: Op, T: Element>(of: impl Fn(f64) -> T) -> Vec<T> {
        let [y, x] = [Y, X].map(|v| Tensor::of(&[7], &v.map(&of)));
        let test = OpTest::<O>::new().input(y).input(x).output(Spec::of(T::TYPE));
        test.in_place().run().unwrap()[0].elements()
    }

    pub(crate) fn expect_floats<O: Op>() {
        assert_eq!(run::<O, f32>(|v| v as f32), Z.map(|z| z as f32));
        assert_eq!(run::<O, f64>(|v| v), Z);
        let nan = Tensor::f32(&[1], &[f32::NAN]);
        let test = OpTest::<O>::new().input(nan).input(Tensor::f32(&[1], &[1.0])).output(Spec::f32());
        assert!(test.run().unwrap()[0].as_f32()[0].is_nan());
    }

    #[test]
    fn values() {
        expect_floats::<Atan2>();
        assert_eq!(run::<Atan2, f16>(f16::from_f64), Z.map(f16::from_f64));
        assert_eq!(run::<Atan2, bf16>(bf16::from_f64), Z.map(bf16::from_f64));
    }

    #[test]
    fn a_longer_second_input_is_read_from_its_start() {
        let (y, x) = (Tensor::f32(&[1, 2], &[1.0, 0.0]), Tensor::f32(&[2, 2], &[0.0, 1.0, 5.0, 5.0]));
        let z = OpTest::<Atan2>::new().input(y).input(x).output(Spec::f32()).run().unwrap();
        assert_eq!((z[0].shape(), z[0].as_f32()), (&[1, 2][..], vec![core::f32::consts::FRAC_PI_2, 0.0]));
    }
}
