//! LOG_SOFTMAX along the last axis: `y[i] = x[i] − m − ln Σ exp(x[k] − m)` with the largest element m. f32; u8, i8 to
//! steps of 1/16.
//! Defined by: tflite/kernels/activations.cc, tflite/kernels/internal/optimized/optimized_ops.h (`LogSoftmax`).

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::node;
use crate::kit::quantized::Quantized;
use crate::kit::requantize::Quant;
use crate::kit::single;

plain! {
    /// A prepared `LOG_SOFTMAX` node.
    pub struct LogSoftmax {
        depth: usize,
        /// The tables for u8 and i8; `None` for f32.
        bytes: Maybe<Bytes>,
    }
}

plain! {
    /// The tables for u8 and i8.
    struct Bytes {
        input_scale: f32,
        output: Quant,
        /// `exp(−scale × d)` for distances `d` of 0 to 255 from the largest element.
        exponentials: Table<f32>,
    }
}

impl Op for LogSoftmax {
    const CODE: OpCode = OpCode::Builtin(op::LOG_SOFTMAX);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, U8, I8]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        node::same_type(&x, &y)?;
        let depth = x.shape.last().ok_or_else(|| invalid!("input {x} is a scalar; it needs an axis"))?;
        let bytes = match x.ty {
            F32 => None,
            _ => Some(Bytes::prepare(&x, &y, cx)?),
        };
        cx.set_output_shape(0, x.shape)?;
        Ok(LogSoftmax { depth: (*depth).max(1) as usize, bytes: bytes.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input(0)?, cx.output(0)?);
        match (x.ty, self.bytes.as_ref()) {
            (U8, Some(bytes)) => bytes.rows::<u8>(cx, x.as_slice()?, y.into_slice()?, self.depth),
            (I8, Some(bytes)) => bytes.rows::<i8>(cx, x.as_slice()?, y.into_slice()?, self.depth),
            _ => {
                let (x, y) = (x.as_slice::<f32>()?, y.into_slice::<f32>()?);
                for (x, y) in x.chunks_exact(self.depth).zip(y.chunks_exact_mut(self.depth)) {
                    float_row(x, y);
                }
                Ok(())
            }
        }
    }
}

fn float_row(x: &[f32], y: &mut [f32]) {
    let max = x.iter().fold(f32::NEG_INFINITY, |max, &x| max.max(x));
    let log_sum = float::log(x.iter().fold(0.0, |sum, x| sum + single::exp(x - max)));
    y.iter_mut().zip(x).for_each(|(y, x)| *y = x - max - log_sum);
}

impl Bytes {
    fn prepare(x: &TensorView<'_>, y: &TensorView<'_>, cx: &mut PrepareContext<'_>) -> Result<Bytes> {
        let (input_scale, output) = (node::quant(x)?.scale, node::quant(y)?);
        let zero_point = if y.ty == U8 { 255 } else { 127 };
        ensure!(
            output.scale == 1.0 / 16.0 && output.zero_point == zero_point,
            "output {y} has scale {} and zero point {}; for {} they must be {} and {zero_point}",
            output.scale,
            output.zero_point,
            y.ty,
            1.0 / 16.0
        );
        let exponentials = cx.table(256, |distance| float::exp(-input_scale * distance as f32))?;
        Ok(Bytes { input_scale, output, exponentials })
    }

    fn rows<T: Quantized>(&self, cx: &EvalContext<'_>, x: &[T], y: &mut [T], depth: usize) -> Result<()> {
        let exponentials = cx.table(&self.exponentials)?;
        let scale = self.input_scale / self.output.scale;
        for (x, y) in x.chunks_exact(depth).zip(y.chunks_exact_mut(depth)) {
            let max = x.iter().fold(T::LIMITS.min, |max, &x| max.max(x.into()));
            let sum = x.iter().fold(0.0, |sum, &x| sum + exponentials[(max - x.into()) as usize]);
            let offset = (self.input_scale * max as f32 + float::log(sum)) / self.output.scale;
            for (y, &x) in y.iter_mut().zip(x) {
                let steps = float::round_ties_even(scale * x.into() as f32 - offset);
                *y = T::saturate((steps + self.output.zero_point as f32) as i32);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, y: Spec) -> Result<Tensor> {
        OpTest::<LogSoftmax>::new().input(x).output(y).run().map(|mut y| y.remove(0))
    }

    #[test]
    fn floats() {
        let x = [0.0f32, -6.0, 2.0, 1000.0, 1000.0, 1000.0];
        let y = run(Tensor::f32(&[2, 3], &x), Spec::f32()).unwrap();
        // ln(e⁰ + e⁻⁶ + e²) = 2.127222, ln 3 = 1.098612.
        let want = [-2.127_222, -8.127_222, -0.127_222, -1.098_612, -1.098_612, -1.098_612];
        assert!(y.as_f32().iter().zip(want).all(|(y, want): (&f32, f32)| (y - want).abs() < 1e-5), "{y:?}");
        assert_eq!(run(Tensor::f32(&[1], &[5.0]), Spec::f32()).unwrap().as_f32(), [0.0]);
        assert!(run(Tensor::f32(&[2, 0], &[]), Spec::f32()).unwrap().as_f32().is_empty());
    }

    #[test]
    fn quantized_numbers() {
        // Real values 0, -6, 2 in steps of 0.1: −2.127, −8.127, −0.127 are −34.04, −130.04, −2.04 steps of 1/16.
        let x = Tensor::i8(&[3], &[0, -60, 20]).quantized(0.1, 0);
        assert_eq!(run(x, Spec::i8(0.0625, 127)).unwrap().as_i8(), [93, -3, 125]);
        let x = Tensor::u8(&[3], &[100, 40, 120]).quantized(0.1, 100);
        assert_eq!(run(x, Spec::u8(0.0625, 255)).unwrap().as_u8(), [221, 125, 253]);
        // The result saturates.
        let x = Tensor::i8(&[2], &[-128, 127]).quantized(1.0, 0);
        assert_eq!(run(x, Spec::i8(0.0625, 127)).unwrap().as_i8(), [-128, 127]);
    }
}
