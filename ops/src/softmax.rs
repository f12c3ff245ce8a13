//! SOFTMAX along the last axis: `y[i] = exp(β x[i]) / Σ exp(β x[k])`. f32, f16; u8, i8 (to the same type or i16); i16.
//! Defined by: tflite/kernels/activations.cc, tflite/kernels/internal/optimized/optimized_ops.h (u8, i8: a table of
//! exponentials in f32), tflite/kernels/internal/reference/softmax.h (i16: two interpolated tables).

use arenite_abi::prelude::*;
use arenite_abi::schema::SoftmaxOptions;
use half::f16;

use crate::kit::float;
use crate::kit::lut::{LUT16_SIZE, entry_i16_f64, lookup_i16};
use crate::kit::node::{only_form, other_form, quant};
use crate::kit::quantized::Quantized;
use crate::kit::requantize::{Multiplier, Quant, round_f32};
use crate::kit::single::{self, Sum};

plain! {
    /// A prepared `SOFTMAX` node.
    pub struct Softmax {
        depth: usize,
        kernel: Kernel,
    }
}

plain! {
    enum Kernel {
        Float { half: bool, beta: f32 },
        Bytes(Bytes),
        Words(Words),
    }
}

plain! {
    /// The tables for u8 and i8 inputs.
    struct Bytes {
        /// `exp(−scale × β × d)` for distances `d` of 0 to 255 from the largest element.
        exponentials: Table<f32>,
        output: Quant,
        types: Types,
    }
}

plain! {
    /// The types of input and output that have a form of their own.
    #[derive(Clone, Copy, PartialEq)]
    enum Types {
        I8,
        I8ToI16,
        Others,
    }
}

plain! {
    /// The tables for i16.
    struct Words {
        /// Rescales the distance from the largest element to `[−65535, 0]`, which represents `[−10, 0]`.
        rescale: Multiplier,
        /// The table of `exp(x)` for x in `[−10, 0]`.
        exponentials: Table<i16>,
        /// The table of `1 / (1 + x)` for x in `[0, 1]`.
        reciprocals: Table<i16>,
    }
}

impl Op for Softmax {
    const CODE: OpCode = OpCode::Builtin(op::SOFTMAX);
    const VERSIONS: RangeInclusive<i32> = 1..=4;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, U8, I8, I16]);
    const EMBED: Option<Embed<Self>> = Some(Embed::with(|op, cx| cx.put(op.form(), op)));

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y, beta) = read(node)?;
        let kernel = match (x.ty, y.ty) {
            (F32, F32) | (F16, F16) => Kernel::Float { half: x.ty == F16, beta },
            (U8, U8 | I16) | (I8, I8 | I16) => Kernel::Bytes(Bytes::prepare(&x, &y, beta, cx)?),
            (I16, I16) => Kernel::Words(Words::prepare(&x, &y, beta, cx)?),
            _ => return Err(unsupported!("no kernel for {} to {}", x.ty, y.ty)),
        };
        Softmax::with(&x, cx, kernel)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input(0)?, cx.output(0)?);
        let depth = self.depth.max(1);
        match &self.kernel {
            Kernel::Float { half: false, beta } => {
                rows(x.as_slice()?, y.into_slice()?, depth, |x, y| float_row(x, y, *beta));
            }
            Kernel::Float { beta, .. } => {
                rows(x.as_slice()?, y.into_slice()?, depth, |x, y| half_row(x, y, *beta));
            }
            Kernel::Bytes(bytes) => {
                let table = cx.table(&bytes.exponentials)?;
                let out = bytes.output;
                match (x.ty, y.ty()) {
                    (U8, U8) => rows(x.as_slice()?, y.into_slice()?, depth, |x, y| {
                        byte_row::<u8, u8>(x, y, table, out.scale, |p| (p + 0.5) as i32);
                    }),
                    (U8, _) => rows(x.as_slice()?, y.into_slice()?, depth, |x, y| {
                        byte_row::<u8, i16>(x, y, table, out.scale, |p| nearest(p, out.zero_point));
                    }),
                    (_, I8) => rows(x.as_slice()?, y.into_slice()?, depth, |x, y| {
                        byte_row::<i8, i8>(x, y, table, out.scale, |p| nearest(p, out.zero_point));
                    }),
                    _ => rows(x.as_slice()?, y.into_slice()?, depth, |x, y| {
                        byte_row::<i8, i16>(x, y, table, out.scale, |p| nearest(p, out.zero_point));
                    }),
                }
            }
            Kernel::Words(words) => {
                let (exponentials, reciprocals) =
                    (table_513(cx, &words.exponentials)?, table_513(cx, &words.reciprocals)?);
                rows(x.as_slice()?, y.into_slice()?, depth, |x, y| {
                    word_row(x, y, words.rescale, exponentials, reciprocals);
                });
            }
        }
        Ok(())
    }

    fn form(&self) -> &'static str {
        match &self.kernel {
            Kernel::Float { half: false, .. } => "ar_embed_softmax_f32",
            Kernel::Bytes(Bytes { types: Types::I8, .. }) => "ar_embed_softmax_i8",
            Kernel::Bytes(Bytes { types: Types::I8ToI16, .. }) => "ar_embed_softmax_i8_i16",
            _ => "",
        }
    }
}

/// Input, output and the factor of the exponents.
fn read<'a>(node: &NodeView<'a>) -> Result<(TensorView<'a>, TensorView<'a>, f32)> {
    let (x, y) = node.unary()?;
    ensure!(x.rank() >= 1, "input {x} is a scalar; it needs an axis");
    Ok((x, y, node.options()?.get(SoftmaxOptions::BETA)?))
}

impl Softmax {
    fn with(x: &TensorView<'_>, cx: &mut PrepareContext<'_>, kernel: Kernel) -> Result<Self> {
        cx.set_output_shape(0, x.shape)?;
        Ok(Softmax { depth: x.shape.last().map_or(0, |&d| d.max(0) as usize), kernel })
    }

    /// `prepare` for f32 alone.
    ///
    /// # Errors
    /// As for `prepare`, or the node has another form.
    pub fn prepare_f32(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y, beta) = read(node)?;
        match (x.ty, y.ty) {
            (F32, F32) => Softmax::with(&x, cx, Kernel::Float { half: false, beta }),
            _ => Err(only_form("f32")),
        }
    }

    /// `prepare` for i8 alone.
    ///
    /// # Errors
    /// As for `prepare`, or the node has another form.
    pub fn prepare_i8(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y, beta) = read(node)?;
        if (x.ty, y.ty) != (I8, I8) {
            return Err(only_form("i8"));
        }
        let bytes = Bytes::prepare(&x, &y, beta, cx)?;
        Softmax::with(&x, cx, Kernel::Bytes(bytes))
    }

    /// `prepare` for i8 to i16 alone.
    ///
    /// # Errors
    /// As for `prepare`, or the node has another form.
    pub fn prepare_i8_i16(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y, beta) = read(node)?;
        if (x.ty, y.ty) != (I8, I16) {
            return Err(only_form("i8 to i16"));
        }
        let bytes = Bytes::prepare(&x, &y, beta, cx)?;
        Softmax::with(&x, cx, Kernel::Bytes(bytes))
    }

    /// `eval` for f32 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_f32(&self, cx: &EvalContext<'_>) -> Result<()> {
        let Kernel::Float { half: false, beta } = self.kernel else { return Err(other_form()) };
        let (x, y) = (cx.input_slice(0)?, cx.output_slice(0)?);
        rows(x, y, self.depth.max(1), |x, y| float_row(x, y, beta));
        Ok(())
    }

    /// `eval` for i8 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_i8(&self, cx: &EvalContext<'_>) -> Result<()> {
        self.eval_bytes::<i8>(cx)
    }

    /// `eval` for i8 to i16 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_i8_i16(&self, cx: &EvalContext<'_>) -> Result<()> {
        self.eval_bytes::<i16>(cx)
    }

    fn eval_bytes<Y: Quantized>(&self, cx: &EvalContext<'_>) -> Result<()> {
        let Kernel::Bytes(bytes) = &self.kernel else { return Err(other_form()) };
        let (table, out) = (cx.table(&bytes.exponentials)?, bytes.output);
        let (x, y) = (cx.input_slice(0)?, cx.output_slice(0)?);
        rows(x, y, self.depth.max(1), |x, y| {
            byte_row::<i8, Y>(x, y, table, out.scale, |p| nearest(p, out.zero_point));
        });
        Ok(())
    }
}

impl Bytes {
    fn prepare(
        x: &TensorView<'_>,
        y: &TensorView<'_>,
        beta: f32,
        cx: &mut PrepareContext<'_>,
    ) -> Result<Self> {
        let output = quant(y)?;
        if (x.ty, y.ty) == (I8, I8) {
            check_output(y, output, -128, 1.0 / 256.0)?;
        }
        let scale = -quant(x)?.scale * beta;
        let exponentials = cx.table(256, |distance| float::exp(scale * distance as f32))?;
        let types = match (x.ty, y.ty) {
            (I8, I8) => Types::I8,
            (I8, I16) => Types::I8ToI16,
            _ => Types::Others,
        };
        Ok(Bytes { exponentials, output, types })
    }
}

impl Words {
    fn prepare(
        x: &TensorView<'_>,
        y: &TensorView<'_>,
        beta: f32,
        cx: &mut PrepareContext<'_>,
    ) -> Result<Self> {
        let input = quant(x)?;
        ensure!(input.zero_point == 0, "input {x} has zero point {}; for i16 it must be 0", input.zero_point);
        check_output(y, quant(y)?, 0, 1.0 / 32768.0)?;
        let factor = f64::from(input.scale * beta) / (10.0 / 65535.0);
        let rescale = Multiplier::from_real(factor)
            .ok_or_else(|| invalid!("input {x} has scale {}, beta is {beta}", input.scale))?;
        let output = (2.0 / 65535.0, 0);
        let exponential = |i| entry_i16_f64((10.0 / 65535.0, 32767), output, libm::exp, i);
        let exponentials = cx.table(LUT16_SIZE, exponential)?;
        let reciprocal = |i| entry_i16_f64((1.0 / 65535.0, -32768), output, |v| 1.0 / (1.0 + v), i);
        let reciprocals = cx.table(LUT16_SIZE, reciprocal)?;
        Ok(Words { rescale, exponentials, reciprocals })
    }
}

fn check_output(y: &TensorView<'_>, q: Quant, zero_point: i32, scale: f32) -> Result<()> {
    ensure!(
        q.zero_point == zero_point && (q.scale - scale).abs() <= 0.001 * scale,
        "output {y} has scale {} and zero point {}; for {} they must be {scale} and {zero_point}",
        q.scale,
        q.zero_point,
        y.ty
    );
    Ok(())
}

fn rows<X, Y>(x: &[X], y: &mut [Y], depth: usize, mut f: impl FnMut(&[X], &mut [Y])) {
    for (x, y) in x.chunks_exact(depth).zip(y.chunks_exact_mut(depth)) {
        f(x, y);
    }
}

fn float_row(x: &[f32], y: &mut [f32], beta: f32) {
    let max = x.iter().fold(f32::NEG_INFINITY, |max, x| max.max(*x));
    let mut sum = Sum::default();
    for (y, x) in y.iter_mut().zip(x) {
        *y = single::exp((x - max) * beta);
        sum.add(*y);
    }
    let inverse = 1.0 / sum.value();
    for y in y {
        *y *= inverse;
    }
}

/// Exponentials are rounded to f16 before they are divided by the sum, which is f32.
fn half_row(x: &[f16], y: &mut [f16], beta: f32) {
    let max = x.iter().fold(f32::from(f16::MIN), |max, x| max.max(f32::from(*x)));
    let mut sum = 0f32;
    for (y, x) in y.iter_mut().zip(x) {
        let e = single::exp((f32::from(*x) - max) * beta);
        *y = f16::from_f32(e);
        sum += e;
    }
    for y in y {
        *y = f16::from_f32(f32::from(*y) / sum);
    }
}

fn byte_row<X: Quantized, Y: Quantized>(
    x: &[X],
    y: &mut [Y],
    exponentials: &[f32],
    output_scale: f32,
    quantize: impl Fn(f32) -> i32,
) {
    let value = |x: &X| -> i32 { (*x).into() };
    let max = x.iter().map(value).fold(i32::MIN, i32::max);
    let exponential = |x: &X| exponentials.get((max - value(x)) as usize).copied().unwrap_or(0.0);
    let sum = x.iter().fold(0f32, |sum, x| sum + exponential(x));
    let inverse = 1.0 / (sum * output_scale);
    for (y, x) in y.iter_mut().zip(x) {
        *y = Y::saturate(quantize(exponential(x) * inverse));
    }
}

fn nearest(steps: f32, zero_point: i32) -> i32 {
    (round_f32(steps) as i32).saturating_add(zero_point)
}

fn word_row(
    x: &[i16],
    y: &mut [i16],
    rescale: Multiplier,
    exponentials: &[i16; LUT16_SIZE],
    reciprocals: &[i16; LUT16_SIZE],
) {
    let max = x.iter().copied().max().unwrap_or(0);
    let mut sum = 0i32;
    for (y, x) in y.iter_mut().zip(x) {
        let distance = rescale.apply(i32::from(*x) - i32::from(max));
        *y = lookup_i16(i16::saturate(distance.saturating_add(32767)), exponentials);
        sum = sum.wrapping_add((*y).into());
    }
    // `sum` is Q16.15. It is shifted left to `[1, 2)` in Q0.31, then right to Q0.16. Minus its leading one and half the
    // range of i16, it is the argument of the table.
    let headroom = sum.leading_zeros();
    let shifted = (((i64::from(sum) << headroom.saturating_sub(1)) + (1 << 13)) >> 14) as i32;
    let reciprocal = lookup_i16(i16::saturate(shifted - (1 << 15) - (1 << 16)), reciprocals);
    let right = 31u32.saturating_sub(headroom).max(1);
    for y in y {
        let product = i64::from(*y) * i64::from(reciprocal) + (1 << (right - 1));
        *y = ((product >> right) as i32).clamp(0, 32767) as i16;
    }
}

fn table_513<'a>(cx: &EvalContext<'a>, table: &Table<i16>) -> Result<&'a [i16; LUT16_SIZE]> {
    let table = cx.table(table)?;
    table.try_into().map_err(|_| invalid!("a table has {} entries instead of {LUT16_SIZE}", table.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(x: Tensor, y: Spec, beta: f32) -> OpTest<Softmax> {
        OpTest::new().options(|o| o.set(SoftmaxOptions::BETA, beta)).input(x).output(y)
    }

    #[test]
    fn floats() {
        let ln2 = core::f32::consts::LN_2;
        let x = Tensor::f32(&[2, 2], &[0.0, ln2, 1000.0, -1000.0]);
        let y = test(x, Spec::f32(), 1.0).run().unwrap()[0].as_f32();
        for (got, want) in y.iter().zip([1.0 / 3.0, 2.0 / 3.0, 1.0, 0.0]) {
            assert!((got - want).abs() < 1e-6, "{y:?}");
        }
        // Beta 2 makes the odds 1 : 4.
        let y = test(Tensor::f32(&[2], &[0.0, ln2]), Spec::f32(), 2.0).run().unwrap()[0].as_f32();
        assert!((y[1] - 0.8).abs() < 1e-6, "{y:?}");
        let y = test(Tensor::f32(&[2, 0], &[]), Spec::f32(), 2.0).run().unwrap();
        assert_eq!(y[0].shape(), [2, 0]);
    }

    #[test]
    fn halves() {
        let x = Tensor::of(&[4], &[f16::ONE; 4]);
        let y = test(x, Spec::of(F16), 1.0).run().unwrap();
        assert_eq!(y[0].elements::<f16>(), [f16::from_f32(0.25); 4]);
    }

    #[test]
    fn bytes() {
        // Equal elements share 256 steps; with scale ln 2, each step halves the result: 1 : 2 : 4.
        let ln2 = core::f32::consts::LN_2;
        let x = Tensor::i8(&[2, 4], &[5, 5, 5, 5, -128, -128, -128, 127]).quantized(0.1, 3);
        let y = test(x, Spec::i8(1.0 / 256.0, -128), 1.0).run().unwrap();
        assert_eq!(y[0].as_i8(), [-64, -64, -64, -64, -128, -128, -128, 127]);
        let x = Tensor::u8(&[3], &[0, 1, 2]).quantized(ln2, 0);
        let y = test(x.clone(), Spec::u8(1.0 / 256.0, 0), 1.0).run().unwrap();
        // 256 / 7 = 36.57, 73.1, 146.3
        assert_eq!(y[0].as_u8(), [37, 73, 146]);
        let y = test(x, Spec::i16(1.0 / 32768.0, 0), 1.0).run().unwrap();
        // 32768 / 7 = 4681.1, 9362.3, 18724.6
        assert_eq!(y[0].as_i16(), [4681, 9362, 18725]);
        let x = Tensor::i8(&[2], &[0, 0]).quantized(ln2, 0);
        let y = test(x, Spec::i16(1.0 / 32768.0, 10), 1.0).run().unwrap();
        assert_eq!(y[0].as_i16(), [16394, 16394]);
    }

    #[test]
    fn sixteen_bits() {
        let x = Tensor::i16(&[2, 2], &[100, 100, 32767, -32768]).quantized(0.001, 0);
        let y = test(x, Spec::i16(1.0 / 32768.0, 0), 1.0).run().unwrap();
        let y = y[0].as_i16();
        assert!((y[0] - 16384).abs() <= 2 && y[0] == y[1], "{y:?}");
        assert!(y[2] >= 32765 && (0..=3).contains(&y[3]), "{y:?}");
    }

    #[test]
    fn refusals() {
        let message = |x, y| test(x, y, 1.0).run().unwrap_err().message().to_string();
        assert_eq!(
            message(Tensor::f32(&[], &[1.0]), Spec::f32()),
            "input 'in0' is a scalar; it needs an axis"
        );
        let x = Tensor::i8(&[1], &[1]).quantized(1.0, 0);
        assert_eq!(
            message(x.clone(), Spec::i8(0.5, 0)),
            "output 'out0' has scale 0.5 and zero point 0; for INT8 they must be 0.00390625 and -128"
        );
        assert!(
            message(Tensor::i8(&[1], &[1]), Spec::i8(1.0 / 256.0, -128)).contains("without quantization")
        );
        let x = Tensor::i16(&[1], &[1]).quantized(1.0, 1);
        assert!(message(x, Spec::i16(1.0 / 32768.0, 0)).contains("has zero point 1; for i16 it must be 0"));
    }
}
