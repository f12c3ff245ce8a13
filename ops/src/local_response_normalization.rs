//! LOCAL_RESPONSE_NORMALIZATION: `y[c] = x[c] × (bias + alpha × Σ x[k]²)^−beta` over the channels k within the radius
//! of c. f32.
//! Defined by: tflite/kernels/local_response_norm.cc, tflite/kernels/internal/optimized/optimized_ops.h
//! (`LocalResponseNormalization`, whose sum runs along the channels).

use arenite_abi::prelude::*;
use arenite_abi::schema::LocalResponseNormalizationOptions;

use crate::kit::float;

plain! {
    /// A prepared `LOCAL_RESPONSE_NORMALIZATION` node.
    pub struct LocalResponseNormalization {
        channels: usize,
        radius: usize,
        bias: f32,
        alpha: f32,
        beta: f32,
    }
}

impl Op for LocalResponseNormalization {
    const CODE: OpCode = OpCode::Builtin(op::LOCAL_RESPONSE_NORMALIZATION);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, _) = node.unary()?;
        let [_, _, _, channels] = *x.shape else {
            return Err(invalid!("input {x} is {:?}; it must have 4 dimensions", x.shape));
        };
        let options = node.options()?;
        let radius = options.get(LocalResponseNormalizationOptions::RADIUS)?;
        cx.set_output_shape(0, x.shape)?;
        Ok(LocalResponseNormalization {
            channels: channels as usize,
            radius: usize::try_from(radius)
                .map_err(|_| invalid!("its radius is {radius}; it must not be negative"))?,
            bias: options.get(LocalResponseNormalizationOptions::BIAS)?,
            alpha: options.get(LocalResponseNormalizationOptions::ALPHA)?,
            beta: options.get(LocalResponseNormalizationOptions::BETA)?,
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_slice::<f32>(0)?, cx.output_slice::<f32>(0)?);
        let channels = self.channels.max(1);
        for (x, y) in x.chunks_exact(channels).zip(y.chunks_exact_mut(channels)) {
            self.pixel(x, y);
        }
        Ok(())
    }
}

impl LocalResponseNormalization {
    fn pixel(&self, x: &[f32], y: &mut [f32]) {
        let square = |k: usize| x.get(k).map_or(0.0, |x| x * x * self.alpha);
        let mut sum = (0..self.radius.min(x.len())).fold(0.0, |sum, k| sum + square(k));
        for (c, (y, x)) in y.iter_mut().zip(x).enumerate() {
            sum += square(c.saturating_add(self.radius));
            *y = x * self.factor(self.bias + sum);
            sum -= c.checked_sub(self.radius).map_or(0.0, square);
        }
    }

    fn factor(&self, sum: f32) -> f32 {
        if self.beta == 1.0 {
            1.0 / sum
        } else if self.beta == 0.5 {
            1.0 / float::sqrt(sum)
        } else {
            float::pow(sum, -self.beta)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, radius: i32, bias: f32, alpha: f32, beta: f32) -> Result<Vec<f32>> {
        let test = OpTest::<LocalResponseNormalization>::new().input(x).output(Spec::f32());
        let test = test.options(|o| {
            o.set(LocalResponseNormalizationOptions::RADIUS, radius)
                .set(LocalResponseNormalizationOptions::BIAS, bias)
                .set(LocalResponseNormalizationOptions::ALPHA, alpha)
                .set(LocalResponseNormalizationOptions::BETA, beta)
        });
        test.run().map(|y| y[0].as_f32())
    }

    #[test]
    fn values() {
        let x = || Tensor::f32(&[1, 1, 2, 3], &[1., 2., 4., 0., 0., 8.]);
        // Sums of squares: 5, 21, 20; 0, 64, 64.
        let want = [1. / 6., 2. / 22., 4. / 21., 0., 0., 8. / 65.];
        let close = |y: Vec<f32>, want: [f32; 6]| {
            assert!(y.iter().zip(want).all(|(y, want)| (y - want).abs() <= 1e-6), "{y:?} {want:?}");
        };
        close(run(x(), 1, 1.0, 1.0, 1.0).unwrap(), want);
        let want = [0.408_248_3, 0.426_401_4, 0.872_871_6, 0., 0., 0.992_277_9];
        close(run(x(), 1, 1.0, 1.0, 0.5).unwrap(), want);
        // A radius beyond all channels: the sums are 21 and 64.
        for radius in [2, 5, i32::MAX] {
            let want = [1. / 43., 2. / 43., 4. / 43., 0., 0., 8. / 129.];
            close(run(x(), radius, 1.0, 2.0, 1.0).unwrap(), want);
        }
        close(run(x(), 0, 1.0, 1.0, 2.0).unwrap(), [0.25, 2. / 25., 4. / 289., 0., 0., 8. / 4225.]);
        assert!(run(Tensor::f32(&[1, 1, 2, 0], &[]), 1, 1.0, 1.0, 1.0).unwrap().is_empty());
    }
}
