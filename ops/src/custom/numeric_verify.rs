//! NumericVerify: the difference between a dequantized tensor and a float reference. i8, u8, i16, f16 against f32. With
//! `log_if_failed` and a tolerance of 0.1 or more, a difference above `tolerance × scale` is an error.
//! Defined by: tflite/kernels/numeric_verify.cc.
//!
//! ```text
//! y = dequantized x − reference
//! ```

use arenite_abi::prelude::*;
use half::f16;

use crate::kit::channel_quant::ChannelQuant;
use crate::kit::custom_options::CustomOptions;
use crate::kit::node;

/// A prepared `NumericVerify` node.
pub struct NumericVerify {
    /// The quantization; `None` for f16.
    channels: Option<ChannelQuant>,
    /// The largest difference that is allowed, and the tolerance in steps.
    limit: Option<(f32, f32)>,
}

impl Op for NumericVerify {
    const CODE: OpCode = OpCode::Custom("NumericVerify");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[I8, U8, I16, F16, F32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, reference, y) = node.binary()?;
        let options = CustomOptions::of(node);
        let (tolerance, log_if_failed) = (options.f32("tolerance")?, options.flag("log_if_failed")?);
        ensure!(reference.ty == F32, "reference {reference} is {}; it must be FLOAT32", reference.ty);
        ensure!(y.ty == F32, "output {y} is {}; it must be FLOAT32", y.ty);
        let channels = match x.ty {
            F16 => None,
            I16 => {
                node::symmetric(&x)?;
                Some(ChannelQuant::new(&x, x.shape)?)
            }
            I8 | U8 => Some(ChannelQuant::new(&x, x.shape)?),
            ty => return Err(Error::unsupported("NumericVerify", ty)),
        };
        ensure!(
            reference.len() == x.len(),
            "{x} is {:?}, its reference {reference} is {:?}; they must agree",
            x.shape,
            reference.shape
        );
        cx.set_output_shape(0, x.shape)?;
        let scale = x.quantization().and_then(|q| q.scales.first().copied()).unwrap_or(0.0);
        let limit = (log_if_failed && f64::from(tolerance) >= 0.1).then_some((tolerance * scale, tolerance));
        Ok(NumericVerify { channels, limit })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, reference) = (cx.input(0)?, cx.input_slice::<f32>(1)?);
        let y = cx.output_slice::<f32>(0)?;
        match x.ty {
            I8 => self.compare(&x, x.as_slice::<i8>()?, reference, y),
            U8 => self.compare(&x, x.as_slice::<u8>()?, reference, y),
            I16 => self.compare(&x, x.as_slice::<i16>()?, reference, y),
            _ => {
                let x = x.as_slice::<f16>()?;
                self.differences(reference, y, |i| (x[i].to_f32(), 0))
            }
        }
    }
}

impl NumericVerify {
    fn compare<T: Copy + Into<i32>>(
        &self,
        tensor: &TensorView<'_>,
        x: &[T],
        reference: &[f32],
        y: &mut [f32],
    ) -> Result<()> {
        let (Some(channels), Some(q)) = (&self.channels, tensor.quantization()) else {
            return Err(invalid!("{tensor} has lost its quantization"));
        };
        let real = |i: usize| match q.is_per_channel() {
            true => channels.quant(&q, i).dequantize(x[i].into()),
            false => channels.quant(&q, i).dequantize_in_eights(x[i].into(), i, x.len()),
        };
        self.differences(reference, y, |i| (real(i), x[i].into()))
    }

    /// Compares with the reference; `of(i)` is element `i` as a real number and as a stored integer.
    fn differences(&self, reference: &[f32], y: &mut [f32], of: impl Fn(usize) -> (f32, i32)) -> Result<()> {
        for (i, (y, &reference)) in y.iter_mut().zip(reference).enumerate() {
            let (x, stored) = of(i);
            *y = x - reference;
            if let Some((limit, tolerance)) = self.limit
                && y.abs() > limit
            {
                return Err(invalid!(
                    "element {i} is {stored}, which means {x}; the reference is {reference}: \
                     they differ by more than {limit}, {tolerance} steps"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(x: Tensor, reference: &[f32], tolerance: f32, log_if_failed: bool) -> OpTest<NumericVerify> {
        let test = OpTest::new()
            .flexbuffer(|o| o.float("tolerance", tolerance).bool("log_if_failed", log_if_failed));
        test.input(x).input(Tensor::f32(&[reference.len() as i32], reference)).output(Spec::f32())
    }

    #[test]
    fn differences() {
        let x = Tensor::i8(&[2], &[3, -5]).quantized(0.5, 1);
        let y = test(x.clone(), &[1.25, -3.5], 5.0, true).run().unwrap();
        assert_eq!(y[0].as_f32(), [-0.25, 0.5]);
        let y = test(x, &[100.0, -3.5], 5.0, false).run().unwrap();
        assert_eq!(y[0].as_f32(), [-99.0, 0.5]);
        let x = Tensor::u8(&[2], &[3, 255]).quantized(0.5, 1);
        assert_eq!(test(x, &[1.0, 0.0], 0.0, true).run().unwrap()[0].as_f32(), [0.0, 127.0]);
        let x = Tensor::i16(&[1], &[-300]).quantized(0.25, 0);
        assert_eq!(test(x, &[-75.5], 2.0, true).run().unwrap()[0].as_f32(), [0.5]);
        let x = Tensor::of(&[1], &[f16::from_f32(0.5)]);
        assert_eq!(test(x, &[0.25], 1.0, false).run().unwrap()[0].as_f32(), [0.25]);
    }
}
