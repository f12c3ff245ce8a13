//! L2_NORMALIZATION along the last axis: `y = x / max(√Σx², 10⁻⁶)`. f32; u8, i8 per-tensor quantized, to steps of
//! 1/128. Supports in-place operation.
//! Defined by: tflite/kernels/l2norm.cc, tflite/kernels/internal/optimized/optimized_ops.h (f32, u8),
//! tflite/kernels/internal/reference/integer_ops/l2normalization.h (i8).

use arenite_abi::prelude::*;
use arenite_abi::schema::L2NormOptions;

use crate::kit::activation::Activation;
use crate::kit::fixed_point::inverse_sqrt;
use crate::kit::float;
use crate::kit::node;
use crate::kit::quantized::Quantized;
use crate::kit::requantize::Multiplier;
use crate::kit::unary;

plain! {
    /// A prepared `L2_NORMALIZATION` node.
    pub struct L2Normalization {
        depth: usize,
        /// The zero point of the input; 0 for f32.
        zero_point: i32,
    }
}

impl Op for L2Normalization {
    const CODE: OpCode = OpCode::Builtin(op::L2_NORMALIZATION);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, U8, I8]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let activation = node::activation(node.options()?.get(L2NormOptions::FUSED_ACTIVATION_FUNCTION)?)?;
        if activation != Activation::None {
            return Err(unsupported!("its fused activation is {activation:?}; it may have none"));
        }
        let (x, y) = unary::prepare(node, cx)?;
        let depth = x.shape.last().ok_or_else(|| invalid!("input {x} is a scalar; it needs an axis"))?;
        let zero_point = match x.ty {
            F32 => 0,
            ty => {
                let (q, zero_point) = (node::quant(&y)?, if ty == U8 { 128 } else { 0 });
                ensure!(
                    q.scale == 1.0 / 128.0 && q.zero_point == zero_point,
                    "output {y} has scale {} and zero point {}; for {ty} they must be {} and {zero_point}",
                    q.scale,
                    q.zero_point,
                    1.0 / 128.0
                );
                node::quant(&x)?.zero_point
            }
        };
        Ok(L2Normalization { depth: *depth as usize, zero_point })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => self.float(cx),
            U8 => self.quantized(cx, |q: i32, root: Multiplier| {
                u8::saturate(root.apply(q.wrapping_mul(128)).wrapping_add(128))
            }),
            _ => self.quantized(cx, |q: i32, Multiplier { value, shift }| {
                i8::saturate(Multiplier { value, shift: shift + 7 }.apply(q))
            }),
        }
    }
}

impl L2Normalization {
    fn float(&self, cx: &EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_cells::<f32>(0)?, cx.output_cells::<f32>(0)?);
        for (row, y) in y.chunks_exact(self.depth.max(1)).enumerate() {
            let at = |i: usize| x.get(row * self.depth + i);
            let norm = float::sqrt((0..y.len()).fold(0.0, |sum, i| sum + at(i) * at(i)));
            let norm = if norm < 1e-6 { 1e-6 } else { norm };
            y.iter().enumerate().for_each(|(i, y)| y.set(at(i) / norm));
        }
        Ok(())
    }

    fn quantized<T: Quantized>(
        &self,
        cx: &EvalContext<'_>,
        scale: impl Fn(i32, Multiplier) -> T,
    ) -> Result<()> {
        let (x, y) = (cx.input_cells::<T>(0)?, cx.output_cells::<T>(0)?);
        for (row, y) in y.chunks_exact(self.depth.max(1)).enumerate() {
            let at = |i: usize| x.get(row * self.depth + i).into().wrapping_sub(self.zero_point);
            let sum = (0..y.len()).fold(0i32, |sum, i| sum.wrapping_add(at(i).wrapping_mul(at(i))));
            let root = inverse_sqrt(sum);
            y.iter().enumerate().for_each(|(i, y)| y.set(scale(at(i), root)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, y: Spec) -> Tensor {
        OpTest::<L2Normalization>::new().input(x).output(y).in_place().run().unwrap().remove(0)
    }

    #[test]
    fn floats() {
        let y = run(Tensor::f32(&[3, 2], &[3., 4., 0., -0.5, 0., 0.]), Spec::f32());
        assert_eq!((y.shape(), y.as_f32()), (&[3, 2][..], vec![0.6, 0.8, 0., -1., 0., 0.]));
        assert_eq!(run(Tensor::f32(&[2], &[3e-7, 4e-7]), Spec::f32()).as_f32(), [3e-7 / 1e-6, 4e-7 / 1e-6]);
        assert!(run(Tensor::f32(&[1], &[f32::NAN]), Spec::f32()).as_f32()[0].is_nan());
        assert!(run(Tensor::f32(&[2, 0], &[]), Spec::f32()).as_f32().is_empty());
    }

    #[test]
    fn quantized_numbers() {
        // (3, 4) and (-6, 8) above the zero point give 0.6, 0.8 and -0.6, 0.8: 76.8 and 102.4 steps.
        let x = Tensor::i8(&[2, 2], &[13, 14, 4, 18]).quantized(0.5, 10);
        assert_eq!(run(x, Spec::i8(1.0 / 128.0, 0)).as_i8(), [77, 102, -77, 102]);
        let x = Tensor::u8(&[2, 2], &[13, 14, 4, 18]).quantized(0.5, 10);
        assert_eq!(run(x, Spec::u8(1.0 / 128.0, 128)).as_u8(), [205, 230, 51, 230]);
        // 1 is 128 steps and saturates; a row of zeros stays zero.
        let x = Tensor::i8(&[3, 1], &[127, -127, 0]).quantized(0.5, 0);
        assert_eq!(run(x, Spec::i8(1.0 / 128.0, 0)).as_i8(), [127, -128, 0]);
    }
}
