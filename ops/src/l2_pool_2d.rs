//! L2_POOL_2D: the square root of the mean square of each channel in a window without its padding, then the activation.
//! f32.
//! Defined by: tflite/kernels/pooling.cc, tflite/kernels/internal/optimized/optimized_ops.h (`L2Pool`).

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::pool::Pool;

plain! {
    /// A prepared `L2_POOL_2D` node.
    pub struct L2Pool2d(Pool);
}

impl Op for L2Pool2d {
    const CODE: OpCode = OpCode::Builtin(op::L2_POOL_2D);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const SHARING: Sharing = Sharing::Behind;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Pool::prepare(node, cx).map(L2Pool2d)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let limits = self.0.float_limits;
        self.0.for_each(cx, |patch, out| {
            out.iter().for_each(|sum| sum.set(0.0));
            patch.for_each_pixel(|pixel| {
                out.iter().zip(pixel.iter()).for_each(|(sum, x)| sum.set(sum.get() + x * x));
            });
            let per_pixel = 1.0 / patch.count() as f32;
            out.iter().for_each(|sum| sum.set(limits.clamp(float::sqrt(sum.get() * per_pixel))));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::Pool2DOptions;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// Options in the order of the schema: padding (0 SAME, 1 VALID), stride, filter, activation.
    fn run(x: Tensor, padding: i8, stride: i32, filter: i32, activation: i8) -> Result<Tensor> {
        let test = OpTest::<L2Pool2d>::new().input(x).output(Spec::f32()).options(|o| {
            o.set(Pool2DOptions::PADDING, padding)
                .set(Pool2DOptions::STRIDE_W, stride)
                .set(Pool2DOptions::STRIDE_H, stride)
                .set(Pool2DOptions::FILTER_WIDTH, filter)
                .set(Pool2DOptions::FILTER_HEIGHT, filter)
                .set(Pool2DOptions::FUSED_ACTIVATION_FUNCTION, activation)
        });
        test.run().map(|mut y| y.remove(0))
    }

    #[test]
    fn windows() {
        let x = || Tensor::f32(&[1, 2, 2, 2], &[1., 8., 1., 0., -7., 0., 7., 0.]);
        let y = run(x(), 1, 1, 2, 0).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[1, 1, 1, 2][..], vec![5., 4.]));
        // SAME: the last windows have fewer pixels.
        let y = run(x(), 0, 1, 2, 0).unwrap();
        let root = |x: f32| x.sqrt();
        assert_eq!(y.as_f32(), [5., 4., root(25.), 0., 7., 0., 7., 0.]);
        // RELU6.
        assert_eq!(run(x(), 0, 1, 1, 3).unwrap().as_f32(), [1., 6., 1., 0., 6., 0., 6., 0.]);
    }
}
