//! MaxPoolingWithArgmax2D: the maximum of each window, and its index in the window, `row × filter width + column`. f32;
//! the indices are f32 too, and 0.1 larger than the integer. The options are TensorFlow Lite's C struct of a pool.
//! Defined by: mediapipe/util/tflite/operations/max_pool_argmax.cc.

use arenite_abi::prelude::*;

use crate::kit::activation::{Activation, Limits};
use crate::kit::argmax_pool::{ArgmaxPool, padding_of_c_struct};
use crate::kit::custom_options;

plain! {
    /// A prepared `MaxPoolingWithArgmax2D` node.
    pub struct MaxPoolingWithArgmax2d {
        pool: ArgmaxPool,
        limits: Limits<f32>,
    }
}

impl Op for MaxPoolingWithArgmax2d {
    const CODE: OpCode = OpCode::Custom("MaxPoolingWithArgmax2D");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=1, 2..=2)?;
        let names =
            ["padding", "stride_width", "stride_height", "filter_width", "filter_height", "activation"];
        let [padding, stride_width, stride_height, filter_width, filter_height, activation] =
            custom_options::words(node, names)?;
        let limits = i8::try_from(activation)
            .ok()
            .and_then(Activation::from_schema)
            .filter(|activation| activation.is_range())
            .ok_or_else(|| invalid!("activation {activation} is not supported; it may be 0 to 3"))?
            .f32_range();
        let padding = padding_of_c_struct(padding)?;
        let (filter, stride) = ([filter_height, filter_width], [stride_height, stride_width]);
        Ok(MaxPoolingWithArgmax2d { pool: ArgmaxPool::prepare(node, cx, padding, filter, stride)?, limits })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let y = cx.output_slice::<f32>(0)?;
        let indices = cx.output_slice::<f32>(1)?;
        let [_, filter_width] = self.pool.filter();
        self.pool.for_each(cx, |i, _, maximum| {
            let [row, column] = maximum.tap;
            y[i] = self.limits.clamp(maximum.value);
            indices[i] = row.wrapping_mul(filter_width).wrapping_add(column) as f32 + 0.1;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(options: &[i32], shape: &[i32], x: &[f32]) -> OpTest<MaxPoolingWithArgmax2d> {
        let options: Vec<u8> = options.iter().flat_map(|word| word.to_le_bytes()).collect();
        let test = OpTest::new().custom_options(&options).input(Tensor::f32(shape, x));
        test.output(Spec::f32()).output(Spec::f32())
    }

    #[test]
    fn maxima_and_their_positions_in_the_window() {
        let x = [1., 2., 9., 4., 5., 6., 7., 8., 3., -1., -2., -3.];
        let y = test(&[1, 2, 2, 2, 2, 0], &[1, 3, 4, 1], &x).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[1, 2, 2, 1][..], vec![6., 9., 3., -2.]));
        assert_eq!(y[1].as_f32(), [3.1, 0.1, 0.1, 0.1]);
        // Windows of 3 columns with stride 1, and RELU6.
        let y = test(&[2, 1, 1, 3, 1, 3], &[1, 1, 4, 1], &x[..4]).run().unwrap();
        assert_eq!((y[0].as_f32(), y[1].as_f32()), (vec![6., 6.], vec![2.1, 1.1]));
    }

    #[test]
    fn refusals() {
        let error =
            |options: &[i32]| test(options, &[1, 2, 2, 1], &[0.0; 4]).run().unwrap_err().message().to_owned();
        assert_eq!(error(&[]), "the custom options have 0 bytes, they lack 'padding'");
        assert_eq!(error(&[1, 2, 2, 2, 2]), "the custom options have 20 bytes, they lack 'activation'");
        assert_eq!(error(&[0, 2, 2, 2, 2, 0]), "padding 0 is unknown; 1 is SAME, 2 is VALID");
        assert_eq!(error(&[1, 2, 2, 2, 2, 5]), "activation 5 is not supported; it may be 0 to 3");
        assert_eq!(
            error(&[1, 2, 2, 0, 2, 0]),
            "windows of [2, 0] in steps of [2, 2] do not fit 'in0' [1, 2, 2, 1]"
        );
    }
}
