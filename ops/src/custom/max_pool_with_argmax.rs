//! MaxPoolWithArgmax: the maximum of each window, and its index in the image, `(row × width + column) × channels +
//! channel`. f32, indices i32.
//! Defined by: tflite/kernels/perception/max_pool_with_argmax.cc.

use arenite_abi::prelude::*;

use crate::kit::argmax_pool::ArgmaxPool;
use crate::kit::custom_options::CustomOptions;
use crate::kit::padding::Padding;

plain! {
    /// A prepared `MaxPoolWithArgmax` node.
    pub struct MaxPoolWithArgmax(ArgmaxPool);
}

impl Op for MaxPoolWithArgmax {
    const CODE: OpCode = OpCode::Custom("MaxPoolWithArgmax");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=1, 2..=2)?;
        let (y, indices) = (node.output(0)?, node.output(1)?);
        ensure!(y.ty == F32, "output {y} is {}; it must be FLOAT32", y.ty);
        ensure!(indices.ty == I32, "indices {indices} are {}; they must be INT32", indices.ty);
        let options = CustomOptions::of(node);
        let padding = match options.str("padding")? {
            "SAME" => Padding::Same,
            "VALID" => Padding::Valid,
            other => return Err(invalid!("option 'padding' is '{other}'; it may be SAME or VALID")),
        };
        let (filter, stride) = (sizes(&options, "ksize")?, sizes(&options, "strides")?);
        if options.flag("include_batch_in_index")? {
            return Err(unsupported!("option 'include_batch_in_index' is true; only false is supported"));
        }
        let pool = ArgmaxPool::prepare(node, cx, padding, filter, stride)?;
        // The indices count the elements of one image.
        let x = node.input(0)?;
        let image: i64 = x.shape[1..].iter().map(|&size| i64::from(size)).product();
        ensure!(
            image <= i64::from(i32::MAX),
            "{x} {:?} has more elements than an index can express",
            x.shape
        );
        Ok(MaxPoolWithArgmax(pool))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let y = cx.output_slice::<f32>(0)?;
        let indices = cx.output_slice::<i32>(1)?;
        let (width, channels) = self.0.width_and_channels();
        self.0.for_each(cx, |i, channel, maximum| {
            let [row, column] = maximum.pixel;
            y[i] = maximum.value;
            indices[i] = (row * width + column) * channels + channel as i32;
        })
    }
}

/// Reads the height and the width from `[1, height, width, 1]`.
fn sizes(options: &CustomOptions<'_>, key: &str) -> Result<[i32; 2]> {
    match options.integers(key)? {
        [1, height, width, 1] => Ok([height, width]),
        other => Err(invalid!("option '{key}' is {other:?}; it must be [1, height, width, 1]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{FlexBuilder, OpTest, Spec, Tensor};

    fn test(
        shape: &[i32],
        x: &[f32],
        change: impl FnOnce(FlexBuilder) -> FlexBuilder,
    ) -> OpTest<MaxPoolWithArgmax> {
        let options = |o: FlexBuilder| {
            o.text("padding", "VALID").ints("ksize", &[1, 2, 2, 1]).ints("strides", &[1, 2, 2, 1])
        };
        let test = OpTest::new().flexbuffer(|o| change(options(o))).input(Tensor::f32(shape, x));
        test.output(Spec::f32()).output(Spec::i32())
    }

    #[test]
    fn maxima_and_their_positions() {
        let x = [1., 2., 9., 4., 5., 6., 7., 8., 3., -1., -2., -3.];
        let y = test(&[1, 3, 4, 1], &x, |o| o).run().unwrap();
        assert_eq!(
            (y[0].shape(), y[0].as_f32(), y[1].as_i32()),
            (&[1, 1, 2, 1][..], vec![6., 9.], vec![5, 2])
        );
        let y = test(&[1, 3, 4, 1], &x, |o| o.text("padding", "SAME")).run().unwrap();
        assert_eq!((y[0].as_f32(), y[1].as_i32()), (vec![6., 9., 3., -2.], vec![5, 2, 8, 10]));
        // Two images with two channels; the index does not count the images.
        let x = [1., 8., 2., 7., 3., 6., 4., 5., 0., 0., -1., 1., 0., 0., 0., 2.];
        let y = test(&[2, 2, 2, 2], &x, |o| o).run().unwrap();
        assert_eq!((y[0].as_f32(), y[1].as_i32()), (vec![4., 8., 0., 2.], vec![6, 1, 0, 7]));
    }

    #[test]
    fn inputs_of_the_least_number() {
        let y = test(&[1, 2, 2, 1], &[f32::NAN, f32::NEG_INFINITY, f32::NAN, f32::MIN], |o| o).run().unwrap();
        assert_eq!((y[0].as_f32(), y[1].as_i32()), (vec![f32::MIN], vec![0]));
    }
}
